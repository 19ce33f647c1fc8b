//! Rules for the repository: which crates may depend on each other, and what the source tree may contain.
//!
//! Each rule is a plain function that returns the faults in its input. Each rule has a control, an input with a fault that must
//! be found, so that no rule passes because it checks nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::root;

const OURS: &str = "keepsake-";

/// The workspace crates that each crate may use (docs/sources.md#design-layout). A new dependency must first be added here and
/// justified there.
const MAY_USE: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("text", &[]),
    ("prompt", &["domain"]),
    ("capture", &["domain", "text", "prompt"]),
    ("insight", &["domain", "text", "prompt"]),
    ("people", &["domain", "text", "prompt"]),
    ("retrieval", &["domain", "text"]),
    ("importers", &["domain"]),
    ("connectors", &["domain", "importers"]),
    ("store", &["domain"]),
    ("models", &["domain", "prompt"]),
    (
        "engine",
        &["domain", "text", "prompt", "capture", "insight", "people", "retrieval", "importers", "connectors", "store", "models"],
    ),
    ("connect", &["domain"]),
    (
        "api",
        &[
            "domain", "connect", "prompt", "capture", "insight", "people", "retrieval", "importers", "connectors", "store",
            "models", "engine",
        ],
    ),
    ("router", &["domain", "models", "engine", "api"]),
    (
        "server",
        &[
            "domain", "prompt", "capture", "insight", "people", "retrieval", "importers", "connectors", "store", "models",
            "engine", "connect", "api", "router",
        ],
    ),
    ("app", &["domain", "models", "engine", "api", "server"]),
    ("testkit", &["domain"]),
    (
        "tests",
        &[
            "domain", "prompt", "capture", "insight", "people", "retrieval", "importers", "connectors", "store", "models",
            "engine", "api", "testkit",
        ],
    ),
];

const PURE: [&str; 7] = ["domain", "text", "prompt", "capture", "insight", "people", "retrieval"];

/// Dependencies that a pure crate must not have: runtimes, storage, networks, windows, clocks and randomness.
const IMPURE: [&str; 10] =
    ["tokio", "rusqlite", "reqwest", "tauri", "axum", "fastembed", "ort", "getrandom", "tracing-subscriber", "tempfile"];

/// The faults of a workspace as described by `cargo metadata`. Development dependencies are not checked, because they are not
/// part of the product.
fn dependency_faults(metadata: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let rules: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    for (name, _) in MAY_USE {
        if !packages.iter().any(|package| package["name"] == format!("{OURS}{name}")) {
            faults.push(format!("{name} is not in the workspace"));
        }
    }
    for package in packages {
        let full_name = package["name"].as_str().unwrap_or_default();
        let name = full_name.strip_prefix(OURS).unwrap_or(full_name);
        let Some(may_use) = rules.get(name) else {
            faults.push(format!("{full_name} is a crate that the design does not know"));
            continue;
        };
        for dependency in package["dependencies"].as_array().map_or(&[][..], Vec::as_slice) {
            let used = dependency["name"].as_str().unwrap_or_default();
            let is_product = dependency["kind"].is_null() || dependency["kind"] == "build";
            if let Some(ours) = used.strip_prefix(OURS) {
                let is_test_help = !is_product && (ours == "testkit" || ours == name);
                if !may_use.contains(&ours) && !is_test_help {
                    faults.push(format!("{name} uses {ours}"));
                }
            } else if is_product && PURE.contains(&name) && is_impure(used) {
                faults.push(format!("{name} is pure and uses {used}"));
            }
            if name != "app" && is_tauri(used) {
                faults.push(format!("{name} uses {used}; only the shell names Tauri"));
            }
        }
    }
    faults
}

fn is_tauri(package: &str) -> bool {
    ["tauri", "wry", "tao", "webkit2gtk", "gtk"].contains(&package) || package.starts_with("tauri-")
}

