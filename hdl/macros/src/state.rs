//! `#[derive(State)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DataEnum, DeriveInput, Error, Fields, LitInt, LitStr, Result};

/// What `#[state(..)]` says.
#[derive(Default)]
pub struct Codes {
    encoding: Option<LitStr>,
    width: Option<LitInt>,
}

impl Codes {
    /// Reads the attributes of an enum.
    pub fn of(attributes: &[Attribute]) -> Result<Codes> {
        let mut codes = Codes::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("state")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("encoding") {
                    codes.encoding = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("width") {
                    codes.width = Some(meta.value()?.parse()?);
                } else {
                    return Err(meta.error("`state` takes `encoding = \"one_hot\"` and `width = 4`"));
                }
                Ok(())
            })?;
        }
        Ok(codes)
    }
    /// The encoding as an expression, and what the compiler is to check of it. `numbers`: the codes as the enum gives them.
    fn expression(&self, count: usize, numbers: Option<&[TokenStream]>) -> Result<(TokenStream, TokenStream)> {
        let name = self.encoding.as_ref().map(LitStr::value);
        let places: Vec<TokenStream> = (0..count).map(|i| quote!(#i)).collect();
        let chosen = match (name.as_deref(), numbers) {
            (Some("one_hot" | "gray"), None) if self.width.is_some() => {
                return Err(Error::new_spanned(&self.width, "this encoding has its width from the number of states"));
            }
            (Some("one_hot"), None) => return Ok((quote!(::hdl::Encoding::OneHot), quote!())),
            (Some("gray"), None) => return Ok((quote!(::hdl::Encoding::Gray), quote!())),
            (None | Some("binary"), None) if self.width.is_none() => {
                return Ok((quote!(::hdl::Encoding::Binary), quote!()));
            }
            (None | Some("binary"), None) => &places,
            (None, Some(numbers)) => numbers,
            (Some("one_hot" | "gray" | "binary"), Some(_)) => {
                return Err(Error::new_spanned(&self.encoding, "the states have numbers: those are their codes"));
            }
            (Some(_), _) => {
                let legal = "an encoding is \"binary\", \"one_hot\" or \"gray\"";
                return Err(Error::new_spanned(&self.encoding, legal));
            }
        };
        let least = self.width.as_ref().map_or(Ok(0), LitInt::base10_parse::<u32>)?;
        let width = quote!(::hdl::naming::code_width(&[#(#chosen as i128),*], #least));
        let codes = quote!(::hdl::Encoding::Chosen { codes: &[#(#chosen as u64),*], width: #width });
        Ok((codes, quote!(const _: u32 = #width;)))
    }
}

pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "states are the variants of an enum"));
    };
    if let Some(variant) = data.variants.iter().find(|v| !matches!(v.fields, Fields::Unit)) {
        return Err(Error::new(variant.span(), "a state has no fields; an enum of variants with fields is `Tagged`"));
    }
    if data.variants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "there must be at least one state"));
    }
    let name = &input.ident;
    let numbers: Vec<TokenStream> = data.variants.iter().map(|v| &v.ident).map(|v| quote!(#name::#v)).collect();
    let numbered = data.variants.iter().any(|v| v.discriminant.is_some());
    let codes = Codes::of(&input.attrs)?;
    let (encoding, check) = codes.expression(numbers.len(), numbered.then_some(&numbers))?;
    Ok(states(name, data, encoding, check))
}

fn states(name: &syn::Ident, data: &DataEnum, encoding: TokenStream, check: TokenStream) -> TokenStream {
    let text = name.unraw().to_string();
    let texts: Vec<_> = data.variants.iter().map(|v| v.ident.unraw().to_string()).collect();
    let variants: Vec<_> = data.variants.iter().map(|v| &v.ident).collect();
    let indices = 0..variants.len();
    quote! {
        #check
        impl ::hdl::State for #name {
            const NAME: &'static str = #text;
            const MODULE: &'static str = ::core::module_path!();
            const VARIANTS: &'static [&'static str] = &[#(#texts),*];
            const ENCODING: ::hdl::Encoding = #encoding;
            fn index(self) -> usize {
                match self { #(#name::#variants => #indices),* }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    fn refuses(input: syn::DeriveInput, message: &str) {
        let error = super::expand(&input).expect_err("it is illegal").to_string();
        assert!(error.contains(message), "{error}");
    }

    #[test]
    fn what_is_no_state_enum() {
        refuses(
            parse_quote!(
                struct S {
                    a: Signal,
                }
            ),
            "states are the variants of an enum",
        );
        refuses(
            parse_quote!(
                enum E {
                    A,
                    B(Signal),
                }
            ),
            "a state has no fields",
        );
        refuses(
            parse_quote!(
                enum E {}
            ),
            "at least one state",
        );
    }

    #[test]
    fn illegal_encodings() {
        refuses(
            parse_quote!(
                #[state(encoding = "grey")]
                enum E {
                    A,
                }
            ),
            "an encoding is \"binary\", \"one_hot\" or \"gray\"",
        );
        refuses(
            parse_quote!(
                #[state(coding = "gray")]
                enum E {
                    A,
                }
            ),
            "`state` takes `encoding",
        );
        refuses(
            parse_quote!(
                #[state(encoding = "gray")]
                enum E {
                    A = 3,
                }
            ),
            "the states have numbers",
        );
        refuses(
            parse_quote!(
                #[state(encoding = "one_hot", width = 3)]
                enum E {
                    A,
                    B,
                }
            ),
            "has its width from the number",
        );
    }
}
