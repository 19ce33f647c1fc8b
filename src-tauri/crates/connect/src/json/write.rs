//! Writes JSON values in the layout of the surrounding file. Where they are inserted is decided elsewhere.

use serde_json::Value;

use super::Step;
use crate::text::newline;

/// Indent for a file without indented lines. Most clients use the same indent.
const INDENT: &str = "  ";

/// Newline and indent of a file.
pub(super) struct Layout {
    pub(super) newline: &'static str,
    unit: String,
}

impl Layout {
    /// The layout of a file. Its first indented line determines the indent.
    pub(super) fn of(text: &str) -> Self {
        let indents = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('*'));
        let indents = indents.map(|line| &line[..line.len() - line.trim_start().len()]);
        let unit = indents.skip(1).find(|indent| !indent.is_empty()).unwrap_or(INDENT);
        Self { newline: newline(text), unit: unit.to_owned() }
    }

    /// The indent one level deeper than `base`.
    pub(super) fn deeper(&self, base: &str) -> String {
        format!("{base}{}", self.unit)
    }

    /// A value on one line.
    pub(super) fn line(&self, value: &Value) -> String {
        match value {
            Value::Array(list) => format!("[{}]", list.iter().map(|item| self.line(item)).collect::<Vec<_>>().join(", ")),
            Value::Object(map) => {
                let members = map.iter().map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), self.line(value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            _ => value.to_string(),
        }
    }

    /// A value on several lines, indented from `base`. Lists of plain values stay on one line.
    pub(super) fn lines(&self, value: &Value, base: &str) -> String {
        let inner = self.deeper(base);
        match value {
            Value::Object(map) if !map.is_empty() => {
                let members = map.iter();
                let members =
                    members.map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), self.lines(value, &inner)));
                self.bracketed(('{', '}'), members, base)
            }
            Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
                self.bracketed(('[', ']'), list.iter().map(|item| self.lines(item, &inner)), base)
            }
            _ => self.line(value),
        }
    }

    /// A value inside the objects and lists that a path requires.
    pub(super) fn created(&self, path: &[Step], value: &Value, base: &str) -> String {
        self.lines(&wrapped(path, value), base)
    }

    fn bracketed(&self, (open, close): (char, char), items: impl Iterator<Item = String>, base: &str) -> String {
        let (newline, inner) = (self.newline, self.deeper(base));
        let items = items.map(|item| format!("{newline}{inner}{item}")).collect::<Vec<_>>().join(",");
        format!("{open}{items}{newline}{base}{close}")
    }
}

fn wrapped(path: &[Step], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, step| match step {
        Step::Key(name) => Value::Object([(name.clone(), inner)].into_iter().collect()),
        Step::Index(_) | Step::End => Value::Array(vec![inner]),
    })
}
