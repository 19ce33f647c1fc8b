//! JSON with comments as a tree of positions in the text. Reading only.

use std::ops::Range;

use jsonc_parser::common::Range as Found;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::{Map, Number, Value};

use super::Step;
use crate::error::Fault;
use crate::text::place;

/// A value and its position.
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Leaf(Value),
}

/// A name with its value. The span covers both.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    pub(super) node: Node,
}

impl Node {
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(members) => {
                Value::Object(members.iter().map(|member| (member.name.clone(), member.node.value())).collect::<Map<_, _>>())
            }
            Kind::Array(nodes) => Value::Array(nodes.iter().map(Node::value).collect()),
            Kind::Leaf(value) => value.clone(),
        }
    }

    /// Index of the member that a step leads to.
    pub(super) fn place(&self, step: &Step) -> Option<usize> {
        match (step, &self.kind) {
            (Step::Key(name), Kind::Object(members)) => members.iter().position(|member| member.name == *name),
            (Step::Index(index), Kind::Array(nodes)) => (*index < nodes.len()).then_some(*index),
            _ => None,
        }
    }

    /// A name on the path that occurs more than once in its object. Which one counts depends on the client.
    pub(super) fn twice<'a>(&self, path: &'a [Step]) -> Option<&'a str> {
        let (step, rest) = path.split_first()?;
        if let (Step::Key(name), Kind::Object(members)) = (step, &self.kind)
            && members.iter().filter(|member| member.name == *name).count() > 1
        {
            return Some(name);
        }
        self.place(step).and_then(|place| self.member(place))?.twice(rest)
    }

    pub(super) fn member(&self, place: usize) -> Option<&Node> {
        match &self.kind {
            Kind::Object(members) => members.get(place).map(|member| &member.node),
            Kind::Array(nodes) => nodes.get(place),
            Kind::Leaf(_) => None,
        }
    }

    /// Positions of the members, including their names.
    pub(super) fn spans(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.span.clone()).collect(),
            Kind::Array(nodes) => nodes.iter().map(|node| node.span.clone()).collect(),
            Kind::Leaf(_) => Vec::new(),
        }
    }
}

/// JSON with comments and trailing commas, as Visual Studio Code and Zed read it. JSON5 is not accepted.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses JSON text whose root is an object. Returns nothing for blank text; text with only comments is an error.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let broken = |at: usize| {
        let (line, column) = place(text, at);
        Fault::Broken(line, column)
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| broken(error.range().start))?;
    match parsed.value {
        None if text.trim().is_empty() => Ok(None),
        None => Err(Fault::unexpected("it holds comments alone")),
        Some(value @ ast::Value::Object(_)) => node(&value).map(Some),
        Some(_) => Err(Fault::unexpected("it does not hold an object")),
    }
}

fn span(found: Found) -> Range<usize> {
    found.start..found.end
}

fn node(value: &ast::Value<'_>) -> Result<Node, Fault> {
    let (span, kind) = match value {
        ast::Value::Object(object) => (span(object.range), Kind::Object(members(object)?)),
        ast::Value::Array(array) => {
            (span(array.range), Kind::Array(array.elements.iter().map(node).collect::<Result<Vec<_>, _>>()?))
        }
        ast::Value::StringLit(text) => (span(text.range), Kind::Leaf(Value::from(text.value.as_ref()))),
        ast::Value::NumberLit(number) => (span(number.range), Kind::Leaf(self::number(number.value))),
        ast::Value::BooleanLit(truth) => (span(truth.range), Kind::Leaf(Value::from(truth.value))),
        ast::Value::NullKeyword(null) => (span(null.range), Kind::Leaf(Value::Null)),
    };
    Ok(Node { span, kind })
}

fn members(object: &ast::Object<'_>) -> Result<Vec<Member>, Fault> {
    let member = |property: &ast::ObjectProp<'_>| {
        let name = property.name.as_str().to_owned();
        Ok(Member { name, span: span(property.range), node: node(&property.value)? })
    };
    object.properties.iter().map(member).collect()
}

/// A number, or its text if the number cannot be represented. Used only for comparison.
fn number(text: &str) -> Value {
    text.parse::<Number>().map_or_else(|_| Value::from(text), Value::Number)
}
