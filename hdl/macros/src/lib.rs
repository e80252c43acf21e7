//! Macros of kvforge-hdl.

mod ports;
mod state;
mod tagged;

use proc_macro::TokenStream;
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Data, DeriveInput, Fields, GenericArgument, ItemFn, Pat, PathArguments, ReturnType, Stmt, Type,
    parse_macro_input,
};

/// On a function that builds hardware: every `let` names its signal in the Verilog and in waves.
///
/// ```text
/// #[module]
/// fn area(io: Ports) -> Signal {
///     let area = io.width * io.height; // `area` in the Verilog, not `_t1`
///     area
/// }
/// ```
#[proc_macro_attribute]
pub fn module(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = parse_macro_input!(item as ItemFn);
    NameLets.visit_item_fn_mut(&mut function);
    if gives_design(&function.sig.output) {
        // what it begins and does not finish is given up when it returns
        function.block.stmts.insert(0, syn::parse_quote!(let _building = ::hdl::naming::Building::new();));
        name_caller(&mut function);
    }
    quote!(#function).into()
}

/// Mistakes in the module name the line that asked for it, too, if that is of another package. The body becomes a closure, so that
/// the lines in it stay those of its signals.
fn name_caller(function: &mut ItemFn) {
    let ReturnType::Type(_, kind) = &function.sig.output else { return };
    let tracked = function.attrs.iter().any(|a| a.path().is_ident("track_caller"));
    if tracked || !gives_errors(kind) {
        return;
    }
    let body = &function.block;
    function.block = syn::parse_quote!({
        let asked_by = ::std::panic::Location::caller();
        ::hdl::naming::asked_for(file!(), asked_by, move || -> #kind #body)
    });
    function.attrs.push(syn::parse_quote!(#[track_caller]));
}

/// A `Result` with `Errors`.
fn gives_errors(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return false };
    let Some(PathArguments::AngleBracketed(of)) = path.path.segments.last().map(|s| &s.arguments) else { return false };
    let Some(GenericArgument::Type(Type::Path(error))) = of.args.iter().nth(1) else { return false };
    error.path.segments.last().is_some_and(|s| s.ident == "Errors")
}

/// `Design<..>`, or a `Result` of it.
fn gives_design(output: &ReturnType) -> bool {
    let last = |kind: &Type| match kind {
        Type::Path(path) => path.path.segments.last().cloned(),
        _ => None,
    };
    let ReturnType::Type(_, kind) = output else { return false };
    let Some(mut segment) = last(kind) else { return false };
    if let (true, PathArguments::AngleBracketed(of)) = (segment.ident == "Result", &segment.arguments)
        && let Some(GenericArgument::Type(inner)) = of.args.first()
        && let Some(inner) = last(inner)
    {
        segment = inner;
    }
    segment.ident == "Design"
}

struct NameLets;

impl VisitMut for NameLets {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut out = Vec::with_capacity(block.stmts.len());
        for stmt in std::mem::take(&mut block.stmts) {
            let mut names = vec![];
            if let Stmt::Local(local) = &stmt {
                let plain = local.init.as_ref().is_some_and(|init| init.diverge.is_none());
                if plain {
                    bound(&local.pat, &mut names);
                }
            }
            out.push(stmt);
            for name in names {
                let text = name.to_string();
                out.push(syn::parse_quote! {
                    {
                        #[allow(unused_imports)]
                        use ::hdl::naming::{ViaName as _, ViaNothing as _};
                        (&::hdl::naming::Tag(&#name)).let_name(#text);
                    }
                });
            }
        }
        block.stmts = out;
    }
    // items inside a function are not part of the module
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The names that a pattern binds.
fn bound(pattern: &Pat, names: &mut Vec<syn::Ident>) {
    match pattern {
        Pat::Ident(p) if p.by_ref.is_none() => names.push(p.ident.clone()),
        Pat::Type(p) => bound(&p.pat, names),
        Pat::Tuple(p) => p.elems.iter().for_each(|e| bound(e, names)),
        Pat::Struct(p) => p.fields.iter().for_each(|f| bound(&f.pat, names)),
        Pat::Slice(p) => p.elems.iter().for_each(|e| bound(e, names)),
        _ => {}
    }
}

/// Declares the ports of a module: see `hdl::ports!`.
#[proc_macro]
pub fn ports(item: TokenStream) -> TokenStream {
    parse_macro_input!(item as ports::Ports).expand().into()
}

/// Makes a struct of signals a bundle. `#[flip]` marks a field that runs against the others.
#[proc_macro_derive(Bundle, attributes(flip))]
pub fn bundle(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            _ => return error(&input, "a bundle has named fields"),
        },
        _ => return error(&input, "a bundle is a struct of signals"),
    };
    let names: Vec<_> = fields.iter().filter_map(|f| f.ident.clone()).collect();
    let texts: Vec<_> = names.iter().map(|n| n.to_string()).collect();
    let flips: Vec<bool> = fields.iter().map(|f| f.attrs.iter().any(|a| a.path().is_ident("flip"))).collect();
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        impl #impl_generics ::hdl::Bundle for #name #type_generics #where_clause {
            fn layouts(&self, f: &mut dyn FnMut(&str, ::hdl::naming::Layout)) {
                #(::hdl::Bundle::layouts(&self.#names, f);)*
            }
            fn each(&self, f: &mut dyn FnMut(&str, bool, ::hdl::Signal)) {
                #(::hdl::Bundle::each(&self.#names, &mut |path, flip, s| {
                    f(&::hdl::naming::path(#texts, path), flip != #flips, s)
                });)*
            }
            fn map(&self, f: &mut dyn FnMut(&str, bool, ::hdl::Signal) -> ::hdl::Signal) -> Self {
                Self { #(#names: ::hdl::Bundle::map(&self.#names, &mut |path, flip, s| {
                    f(&::hdl::naming::path(#texts, path), flip != #flips, s)
                })),* }
            }
            fn high_first(&self, f: &mut dyn FnMut(::hdl::Signal)) {
                #(::hdl::Bundle::high_first(&self.#names, f);)*
            }
        }
        impl #impl_generics ::hdl::naming::Nameable for #name #type_generics #where_clause {
            fn take_name(&self, name: &str) {
                #(::hdl::naming::Nameable::take_name(&self.#names, &::hdl::naming::path(name, #texts));)*
            }
        }
    }
    .into()
}

