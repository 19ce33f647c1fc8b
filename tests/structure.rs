//! Rules for the structure of the code: no import cycles between the files of a crate, and no type with too many public
//! methods.
//!
//! Each rule is a plain function over parsed sources. Each has a control, sources with a fault that must be found, so that no
//! rule passes because it checks nothing. The dependencies of crates and the contents of the tree are checked in `rules.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, ItemImpl, ItemMod, ItemUse, Type, UseTree, Visibility};

use crate::harness::root;

/// Maximum number of public methods of a type. A type with more covers several subjects, each of which gets its own handle
/// (`store/src/areas.rs`).
const PUBLIC_METHODS_MAX: usize = 40;

/// A module's path from the crate's root; empty for the root itself.
type ModulePath = Vec<String>;

/// The parsed files of a crate, by module.
struct Sources(BTreeMap<ModulePath, syn::File>);

impl Sources {
    fn read(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(within) = folders.pop() {
            for entry in std::fs::read_dir(&within).expect("a crate's sources can be read") {
                let path = entry.expect("a folder lists its entries").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let relative = path.strip_prefix(folder).expect("below the crate").with_extension("");
                    let mut module: ModulePath =
                        relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
                    if module.first().is_some_and(|first| first == "bin") {
                        continue; // A program of its own.
                    }
                    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
                        module.pop();
                    }
                    let text = std::fs::read_to_string(&path).expect("a source file is text");
                    files.insert(module, syn::parse_file(&text).expect("a source file is Rust"));
                }
            }
        }
        Self(files)
    }

    fn of(texts: &[(&str, &str)]) -> Self {
        let module = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self(texts.iter().map(|(path, text)| (module(path), syn::parse_file(text).expect("Rust"))).collect())
    }

    /// The file that a path from the crate's root refers to.
    fn file_of(&self, path: &[String]) -> ModulePath {
        (0..=path.len()).rev().map(|end| path[..end].to_vec()).find(|path| self.0.contains_key(path)).unwrap_or_default()
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}

/// Collects the paths that begin with `crate` or `super`, outside of tests, as paths from the crate's root.
struct Paths<'m> {
    module: &'m [String],
    found: Vec<ModulePath>,
}

impl Paths<'_> {
    fn add(&mut self, path: &[String]) {
        match path.first().map(String::as_str) {
            Some("crate") => self.found.push(path[1..].to_vec()),
            Some("super") => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let base = &self.module[..self.module.len().saturating_sub(ups)];
                self.found.push([base, &path[ups..]].concat());
            }
            _ => {}
        }
    }

    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.add(&with(&name.ident)),
            UseTree::Rename(name) => self.add(&with(&name.ident)),
            UseTree::Glob(_) => self.add(before),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.add_tree(&[], &item.tree);
        }
    }

    /// `pub(super)` says who may use an item, and uses nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(&path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>());
        visit::visit_path(self, path);
    }
}

/// The files that each file uses. Its own submodules do not count, because a folder's main file gathers what is in the folder.
fn imports(sources: &Sources) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
    let used_by = |(module, file): (&ModulePath, &syn::File)| {
        let mut paths = Paths { module, found: Vec::new() };
        if !is_test(&file.attrs) {
            paths.visit_file(file);
        }
        let used = paths.found.iter().map(|path| sources.file_of(path)).filter(|used| !used.starts_with(module)).collect();
        (module.clone(), used)
    };
    sources.0.iter().map(used_by).collect()
}

/// Groups of files that all lead to each other, as their names.
fn circles(sources: &Sources) -> Vec<String> {
    let imports = imports(sources);
    let reachable = |from: &ModulePath| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            open.extend(imports[module].iter().filter(|next| seen.insert((*next).clone())));
        }
        seen
    };
    let reach: BTreeMap<&ModulePath, BTreeSet<ModulePath>> = imports.keys().map(|module| (module, reachable(module))).collect();
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    for (module, reached) in &reach {
        if reached.contains(*module) {
            groups.insert(reached.iter().filter(|other| reach[other].contains(*module)).map(|other| other.join("/")).collect());
        }
    }
    groups.into_iter().map(|group| group.join(" ↔ ")).collect()
}

