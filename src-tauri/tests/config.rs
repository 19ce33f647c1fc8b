//! Holds tauri.conf.json, the capabilities and the manifest to the stance of the security review: the page is presumed
//! hostile, since imported conversations are.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn config() -> Value {
    serde_json::from_str(&read(&root().join("tauri.conf.json"))).unwrap()
}

/// The value at a JSON pointer must be exactly this; absent counts as null, which is Tauri's safe default for none of them.
fn check(pointer: &str, expect: Value, why: &str) {
    assert_eq!(config().pointer(pointer).cloned().unwrap_or_default(), expect, "{pointer}: {why}");
}

#[test]
fn the_content_security_policy_is_exactly_this() {
    let policy = json!({
        "default-src": "'self'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "ipc: http://ipc.localhost",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "worker-src": "'none'",
    });
    check("/app/security/csp", policy, "no remote origin; a remote image would carry data out");
    check("/app/security/devCsp", Value::Null, "development has the same policy");
    check("/app/security/dangerousDisableAssetCspModification", json!(false), "Tauri adds hashes of our own scripts");
}

#[test]
fn doors_that_the_shell_does_not_need_are_shut() {
    check("/app/security/freezePrototype", json!(true), "against prototype pollution");
    check("/app/withGlobalTauri", json!(false), "no API on `window`");
    check("/app/security/assetProtocol", json!({ "enable": false, "scope": [] }), "the page reads no files");
    check("/app/security/capabilities", json!(["main"]), "named one by one: a new file grants nothing by lying there");
    check("/app/security/pattern", Value::Null, "the default, decided in the security review");
    check("/build/removeUnusedCommands", json!(true), "plugin commands nobody may call are not compiled in");
    check("/build/frontendDist", json!("../ui/dist"), "the page comes from inside the program");
    check("/build/devUrl", Value::Null, "never from a server");
    check("/plugins", Value::Null, "no plugin is configured from outside the code");
    let cargo = read(&root().join("../.cargo/config.toml"));
    assert!(cargo.contains("REMOVE_UNUSED_COMMANDS"), "cargo, too, must hear of removeUnusedCommands");
}

#[test]
fn there_is_one_window_made_by_the_shell() {
    let config = config();
    let windows = config["app"]["windows"].as_array().unwrap();
    assert_eq!(windows.len(), 1);
    let window = &windows[0];
    assert_eq!(window["label"], "main");
    assert_eq!(window["create"], false, "the shell makes it, with its guards against navigation");
    assert_eq!(window["visible"], false, "it shows when it has painted");
    assert_eq!(window.get("url"), None, "only our own page");
    assert_eq!(window.get("devtools"), None, "inspection is a matter of debug builds");
    let size = ["width", "height", "minWidth", "minHeight"].map(|name| window[name].as_u64().unwrap());
    assert_eq!(size, [1280, 800, 960, 600]);
}

#[test]
fn the_one_capability_grants_asking_and_hearing_and_none_of_tauris_events() {
    let files: Vec<_> = std::fs::read_dir(root().join("capabilities")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files, [root().join("capabilities/main.json")], "one capability");
    let capability: Value = serde_json::from_str(&read(&files[0])).unwrap();
    let fields: BTreeSet<&str> = capability.as_object().unwrap().keys().map(String::as_str).collect();
    let known = ["identifier", "description", "local", "windows", "permissions"];
    assert_eq!(fields, BTreeSet::from(known), "no `remote`, no `webviews`, no `platforms`");
    assert_eq!(capability["local"], true);
    assert_eq!(capability["windows"], json!(["main"]), "no wildcard");
    // `core:event` would let the page hear `tauri://drag-drop`, which names the paths of dropped files.
    let permissions = json!(["allow-rpc", "allow-listen"]);
    assert_eq!(capability["permissions"], permissions, "every further permission needs its reason here");
}

#[test]
fn exactly_two_commands_exist() {
    let commands = std::fs::read_dir(root().join("src")).unwrap().map(|file| read(&file.unwrap().path()));
    let count: usize = commands.map(|source| source.matches("#[tauri::command]").count()).sum();
    assert_eq!(count, 2, "`rpc` is the only way in, `listen` the only way out");
    assert!(read(&root().join("build.rs")).contains(r#".commands(&["rpc", "listen"])"#), "and the build declares them");
}

#[test]
fn dependencies_open_no_further_door() {
    let manifest = read(&root().join("Cargo.toml"));
    for plugin in ["fs", "shell", "http", "opener", "upload", "websocket", "process", "localhost"] {
        assert!(!manifest.contains(&format!("tauri-plugin-{plugin}")), "the page must not reach {plugin}");
    }
    for feature in ["devtools", "protocol-asset", "unsafe-headers", "isolation"] {
        assert!(!manifest.contains(&format!("\"{feature}\"")), "the feature {feature} must stay off in release");
    }
    let lock = read(&root().join("../Cargo.lock"));
    let mut entries = lock.split("[[package]]");
    let tauri = entries.find(|entry| entry.contains("name = \"tauri\"\n")).unwrap();
    let version = tauri.lines().find_map(|line| line.strip_prefix("version = ")).unwrap().trim_matches('"');
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap());
    let (major, minor) = (parts.next().unwrap(), parts.next().unwrap());
    assert!(major == 2 && minor >= 12, "tauri {version}: below 2.11.1 a remote page can pass for ours (CVE-2026-42184)");
}
