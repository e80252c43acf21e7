//! `ports! { struct P(width: u32) { input a: Signal = bits(width), .. } }`: what it is read as, and what it becomes.
//!
//! It is no `macro_rules`, so that each port is declared with the place of its field: errors about a port point there.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Ident, LitStr, Result, Token, Type, Visibility, braced, parenthesized};

/// A struct of ports.
pub struct Ports {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    parameters: Vec<(Ident, Type)>,
    fields: Vec<Port>,
}

struct Port {
    docs: Vec<Attribute>,
    direction: Direction,
    name: Ident,
    kind: Type,
    shape: Expr,
}

#[derive(Clone, Copy)]
enum Direction {
    Input,
    Output,
    /// Both: a pad.
    Inout,
}

impl Parse for Ports {
    fn parse(input: ParseStream) -> Result<Ports> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![struct]>()?;
        let name: Ident = input.parse()?;
        if input.peek(Token![<]) {
            let message = format!(
                "`{name}` cannot be generic: what its shapes depend on stands in parentheses, `struct {name}(width: u32)`"
            );
            return Err(input.error(message));
        }
        if !input.peek(syn::token::Paren) {
            let message = format!(
                "parentheses are missing after `{name}`: `struct {name}(width: u32) {{ .. }}`, or `struct {name}() {{ .. }}`"
            );
            return Err(input.error(message));
        }
        let list;
        parenthesized!(list in input);
        let parameter = |input: ParseStream| {
            let name = input.parse()?;
            input.parse::<Token![:]>()?;
            Ok((name, input.parse()?))
        };
        let parameters = list.parse_terminated(parameter, Token![,])?.into_iter().collect();
        let body;
        braced!(body in input);
        let mut fields = vec![];
        while !body.is_empty() {
            fields.push(body.parse()?);
        }
        if !input.is_empty() {
            return Err(input.error("one `ports!` declares one struct"));
        }
        Ok(Ports { attributes, visibility, name, parameters, fields })
    }
}

impl Parse for Port {
    /// A field with the comma behind it.
    fn parse(input: ParseStream) -> Result<Port> {
        let docs = input.call(Attribute::parse_outer)?;
        let public: Visibility = input.parse()?;
        let (direction, name) = direction_and_name(input)?;
        let fail = |span, what: &str| Err(Error::new(span, format!("port `{name}`: {what}")));
        if !matches!(public, Visibility::Inherited) {
            return fail(public.span(), "ports are as public as their struct: leave `pub` out");
        }
        for doc in &docs {
            if text(doc).is_none() {
                return fail(doc.span(), "only doc comments stand before a port");
            }
        }
        if !input.peek(Token![:]) {
            return fail(name.span(), "its type is missing, as in `: Signal = bits(8)`");
        }
        input.parse::<Token![:]>()?;
        let kind = input.parse()?;
        if !input.peek(Token![=]) {
            return fail(name.span(), "its shape is missing, as in `= bits(8)`");
        }
        input.parse::<Token![=]>()?;
        if input.is_empty() || input.peek(Token![,]) {
            return fail(name.span(), "its shape is missing, as in `= bits(8)`");
        }
        let shape = input.parse()?;
        if !input.is_empty() && !input.peek(Token![,]) {
            return fail(input.span(), "a comma is missing after its shape");
        }
        input.parse::<Option<Token![,]>>()?;
        Ok(Port { docs, direction, name, kind, shape })
    }
}

/// `input name`, `output name` or `inout name`.
fn direction_and_name(input: ParseStream) -> Result<(Direction, Ident)> {
    let direction = Ident::parse_any(input)?;
    if !input.peek(Ident::peek_any) {
        let message =
            format!("port `{direction}`: its direction is missing: `input {direction}` or `output {direction}`");
        return Err(Error::new(direction.span(), message));
    }
    let name = Ident::parse_any(input)?;
    match direction.to_string().as_str() {
        "input" => Ok((Direction::Input, name)),
        "output" => Ok((Direction::Output, name)),
        "inout" => Ok((Direction::Inout, name)),
        other => {
            let message = format!("port `{name}`: its direction is `input`, `output` or `inout`, not `{other}`");
            Err(Error::new(direction.span(), message))
        }
    }
}

