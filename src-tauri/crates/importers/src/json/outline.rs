//! The paths of the keys at the beginning of a JSON file, such as `messages[].from_id`. They identify the format of the file.
//!
//! Text inside a string, such as a quoted export, gives no path.

use std::collections::HashSet;

/// Maximum depth of the paths. The deepest path that identifies a format has five levels.
const DEPTH_MAX: usize = 8;

/// Maximum number of paths. A file of one of the known formats has a few hundred.
const PATHS_MAX: usize = 5_000;

/// Maximum length of a key in bytes. Objects keyed by id have longer keys, which identify nothing.
const KEY_BYTES_MAX: usize = 48;

/// The paths of the keys in the first part of a JSON file. Array elements are written as `[]`, and in a file with one object
/// per line, all objects share their paths.
#[derive(Debug, Default)]
pub(crate) struct Outline(HashSet<String>);

impl Outline {
    /// Reads `head`, which may end anywhere.
    pub(crate) fn of(head: &[u8]) -> Self {
        let mut found = HashSet::new();
        // The path of each open container, and whether it is an array.
        let mut open: Vec<(String, bool)> = Vec::new();
        let mut key: Option<&[u8]> = None;
        let mut string: Option<&[u8]> = None;
        let mut at = 0;
        while at < head.len() && found.len() < PATHS_MAX {
            match head[at] {
                b'"' => {
                    let Some(len) = string_len(&head[at + 1..]) else { break };
                    string = Some(&head[at + 1..at + 1 + len]);
                    at += len + 1;
                }
                b':' if open.last().is_some_and(|(_, is_array)| !is_array) => {
                    key = string.take();
                    if let (Some((path, _)), Some(name)) = (open.last(), key)
                        && open.len() <= DEPTH_MAX
                        && name.len() <= KEY_BYTES_MAX
                    {
                        found.insert(joined(path, name));
                    }
                }
                b'{' | b'[' => {
                    let path = match open.last() {
                        // A hostile file may nest without end, and the size of its paths would grow with the square of its
                        // depth.
                        _ if open.len() >= DEPTH_MAX => String::new(),
                        None => String::new(),
                        Some((path, true)) => format!("{path}[]"),
                        Some((path, false)) => joined(path, key.take().filter(|key| key.len() <= KEY_BYTES_MAX).unwrap_or(b"*")),
                    };
                    open.push((path, head[at] == b'['));
                }
                b'}' | b']' => {
                    open.pop();
                }
                b',' => (key, string) = (None, None),
                _ => {}
            }
            at += 1;
        }
        Self(found)
    }

    /// Whether there is a key at this path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.contains(path)
    }

    /// Whether there are keys at all of these paths.
    pub(crate) fn has_all(&self, paths: &[&str]) -> bool {
        paths.iter().all(|path| self.has(path))
    }
}

/// The length of a string up to its closing quotation mark; `None` if it is cut off.
fn string_len(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let found = at + memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest[found] == b'"' {
            return Some(found);
        }
        at = found + 2;
    }
}

fn joined(path: &str, key: &[u8]) -> String {
    let key = String::from_utf8_lossy(key);
    if path.is_empty() { key.into_owned() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_without_end_costs_no_memory() {
        assert!(!Outline::of(&b"[".repeat(2_000_000)).has(""));
        let deep = format!("{}{}", r#"{"a":"#.repeat(DEPTH_MAX + 1), "1");
        assert!(Outline::of(deep.as_bytes()).has("a.a.a.a.a.a.a.a"), "control: the first levels are read");
    }

    #[test]
    fn keys_are_found_by_their_path_and_nothing_in_a_string_is_one() {
        let outline = Outline::of(br#"{"a":{"b":[{"c":"\"d\":1"},{"e":[[{"f":2}]]}]},"g":"{\"h\":1}","i":{"j":{"k":"cut"#);
        for path in ["a", "a.b", "a.b[].c", "a.b[].e", "a.b[].e[][].f", "g", "i", "i.j", "i.j.k"] {
            assert!(outline.has(path), "{path}");
        }
        for path in ["b", "d", "h", "g.h", "a.b[].d", "a.c"] {
            assert!(!outline.has(path), "{path}");
        }
        assert!(Outline::of(b"[{\"x\":1},{\"y\":{\"z\":1}}]").has_all(&["[].x", "[].y.z"]));
        assert!(Outline::of(b"{\"x\":1}\n{\"y\":1}\n").has_all(&["x", "y"]), "one object per line");
    }
}