/// Makes an enum without fields a set of states.
///
/// `#[state(encoding = "one_hot")]` or `"gray"` chooses their codes (`"binary"`: their places in the enum), as numbers of the
/// variants do (`Load = 5`); `#[state(width = 7)]` the bits of codes that are numbers.
#[proc_macro_derive(State, attributes(state))]
pub fn state(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    state::expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Declares a tagged union: an enum whose variants have fields, with the shapes of those.
///
/// ```text
/// tagged! {
///     /// What a master asks for.
///     pub enum Command(address_bits: u32) {
///         Idle,
///         Read { address: Signal = bits(address_bits), tag: Signal = bits(4) },
///         Write { address: Signal = bits(address_bits), data: Signal = bits(64) },
///     }
/// }
/// ```
///
/// This makes the enum `Command`, its tag `CommandTag` (a state enum; `#[state(..)]` before the enum chooses its codes), the shape
/// `Command::shape(32)`, and for each variant with fields a function such as `Command::as_read(signal)`, which gives them.
#[proc_macro]
pub fn tagged(item: TokenStream) -> TokenStream {
    tagged::expand(parse_macro_input!(item as tagged::Union)).into()
}

fn error(input: &DeriveInput, message: &str) -> TokenStream {
    syn::Error::new_spanned(&input.ident, message).to_compile_error().into()
}