fn is_impure(package: &str) -> bool {
    is_tauri(package) || IMPURE.iter().any(|impure| package == *impure || package.starts_with(&format!("{impure}-")))
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

#[test]
fn crates_depend_only_downwards() {
    assert_eq!(dependency_faults(&metadata()), Vec::<String>::new());
}

#[test]
fn the_dependency_rule_finds_what_breaks_it() {
    let check = |package: &str, dependency: Value, fault: &str| {
        let mut doctored = metadata();
        let packages = doctored["packages"].as_array_mut().unwrap();
        let package = packages.iter_mut().find(|found| found["name"] == package).unwrap();
        package["dependencies"].as_array_mut().unwrap().push(dependency);
        assert_eq!(dependency_faults(&doctored), [fault.to_owned()]);
    };
    check("keepsake-domain", json!({"name": "tokio", "kind": null}), "domain is pure and uses tokio");
    check("keepsake-capture", json!({"name": "rusqlite", "kind": null}), "capture is pure and uses rusqlite");
    check("keepsake-people", json!({"name": "reqwest", "kind": "build"}), "people is pure and uses reqwest");
    check("keepsake-capture", json!({"name": "keepsake-insight", "kind": null}), "capture uses insight");
    check("keepsake-capture", json!({"name": "keepsake-insight", "kind": "dev"}), "capture uses insight");
    check("keepsake-store", json!({"name": "keepsake-engine", "kind": null}), "store uses engine");
    check("keepsake-engine", json!({"name": "keepsake-api", "kind": null}), "engine uses api");
    check("keepsake-api", json!({"name": "keepsake-testkit", "kind": null}), "api uses testkit");
    let tauri = json!({"name": "tauri-plugin-dialog", "kind": null});
    check("keepsake-server", tauri, "server uses tauri-plugin-dialog; only the shell names Tauri");
    let mut doctored = metadata();
    doctored["packages"].as_array_mut().unwrap().push(json!({"name": "keepsake-misc", "dependencies": []}));
    assert_eq!(dependency_faults(&doctored), ["keepsake-misc is a crate that the design does not know"]);
    assert_eq!(dependency_faults(&json!({})).len(), MAY_USE.len(), "an empty answer is no pass");
    let unharmed = json!({"name": "keepsake-testkit", "kind": "dev"});
    let mut allowed = metadata();
    let packages = allowed["packages"].as_array_mut().unwrap();
    let store = packages.iter_mut().find(|found| found["name"] == "keepsake-store").unwrap();
    store["dependencies"].as_array_mut().unwrap().push(unharmed);
    assert_eq!(dependency_faults(&allowed), Vec::<String>::new(), "tests may use the test kit");
}

/// A file in the tree: its path from the root, and its content if it is text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn has_extension(&self, extensions: &[&str]) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension))
    }
}

/// Folders that are generated or contain third-party files.
const NOT_SOURCE: [&str; 11] = [
    ".git", "target", ".cache", "node_modules", "dist", "dist-fake", "gen", "autogenerated", "e2e-artifacts", "__pycache__",
    "proptest-regressions",
];

/// The tree as it is on disk, so that a copy without its history is checked in the same way.
fn tree() -> Vec<Source> {
    let mut sources = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the source tree can be read") {
            let path = entry.expect("a folder lists its entries").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if NOT_SOURCE.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read(&path).map(|bytes| String::from_utf8(bytes).unwrap_or_default()).unwrap_or_default();
                let path = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
                sources.push(Source { path, text });
            }
        }
    }
    assert!(sources.len() > 200, "the tree was found");
    sources
}

/// A rule, which returns the fault of a file if it has one.
type Rule = fn(&Source) -> Option<String>;

