//! `tagged! { .. }`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, FnArg, Ident, Result, Token, Type, Visibility, braced, parenthesized, token};

/// `field: Type = shape`.
struct Field {
    docs: Vec<Attribute>,
    name: Ident,
    kind: Type,
    shape: Expr,
}

struct Variant {
    docs: Vec<Attribute>,
    name: Ident,
    fields: Vec<Field>,
}

/// `pub enum Name(parameter: Type) { variants }`.
pub struct Union {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    parameters: Vec<FnArg>,
    variants: Vec<Variant>,
}

impl Parse for Field {
    fn parse(input: ParseStream) -> Result<Field> {
        let docs = input.call(Attribute::parse_outer)?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let kind = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Field { docs, name, kind, shape: input.parse()? })
    }
}

impl Parse for Variant {
    fn parse(input: ParseStream) -> Result<Variant> {
        let docs = input.call(Attribute::parse_outer)?;
        let name = input.parse()?;
        let mut fields = vec![];
        if input.peek(token::Brace) {
            let inside;
            braced!(inside in input);
            fields.extend(Punctuated::<Field, Token![,]>::parse_terminated(&inside)?);
        } else if !input.is_empty() && !input.peek(Token![,]) {
            return Err(
                input.error("a variant has fields in braces, each with its shape: `address: Signal = bits(32)`")
            );
        }
        Ok(Variant { docs, name, fields })
    }
}

impl Parse for Union {
    fn parse(input: ParseStream) -> Result<Union> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![enum]>()?;
        let name: Ident = input.parse()?;
        let (inside, variants);
        parenthesized!(inside in input);
        let parameters = Punctuated::<FnArg, Token![,]>::parse_terminated(&inside)?.into_iter().collect();
        braced!(variants in input);
        let variants: Vec<Variant> =
            Punctuated::<Variant, Token![,]>::parse_terminated(&variants)?.into_iter().collect();
        if variants.iter().all(|v| v.fields.is_empty()) {
            return Err(Error::new_spanned(&name, "no variant has fields: an enum without is a `State`"));
        }
        Ok(Union { attributes, visibility, name, parameters, variants })
    }
}

