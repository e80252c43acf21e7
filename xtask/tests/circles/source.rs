//! What a source file defines, hands on and names.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path as it is written, `crate::ir::Node`, in its names.
pub type Names = Vec<String>;

/// A source file.
pub struct Source {
    /// Where it lies.
    pub file: PathBuf,
    /// Its module, below the root of its crate.
    pub module: Names,
    /// Modules that lie in files of their own.
    pub children: BTreeSet<String>,
    /// What it defines.
    pub defined: BTreeSet<String>,
    /// Names that stand for a path, by `use`.
    pub aliases: BTreeMap<String, Names>,
    /// Modules of which all names are taken.
    pub globs: Vec<Names>,
    /// All paths that it names, but those that it only hands on.
    pub paths: Vec<Names>,
}

/// The names of a path that is written with `::`; none of the empty path.
pub fn segments(path: &str) -> Names {
    path.split("::").filter(|name| !name.is_empty()).map(Into::into).collect()
}

/// All files of the crate with this root, in the order of their modules' declarations.
pub fn read_crate(root: &Path) -> Vec<Source> {
    let mut found = vec![];
    read_below(root, &[], root.parent().expect("a root lies in a folder"), &mut found);
    found
}

/// Reads a file, and the modules below it, which lie in `folder`.
fn read_below(file: &Path, module: &[String], folder: &Path, found: &mut Vec<Source>) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let source = Source::parse(file, module, &text);
    let children = source.children.clone();
    found.push(source);
    for child in children {
        let below = folder.join(&child);
        let file = [folder.join(format!("{child}.rs")), below.join("mod.rs")].into_iter().find(|file| file.exists());
        let file = file.unwrap_or_else(|| panic!("{} has no file", below.display()));
        let module = [module, &[child]].concat();
        read_below(&file, &module, &below, found);
    }
}

impl Source {
    /// The file's text, taken apart.
    pub fn parse(file: &Path, module: &[String], text: &str) -> Source {
        let items = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display())).items;
        let mut source = Source {
            file: file.into(),
            module: module.into(),
            children: BTreeSet::new(),
            defined: BTreeSet::new(),
            aliases: BTreeMap::new(),
            globs: vec![],
            paths: vec![],
        };
        for item in items.iter().filter(|item| !is_for_tests(item)) {
            source.take(item);
        }
        source
    }

    fn take(&mut self, item: &syn::Item) {
        use syn::Item;
        let name = match item {
            Item::Use(item) => return self.take_use(item),
            Item::Mod(item) if item.content.is_none() => {
                self.children.insert(item.ident.to_string());
                return;
            }
            Item::Mod(item) => Some(&item.ident),
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            Item::Macro(item) => {
                self.defined.extend(types_in(item.mac.tokens.clone()));
                item.ident.as_ref()
            }
            _ => None,
        };
        self.defined.extend(name.map(ToString::to_string));
        named_in(item.to_token_stream(), &mut self.paths);
    }

    /// A `use`: what it makes known, and, unless others only find it here, what the file takes.
    fn take_use(&mut self, item: &syn::ItemUse) {
        let mut taken = vec![];
        self.take_tree(&item.tree, &mut vec![], &mut taken);
        if matches!(item.vis, syn::Visibility::Inherited) {
            self.paths.extend(taken);
        }
    }

    fn take_tree(&mut self, tree: &syn::UseTree, before: &mut Names, taken: &mut Vec<Names>) {
        let with = |name: &syn::Ident, before: &Names| match name.to_string() {
            name if name == "self" && !before.is_empty() => before.clone(),
            name => [before.as_slice(), &[name]].concat(),
        };
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.take_tree(&path.tree, before, taken);
                before.pop();
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.take_tree(tree, before, taken)),
            syn::UseTree::Glob(_) => self.globs.push(before.clone()),
            syn::UseTree::Name(name) => {
                let path = with(&name.ident, before);
                self.aliases.insert(path.last().cloned().unwrap_or_default(), path.clone());
                taken.push(path);
            }
            syn::UseTree::Rename(rename) => {
                let path = with(&rename.ident, before);
                self.aliases.insert(rename.rename.to_string(), path.clone());
                taken.push(path);
            }
        }
    }
}

/// Whether an item is compiled for tests alone.
fn is_for_tests(item: &syn::Item) -> bool {
    let text = item.to_token_stream().to_string();
    let attributes =
        text.split_once(" mod ").or(text.split_once(" use ")).or(text.split_once(" fn ")).map(|(before, _)| before);
    attributes.is_some_and(|before| before.contains("cfg (test)") || before.contains("cfg (doctest)"))
}

/// The types that a macro is given to define: what stands behind `struct` and `enum`.
fn types_in(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is_type = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if name == "struct" || name == "enum");
    tokens.windows(2).filter(|pair| is_type(&pair[0])).map(|pair| pair[1].to_string()).collect()
}

/// All paths of two names and more, also those in macros and in the lists of a `use` inside of functions.
fn named_in(tokens: TokenStream, found: &mut Vec<Names>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(_) => at = path_at(&tokens, at, &[], found),
            TokenTree::Group(group) => {
                named_in(group.stream(), found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Reads a path that begins at a name, behind what stands before a list; returns where it ends.
fn path_at(tokens: &[TokenTree], mut at: usize, before: &[String], found: &mut Vec<Names>) -> usize {
    let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    let mut path = before.to_vec();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => path.push(name.to_string()),
            Some(TokenTree::Group(list)) if !path.is_empty() => {
                let inner: Vec<_> = list.stream().into_iter().collect();
                for (at, token) in inner.iter().enumerate() {
                    let first = at == 0 || matches!(&inner[at - 1], TokenTree::Punct(mark) if mark.as_char() == ',');
                    if first && matches!(token, TokenTree::Ident(_)) {
                        path_at(&inner, at, &path, found);
                    }
                }
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        if !(is_colon(at) && is_colon(at + 1)) {
            break;
        }
        at += 2;
    }
    if path.len() > 1 {
        found.push(path);
    }
    at
}