fn hold(rule: Rule, good: &[Source], bad: &[Source]) {
    for source in bad {
        assert!(rule(source).is_some(), "control: {} must be found faulty: {:?}", source.path, source.text);
    }
    for source in good {
        assert_eq!(rule(source), None, "control: {} is fine: {:?}", source.path, source.text);
    }
    let faults: Vec<String> = tree().iter().filter_map(|source| Some(format!("{}: {}", source.path, rule(source)?))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_module_says_why_it_exists() {
    let rule: Rule = |source| {
        let is_silent = source.has_extension(&["rs"]) && !source.text.starts_with("//!");
        is_silent.then(|| "the module does not open with //!".to_owned())
    };
    hold(
        rule,
        &[Source::new("a.rs", "//! Why.\nfn f() {}"), Source::new("a.ts", "export {}")],
        &[Source::new("a.rs", "fn f() {}"), Source::new("b.rs", "")],
    );
}

/// Maximum number of lines per file. A longer file covers several subjects.
const FILE_LINES_MAX: usize = 900;

#[test]
fn no_file_is_too_long_to_read() {
    let rule: Rule = |source| {
        let lines = source.text.lines().count();
        let is_code =
            source.has_extension(&["rs", "ts", "tsx", "mjs", "py", "sh", "sql", "css"]) && !source.path.ends_with("/schema.ts");
        (is_code && lines > FILE_LINES_MAX).then(|| format!("{lines} lines"))
    };
    let long = "x\n".repeat(FILE_LINES_MAX + 1);
    hold(rule, &[Source::new("a.rs", &long[2..]), Source::new("fixture.json", &long)], &[Source::new("a.rs", &long)]);
}

#[test]
fn nothing_is_left_undone() {
    // Assembled here, so that this file does not contain them.
    let rule: Rule = |source| {
        let words = [
            concat!("todo", "!("),
            concat!("unimplemented", "!("),
            concat!("#[", "ignore"),
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("it", ".skip("),
            concat!("test", ".skip("),
            concat!("describe", ".skip("),
            concat!("it", ".only("),
            concat!("test", ".only("),
        ];
        if !source.has_extension(&["rs", "ts", "tsx", "mjs", "py", "sh", "toml"]) {
            return None;
        }
        words.iter().find(|word| source.text.contains(**word)).map(|word| format!("holds {word}"))
    };
    hold(
        rule,
        &[Source::new("a.rs", "// nothing to do"), Source::new("a.md", concat!("TO", "DO"))],
        &[
            Source::new("a.rs", concat!("fn f() { todo", "!() }")),
            Source::new("a.rs", concat!("#[", "ignore = \"slow\"]")),
            Source::new("a.test.ts", concat!("test", ".skip('x')")),
        ],
    );
}

#[test]
fn a_stored_text_is_read_in_one_way_which_does_not_quote_it() {
    // `serde_json` quotes the value that does not fit, which may be part of a stored message. The engine's errors avoid this by
    // themselves (`EngineError::Stored`); the store's are created in `store/src/text.rs`.
    let rule: Rule = |source| {
        let packed: String = source.text.split_whitespace().collect();
        let quotes = packed.match_indices("StoreError::Corrupt{").any(|(at, _)| {
            let rest = &packed[at..];
            rest[..rest.find('}').unwrap_or(rest.len())].contains("error.to_string()")
        });
        (source.path.contains("/crates/") && source.path.ends_with(".rs") && quotes)
            .then(|| "puts the words of another error into StoreError::Corrupt; use keepsake_store::parse_json".to_owned())
    };
    hold(
        rule,
        &[
            Source::new("src-tauri/crates/a.rs", "parse_json(\"tone\", json)?"),
            Source::new("src-tauri/crates/a.rs", "StoreError::Corrupt { what, detail } => error.to_string()"),
        ],
        &[Source::new("src-tauri/crates/a.rs", "StoreError::Corrupt {\n    what,\n    detail: error.to_string(),\n}")],
    );
}

#[test]
fn no_package_registry_is_named() {
    let rule: Rule = |source| {
        let hosts = [
            concat!("crates", ".io"),
            concat!("npmjs", ".org"),
            concat!("npmjs", ".com"),
            concat!("pypi", ".org"),
            concat!("pythonhosted", ".org"),
            concat!("yarnpkg", ".com"),
            concat!("proxy.golang", ".org"),
            concat!("deb.debian", ".org"),
        ];
        // Cargo itself writes one of the names for its index into its lock file.
        if source.path == "Cargo.lock" {
            return None;
        }
        hosts.iter().find(|host| source.text.contains(**host)).map(|host| format!("names {host}"))
    };
    hold(
        rule,
        &[Source::new("Makefile", "npm --prefix ui install")],
        &[Source::new("ui/.npmrc", concat!("registry=https://", "registry.", "npmjs", ".org/"))],
    );
}

/// The entries that docs/sources.md#design-layout lists, and configuration files of tools.
const TOP_LEVEL: [&str; 19] = [
    "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "deny.toml", "Makefile", "README.md", "CONTRIBUTING.md", "SECURITY.md",
    ".github", "icons", "migrations", "src-tauri", "tests", "ui", ".ci", ".cargo", ".gitignore", ".clippy.toml", ".rustfmt.toml",
];

#[test]
fn the_top_level_holds_only_what_the_design_names() {
    let rule: Rule = |source| {
        let top = source.path.split('/').next().unwrap_or_default();
        (!TOP_LEVEL.contains(&top) && !top.starts_with("LICENSE")).then(|| "the design does not name it".to_owned())
    };
    hold(rule, &[Source::new("ui/src/main.tsx", "")], &[Source::new("notes.txt", ""), Source::new("crates/x.rs", "")]);
}

#[test]
fn every_name_can_be_checked_out_on_every_system() {
    let rule: Rule = |source| {
        let is_plain = |c: char| c.is_ascii_graphic() && !"<>:\"\\|?*".contains(c) || c == ' ';
        (!source.path.chars().all(is_plain)).then(|| "has a name that some systems cannot have".to_owned())
    };
    let faulty = ["tests/fixtures/FC:F0PLAN/a.json", "tests/fixtures/gr\u{f6}\u{df}e.json"].map(|path| Source::new(path, ""));
    hold(rule, &[Source::new("tests/fixtures/gr%C3%B6%C3%9Fe - 1.json", "")], &faulty);
}

#[test]
fn the_page_speaks_to_tauri_in_one_folder() {
    let rule: Rule = |source| {
        let is_elsewhere = source.path.starts_with("ui/src/") && !source.path.starts_with("ui/src/platform/");
        (is_elsewhere && source.text.contains("@tauri-apps")).then(|| "imports @tauri-apps outside ui/src/platform".to_owned())
    };
    let line = "import { invoke } from '@tauri-apps/api/core';";
    hold(rule, &[Source::new("ui/src/platform/tauri.ts", line)], &[Source::new("ui/src/panels/review/Review.tsx", line)]);
}

#[test]
fn migrations_are_numbered_without_a_gap() {
    /// The schema has this version; each later file is the step to the next one.
    const SCHEMA_VERSION: usize = 41;

    fn faults(names: &[String]) -> Vec<String> {
        let first = ["schema", "upgrade"];
        let missing =
            first.iter().filter(|name| !names.iter().any(|found| found == *name)).map(|name| format!("{name} is missing"));
        let mut faults: Vec<String> = missing.collect();
        let later = names.iter().filter(|name| !first.contains(&name.as_str()));
        for (number, name) in (SCHEMA_VERSION + 1..).zip(later) {
            let noun = name.strip_prefix(&format!("{number:04}_")).and_then(|rest| rest.strip_suffix(".sql"));
            let is_noun = noun.is_some_and(|noun| !noun.is_empty() && noun.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
            if !is_noun {
                faults.push(format!("{name} should be {number:04}_<noun>.sql"));
            }
        }
        faults
    }
    let names = |later: &[&str]| {
        let all = later.iter().chain(&["schema", "upgrade"]);
        all.map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(faults(&names(&[])), Vec::<String>::new(), "control");
    assert_eq!(faults(&names(&["0042_a.sql", "0043_two_words.sql"])), Vec::<String>::new(), "control");
    assert_eq!(faults(&[]).len(), 2, "control: no schema and no upgrade");
    for bad in [&["42_a.sql"][..], &["0042_a.sql", "0044_b.sql"], &["0042_A.sql"], &["0042_.sql"], &["0042_a.sql", "notes.md"]] {
        assert!(!faults(&names(bad)).is_empty(), "control: {bad:?}");
    }
    let mut found: Vec<String> = std::fs::read_dir(root().join("migrations"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert!(!found.is_empty());
    assert_eq!(faults(&found), Vec::<String>::new());
}

#[test]
fn the_page_knows_every_command_and_no_other() {
    fn faults(commands: &[&str], schema: &str) -> Vec<String> {
        let table =
            schema.split_once("export interface RpcSchema {").map_or("", |(_, rest)| rest.split('}').next().unwrap_or(""));
        let known: Vec<&str> = table.lines().filter_map(|line| Some(line.trim().split_once(": [")?.0)).collect();
        let missing = commands.iter().filter(|command| !known.contains(command)).map(|command| format!("{command} is missing"));
        let unknown = known.iter().filter(|name| !commands.contains(name)).map(|name| format!("{name} is no command"));
        missing.chain(unknown).collect()
    }
    let schema = "export interface RpcSchema {\n  search: [A, B];\n  undo: [C, D];\n}\n";
    assert_eq!(faults(&["search", "undo"], schema), Vec::<String>::new(), "control");
    assert_eq!(faults(&["search", "undo", "erase"], schema), ["erase is missing"], "control");
    assert_eq!(faults(&["search"], schema), ["undo is no command"], "control");
    assert_eq!(faults(keepsake_api::COMMANDS, &keepsake_api::schema_ts()), Vec::<String>::new());
}

/// Names in a list that have no text in the window's strings, so they would be shown as they are stored.
fn unnamed<'n>(strings: &str, list: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let open = strings.find(&format!("{list}: {{")).unwrap_or(strings.len());
    let block = strings[open..].split('}').next().unwrap_or_default();
    let has = |name: &str| {
        block.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name) && block.contains(&format!("{name}: "))
    };
    names.into_iter().filter(|name| !has(name)).map(str::to_owned).collect()
}

#[test]
fn everything_that_activity_lists_has_words_in_the_window() {
    let strings = std::fs::read_to_string(root().join("ui/src/strings/en.activity.ts")).unwrap();
    let jobs = || keepsake_domain::JobKind::ALL.iter().map(|kind| kind.name());
    let states = || keepsake_domain::JobState::ALL.iter().map(|state| state.name());
    let gates = || keepsake_domain::Gate::ALL.iter().map(|gate| gate.name());
    assert_eq!(unnamed(&strings, "jobKind", jobs()), Vec::<String>::new());
    assert_eq!(unnamed(&strings, "jobState", states()), Vec::<String>::new());
    assert_eq!(unnamed(&strings, "gateName", gates()), Vec::<String>::new());
    // The kinds of alerts that the engine raises.
    assert_eq!(
        unnamed(
            &strings,
            "alertKind",
            ["job_failed", "model_dropped", "model_refused", "file_skipped", "chain_broken", "schema_changed"]
        ),
        Vec::<String>::new()
    );
    let without = strings.replace("extract_model: ", "other: ");
    assert_eq!(unnamed(&without, "jobKind", jobs()), ["extract_model"], "control: a missing name is found");
}

#[test]
fn everything_that_is_known_of_people_has_words_in_the_window() {
    let read = |name: &str| std::fs::read_to_string(root().join("ui/src/strings").join(name)).unwrap();
    let types = || keepsake_domain::ProfileType::ALL.iter().map(|kind| kind.name());
    let confidences = keepsake_domain::ProfileConfidence::ALL.iter().map(|confidence| confidence.name());
    let statuses = keepsake_domain::GapStatus::ALL.iter().map(|status| status.name());
    let conversation_statuses = keepsake_domain::ConversationStatus::ALL.iter().map(|status| status.name());
    assert_eq!(unnamed(&read("en.profile.ts"), "types", types()), Vec::<String>::new());
    assert_eq!(unnamed(&read("en.profile.ts"), "confidence", confidences), Vec::<String>::new());
    assert_eq!(unnamed(&read("en.gaps.ts"), "states", statuses), Vec::<String>::new());
    assert_eq!(unnamed(&read("en.conversationStatus.ts"), "status", conversation_statuses), Vec::<String>::new());
    let without = read("en.profile.ts").replace("gaps: ", "other: ");
    assert_eq!(unnamed(&without, "types", types()), ["gaps"], "control: a missing name is found");
}