/// The types with more public methods than allowed.
fn crowded(sources: &Sources) -> Vec<String> {
    struct Methods(BTreeMap<String, usize>);
    impl<'ast> Visit<'ast> for Methods {
        fn visit_item_mod(&mut self, item: &'ast ItemMod) {
            if !is_test(&item.attrs) {
                visit::visit_item_mod(self, item);
            }
        }

        fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
            if let (None, Type::Path(of)) = (&item.trait_, &*item.self_ty) {
                let is_public =
                    |item: &ImplItem| matches!(item, ImplItem::Fn(method) if matches!(method.vis, Visibility::Public(_)));
                let name = of.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                *self.0.entry(name).or_default() += item.items.iter().filter(|item| is_public(item)).count();
            }
        }
    }
    let mut methods = Methods(BTreeMap::new());
    sources.0.values().for_each(|file| methods.visit_file(file));
    methods
        .0
        .into_iter()
        .filter(|(_, count)| *count > PUBLIC_METHODS_MAX)
        .map(|(name, count)| format!("{name}: {count}"))
        .collect()
}

/// The faults of all crates, each with the crate's name.
fn faults_of_tree(rule: fn(&Sources) -> Vec<String>) -> Vec<String> {
    let crates = root().join("src-tauri/crates");
    let mut names: Vec<String> = std::fs::read_dir(&crates)
        .expect("the crates are there")
        .map(|entry| entry.expect("a folder lists its entries").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 10, "the crates were found");
    let faults_of = |name: &String| {
        let faults = rule(&Sources::read(&crates.join(name).join("src")));
        faults.into_iter().map(|fault| format!("{name}: {fault}")).collect::<Vec<_>>()
    };
    names.iter().flat_map(faults_of).collect()
}

#[test]
fn no_files_of_a_crate_import_each_other() {
    let check = |texts: &[(&str, &str)], expect: &[&str], why: &str| {
        assert_eq!(circles(&Sources::of(texts)), expect, "control: {why}");
    };
    check(&[("a", "use crate::b::B;"), ("b", "fn f(x: crate::a::A) {}")], &["a ↔ b"], "one in a use, one in a type");
    check(&[("a", "use super::c::{C, D};"), ("b", "use crate::a;"), ("c", "use crate::{b::B};")], &["a ↔ b ↔ c"], "three files");
    check(&[("a", "use crate::b::B;"), ("b", "use crate::c;"), ("c", "")], &[], "one way");
    check(&[("a", "mod x; pub use x::X;"), ("a/x", "use super::A;")], &[], "a folder's file gathers what is in the folder");
    check(&[("a", "use crate::b::B;"), ("a/x", "pub(super) fn f() {}"), ("b", "use crate::a::x::f;")], &[], "who may use it");
    check(&[("a/x", "use crate::b;"), ("b", "use crate::a::x::X;")], &["a/x ↔ b"], "in a folder");
    check(&[("a", "use crate::b;"), ("b", "#[cfg(test)] mod tests { use crate::a; }")], &[], "a test may use what it tests");

    let faults = faults_of_tree(circles);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_type_has_too_many_public_methods() {
    let methods =
        |count: usize, visibility: &str| (0..count).map(|n| format!("{visibility} fn f{n}(&self) {{}}\n")).collect::<String>();
    let check = |public: usize, private: usize, expect: &[&str]| {
        let halves = [methods(public / 2, "pub"), methods(public - public / 2, "pub") + &methods(private, "pub(crate)")];
        let text = halves.map(|half| format!("impl Crowd<'_> {{ {half} }}"));
        assert_eq!(crowded(&Sources::of(&[("a", &text[0]), ("b", &text[1])])), expect, "control");
    };
    check(PUBLIC_METHODS_MAX + 1, 0, &[&format!("Crowd: {}", PUBLIC_METHODS_MAX + 1)]);
    check(PUBLIC_METHODS_MAX, 30, &[]);

    let faults = faults_of_tree(crowded);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