/// The text of a doc comment.
fn text(attribute: &Attribute) -> Option<LitStr> {
    let value = attribute.meta.require_name_value().ok().filter(|value| value.path.is_ident("doc"))?;
    match &value.value {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}

impl Ports {
    /// The struct with its `new`.
    pub fn expand(&self) -> TokenStream {
        let Ports { attributes, visibility, name, .. } = self;
        let (arguments, types): (Vec<_>, Vec<_>) = self.parameters.iter().map(|(name, kind)| (name, kind)).unzip();
        let fields: Vec<_> = self.fields.iter().map(|port| &port.name).collect();
        let kinds = self.fields.iter().map(|port| &port.kind);
        let docs = self.fields.iter().map(|port| &port.docs);
        // no parameter is in the way of this name
        let module = Ident::new("module", Span::mixed_site());
        let declarations = self.fields.iter().map(|port| port.declaration(&module));
        quote! {
            #(#attributes)*
            #[derive(Clone, Copy)]
            #visibility struct #name { #(#(#docs)* #visibility #fields: #kinds),* }
            impl #name {
                /// Declares the ports in a module. Errors about a port point to its field.
                #visibility fn new(#module: impl ::core::convert::Into<::hdl::Module> #(, #arguments: #types)*) -> Self {
                    let #module: ::hdl::Module = ::core::convert::Into::into(#module);
                    #(#declarations)*
                    Self { #(#fields),* }
                }
            }
            impl ::hdl::Ports for #name {
                fn map_ports(&self, f: &mut dyn FnMut(::hdl::Signal) -> ::hdl::Signal) -> Self {
                    Self { #(#fields: ::hdl::Bundle::map(&self.#fields, &mut |_, _, s| f(s))),* }
                }
            }
        }
    }
}

impl Port {
    /// The call has the place of the field: `Location::caller` gives it.
    fn declaration(&self, module: &Ident) -> TokenStream {
        let Port { direction, name, kind, shape, .. } = self;
        let label = name.unraw().to_string();
        let doc: String = self.docs.iter().filter_map(text).map(|line| line.value()).collect();
        let port = match direction {
            Direction::Input => quote_spanned!(name.span()=> .port(#label, #doc, true, #shape)),
            Direction::Output => quote_spanned!(name.span()=> .port(#label, #doc, false, #shape)),
            Direction::Inout => quote_spanned!(name.span()=> .inout(#label, #doc, #shape)),
        };
        quote!(let #name: #kind = #module #port;)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a wrong `ports!`, and the text that it points to.
    #[track_caller]
    fn refused(source: &str) -> (String, String) {
        let error = syn::parse_str::<Ports>(source).err().expect("it has a mistake");
        let (start, end) = (error.span().start(), error.span().end());
        assert_eq!((start.line, end.line), (1, 1), "{error}");
        (error.to_string(), source.chars().skip(start.column).take(end.column - start.column).collect())
    }

    #[track_caller]
    fn field(source: &str, message: &str, place: &str) {
        let found = refused(&format!("struct P(n: u32) {{ input first: Signal = bits(n), {source} }}"));
        assert_eq!((found.0.as_str(), found.1.as_str()), (message, place));
    }

    #[test]
    fn directions() {
        let message = "port `a`: its direction is `input`, `output` or `inout`, not `both`";
        field("both a: Signal = bits(1)", message, "both");
        let message = "port `a`: its direction is `input`, `output` or `inout`, not `in`";
        field("in a: Signal = bits(1)", message, "in");
        let message = "port `a`: its direction is missing: `input a` or `output a`";
        field("a: Signal = bits(1)", message, "a");
        let message = "port `a`: ports are as public as their struct: leave `pub` out";
        field("pub input a: Signal = bits(1)", message, "pub");
    }

    #[test]
    fn parts_of_a_field() {
        let shape = "port `a`: its shape is missing, as in `= bits(8)`";
        field("input a: Signal", shape, "a");
        field("input a: Signal, output b: Signal = bits(1)", shape, "a");
        field("input a: Signal =, output b: Signal = bits(1)", shape, "a");
        field("input a: Signal =", shape, "a");
        field("input a = bits(1)", "port `a`: its type is missing, as in `: Signal = bits(8)`", "a");
        field("input a", "port `a`: its type is missing, as in `: Signal = bits(8)`", "a");
        let comma = "port `a`: a comma is missing after its shape";
        field("input a: Signal = bits(1) output b: Signal = bits(1)", comma, "output");
        let attribute = "port `a`: only doc comments stand before a port";
        field("#[cfg(test)] input a: Signal = bits(1)", attribute, "#[cfg(test)]");
        field("#[doc(hidden)] input a: Signal = bits(1)", attribute, "#[doc(hidden)]");
    }

    #[test]
    fn the_struct() {
        let generic = "`P` cannot be generic: what its shapes depend on stands in parentheses, `struct P(width: u32)`";
        assert_eq!(refused("struct P<T>() { }"), (generic.into(), "<".into()));
        let parentheses = "parentheses are missing after `P`: `struct P(width: u32) { .. }`, or `struct P() { .. }`";
        assert_eq!(refused("struct P { input a: Signal = bits(1) }").0, parentheses);
        assert_eq!(
            refused("struct P() {} struct Q() {}"),
            ("one `ports!` declares one struct".into(), "struct".into())
        );
    }

    #[test]
    fn what_is_right() {
        for source in [
            "struct P() {}",
            "struct P() { inout a: Pad = pad(2) }",
            "pub struct P(n: u32,) { /// A.\n /// B.\n input r#in: (A, B<C>) = f(n)?.g::<T>(), }",
        ] {
            syn::parse_str::<Ports>(source).unwrap().expand();
        }
    }
}