impl Variant {
    /// `Name::Variant { a, b }`, as a pattern or as a value.
    fn with_fields(&self, of: &Ident) -> TokenStream {
        let (name, fields) = (&self.name, self.names());
        if fields.is_empty() { quote!(#of::#name) } else { quote!(#of::#name { #(#fields),* }) }
    }
    fn names(&self) -> Vec<&Ident> {
        self.fields.iter().map(|f| &f.name).collect()
    }
    fn texts(&self) -> Vec<String> {
        self.fields.iter().map(|f| f.name.unraw().to_string()).collect()
    }
    fn declaration(&self) -> TokenStream {
        let (docs, name) = (&self.docs, &self.name);
        let fields = self.fields.iter().map(|Field { docs, name, kind, .. }| quote!(#(#docs)* #name: #kind));
        if self.fields.is_empty() { quote!(#(#docs)* #name) } else { quote!(#(#docs)* #name { #(#fields),* }) }
    }
    fn shape(&self, of: &Ident) -> TokenStream {
        let (name, names) = (&self.name, self.names());
        let shapes = self.fields.iter().map(|f| &f.shape);
        if names.is_empty() { quote!(#of::#name) } else { quote!(#of::#name { #(#names: #shapes),* }) }
    }
    /// The function that gives the fields, whatever the tag.
    fn getter(&self, index: usize, of: &Ident, visibility: &Visibility) -> TokenStream {
        let (names, pattern) = (self.names(), self.with_fields(of));
        let kinds: Vec<&Type> = self.fields.iter().map(|f| &f.kind).collect();
        let function = format_ident!("as_{}", snake(&self.name.unraw().to_string()));
        let doc =
            format!("The fields of `{}` in their order. While the tag is another, their bits mean nothing.", self.name);
        let (kind, value) = match (&kinds[..], &names[..]) {
            ([], _) => return quote!(),
            ([kind], [name]) => (quote!(#kind), quote!(#name)),
            _ => (quote!((#(#kinds),*)), quote!((#(#names),*))),
        };
        quote! {
            #[doc = #doc]
            #[allow(dead_code)]
            #[track_caller]
            #visibility fn #function(signal: ::hdl::TaggedSignal<#of>) -> #kind {
                match signal.variant(#index) {
                    #pattern => #value,
                    _ => unreachable!("the shape has each variant at its place"),
                }
            }
        }
    }
}

/// `WaitForData` as `wait_for_data`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

pub fn expand(union: Union) -> TokenStream {
    let Union { attributes, visibility, name, parameters, variants } = &union;
    let tag = format_ident!("{}Tag", name);
    let (codes, docs): (Vec<_>, Vec<_>) = attributes.iter().partition(|a| a.path().is_ident("state"));
    let tag_doc = format!("Which variant a [`{name}`] is.");
    let tags: Vec<_> = variants.iter().map(|v| &v.name).collect();
    let tag_docs: Vec<_> = variants.iter().map(|v| &v.docs).collect();
    let declarations = variants.iter().map(Variant::declaration);
    let shapes = variants.iter().map(|v| v.shape(name));
    let getters = variants.iter().enumerate().map(|(i, v)| v.getter(i, name, visibility));
    let implementation = implementation(&union, &tag);
    quote! {
        #(#docs)*
        #[derive(Clone, Copy)]
        #visibility enum #name { #(#declarations),* }

        #[doc = #tag_doc]
        #[derive(Clone, Copy, ::hdl::State)]
        #(#codes)*
        #visibility enum #tag { #(#(#tag_docs)* #tags),* }

        impl #name {
            /// The shape of a signal that holds one of the variants.
            #visibility fn shape(#(#parameters),*) -> ::hdl::TaggedSignal<#name> {
                ::hdl::TaggedSignal::of([#(#shapes),*])
            }
            #(#getters)*
        }
        #implementation
    }
}

fn implementation(union: &Union, tag: &Ident) -> TokenStream {
    let Union { name, variants, .. } = union;
    let (count, text) = (variants.len(), name.unraw().to_string());
    let tags = variants.iter().map(|v| &v.name);
    let patterns: Vec<_> = variants.iter().map(|v| v.with_fields(name)).collect();
    let each = variants.iter().map(|v| {
        let (names, texts) = (v.names(), v.texts());
        quote!({ #(::hdl::Bundle::each(#names, &mut |path, flip, s| __call(&::hdl::naming::path(#texts, path), flip, s));)* })
    });
    let layouts = variants.iter().map(|v| {
        let names = v.names();
        quote!({ #(::hdl::Bundle::layouts(#names, __call);)* })
    });
    let map = variants.iter().map(|v| {
        let (names, texts, value) = (v.names(), v.texts(), v.with_fields(name));
        quote!({
            #(let #names = ::hdl::Bundle::map(#names, &mut |path, flip, s| {
                __call(&::hdl::naming::path(#texts, path), flip, s)
            });)*
            #value
        })
    });
    quote! {
        impl ::hdl::Tagged for #name {
            const NAME: &'static str = #text;
            type Tag = #tag;
            type Shapes = [#name; #count];
            fn tag(&self) -> #tag {
                match self { #(#name::#tags { .. } => #tag::#tags),* }
            }
            #[allow(unused_variables)]
            fn each_field(&self, __call: &mut dyn FnMut(&str, bool, ::hdl::Signal)) {
                match self { #(#patterns => #each)* }
            }
            #[allow(unused_variables)]
            fn layouts(&self, __call: &mut dyn FnMut(&str, ::hdl::naming::Layout)) {
                match self { #(#patterns => #layouts)* }
            }
            #[allow(unused_variables)]
            fn map_fields(&self, __call: &mut dyn FnMut(&str, bool, ::hdl::Signal) -> ::hdl::Signal) -> Self {
                match self { #(#patterns => #map)* }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuses(text: &str, message: &str) {
        let error = syn::parse_str::<Union>(text).err().expect("it is illegal").to_string();
        assert!(error.contains(message), "{error}");
    }

    #[test]
    fn what_is_no_union() {
        refuses("enum E() { A, B }", "an enum without is a `State`");
        refuses("enum E() { A(Signal) }", "a variant has fields in braces");
        refuses("enum E() { A { x: Signal } }", "expected `=`");
        refuses("struct S() { a: Signal = bits(1) }", "expected `enum`");
        refuses("enum E { A { x: Signal = bits(1) } }", "expected parentheses");
    }

    #[test]
    fn names_of_functions() {
        assert_eq!(["Read", "WaitForData", "A"].map(snake), ["read", "wait_for_data", "a"]);
    }
}
