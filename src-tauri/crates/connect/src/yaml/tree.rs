//! YAML as a tree of positions in the text. Reading only.

use serde_json::{Map, Value};
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::{Marker, TScalarStyle};
use yaml_rust2::{Yaml, YamlLoader};

use crate::error::Fault;

/// Maximum depth; a more deeply nested file is refused. Goose's own file has four levels.
const DEPTH_MAX: usize = 64;

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A mapping on separate lines.
    Lines,
    /// A mapping in braces, which are at these byte positions.
    Braces(usize, usize),
    /// No value.
    Nothing,
    Other,
}

/// A value: its meaning, how it is written, and its members if it is a mapping.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) shape: Shape,
    pub(super) entries: Vec<Entry>,
}

/// A member of a mapping. Its line and column are counted from 0, its start in bytes.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) start: usize,
    pub(super) node: Node,
}

impl Node {
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| &entry.node)
    }
}

/// Reads YAML text that contains one mapping, or nothing.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let broken = |marker: &Marker| Fault::Broken(marker.line(), marker.col() + 1);
    let documents = YamlLoader::load_from_str(text).map_err(|error| broken(error.marker()))?;
    let value = match documents.as_slice() {
        [] => Value::Null,
        [one] => value_of(one),
        _ => return Err(Fault::unexpected("it holds more than one document")),
    };
    if !value.is_object() && !value.is_null() {
        return Err(Fault::unexpected("it does not hold a mapping"));
    }
    let mut reader = Reader { text, parser: Parser::new_from_str(text), bytes: bytes(text) };
    loop {
        let (event, marker) = reader.next()?;
        match event {
            Event::StreamEnd => return Ok(Node { value, shape: Shape::Nothing, entries: Vec::new() }),
            Event::StreamStart | Event::DocumentStart | Event::DocumentEnd | Event::Nothing => {}
            event => return reader.node(event, marker, value, 0),
        }
    }
}

/// The byte position of each character, and the length of the text.
fn bytes(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len())).collect()
}

struct Reader<'a> {
    text: &'a str,
    parser: Parser<std::str::Chars<'a>>,
    bytes: Vec<usize>,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<(Event, Marker), Fault> {
        self.parser.next_token().map_err(|error| Fault::Broken(error.marker().line(), error.marker().col() + 1))
    }

    fn byte(&self, marker: Marker) -> usize {
        self.bytes.get(marker.index()).copied().unwrap_or(self.text.len())
    }

    fn node(&mut self, event: Event, marker: Marker, value: Value, depth: usize) -> Result<Node, Fault> {
        if depth > DEPTH_MAX {
            return Err(Fault::unexpected("it is nested too deeply"));
        }
        match event {
            Event::MappingStart(..) => self.mapping(marker, value, depth),
            Event::SequenceStart(..) => {
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, marker) => self.node(event, marker, Value::Null, depth + 1)?,
                    };
                }
                Ok(Node { value, shape: Shape::Other, entries: Vec::new() })
            }
            Event::Scalar(text, TScalarStyle::Plain, ..) if text.is_empty() => {
                Ok(Node { value, shape: Shape::Nothing, entries: Vec::new() })
            }
            _ => Ok(Node { value, shape: Shape::Other, entries: Vec::new() }),
        }
    }

    fn mapping(&mut self, start: Marker, value: Value, depth: usize) -> Result<Node, Fault> {
        let at = self.byte(start);
        let has_braces = self.text[at..].starts_with('{');
        let mut entries = Vec::new();
        loop {
            let (event, marker) = self.next()?;
            let name = match event {
                Event::MappingEnd => {
                    let shape = if has_braces { Shape::Braces(at, self.byte(marker)) } else { Shape::Lines };
                    return Ok(Node { value, shape, entries });
                }
                Event::Scalar(name, ..) => name,
                event => {
                    self.node(event, marker, Value::Null, depth + 1)?;
                    String::new()
                }
            };
            let inner = value.get(&name).cloned().unwrap_or_default();
            let (event, inner_marker) = self.next()?;
            let node = self.node(event, inner_marker, inner, depth + 1)?;
            entries.push(Entry { name, line: marker.line() - 1, column: marker.col(), start: self.byte(marker), node });
        }
    }
}

/// The value, for comparison. A key that is not text is converted to text.
fn value_of(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Null | Yaml::BadValue | Yaml::Alias(_) => Value::Null,
        Yaml::Boolean(truth) => Value::from(*truth),
        Yaml::Integer(number) => Value::from(*number),
        Yaml::Real(number) => Value::from(format!("real {number}")),
        Yaml::String(text) => Value::from(text.as_str()),
        Yaml::Array(list) => Value::Array(list.iter().map(value_of).collect()),
        Yaml::Hash(members) => {
            let name = |key: &Yaml| key.as_str().map_or_else(|| format!("{key:?}"), str::to_owned);
            Value::Object(members.iter().map(|(key, value)| (name(key), value_of(value))).collect::<Map<_, _>>())
        }
    }
}
