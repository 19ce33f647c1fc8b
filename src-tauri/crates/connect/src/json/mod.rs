//! Sets and removes single values in JSON with comments, and leaves every other byte unchanged.
//!
//! `jsonc-parser` gives the positions; the text is edited directly. The parser's own tree can be edited too, but does not
//! guarantee that an insertion followed by a removal restores the same bytes, which undo requires. The rule that restores them:
//! what Keepsake creates is on lines of its own, and what it adds to an empty `{}` or `[]` of the person begins on the same
//! line as the bracket. This way, the removal can tell an object that Keepsake created from one that already existed.

mod tree;
mod write;

use serde_json::Value;

use self::tree::Node;
use self::write::Layout;
use super::error::Fault;
use super::text::{Edit, edited, line_start, next_line, without_newline};

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
    /// One past the last element.
    End,
}

/// A path that consists of keys.
pub(super) fn keys(names: &[&str]) -> Vec<Step> {
    names.iter().map(|name| Step::Key((*name).to_owned())).collect()
}

/// Reads JSON text whose root is an object. Blank text is an empty object.
pub(super) fn read(text: &str) -> Result<Value, Fault> {
    Ok(tree::parse(text)?.map_or_else(|| Value::Object(serde_json::Map::new()), |root| root.value()))
}

/// Sets the value at a path. Missing objects and arrays on the path are created.
pub(super) fn set(text: &str, path: &[Step], value: &Value) -> Result<String, Fault> {
    let mut expected = read(text)?;
    set_value(&mut expected, path, value)?;
    let result = match parse(text, path)? {
        None => format!("{text}{}\n", Layout::of(text).created(path, value, "")),
        Some(root) => set_in(text, &root, path, value),
    };
    if read(&result).is_ok_and(|found| found == expected) { Ok(result) } else { Err(Fault::TooMuch) }
}

/// Removes the value at a path, and the objects and arrays around it that Keepsake created and that are then empty.
pub(super) fn remove(text: &str, path: &[Step]) -> Result<String, Fault> {
    let Some(root) = parse(text, path)? else { return Ok(text.to_owned()) };
    let mut expected = root.value();
    remove_value(&mut expected, path);
    let mut chain = vec![&root];
    let mut places = Vec::new();
    for step in path {
        let Some(place) = chain.last().and_then(|node| node.place(step)) else { return Ok(text.to_owned()) };
        let Some(member) = chain.last().and_then(|node| node.member(place)) else { return Ok(text.to_owned()) };
        places.push(place);
        chain.push(member);
    }
    for depth in (0..places.len()).rev() {
        if let Some(edits) = removal(text, chain[depth], places[depth], depth == 0) {
            let result = edited(text, &edits);
            let mut found = read(&result).map_err(|_| Fault::TooMuch)?;
            prune(&mut found, path);
            prune(&mut expected, path);
            return if found == expected { Ok(result) } else { Err(Fault::TooMuch) };
        }
    }
    Ok(text.to_owned())
}

fn parse(text: &str, path: &[Step]) -> Result<Option<Node>, Fault> {
    let root = tree::parse(text)?;
    match root.as_ref().and_then(|root| root.twice(path)) {
        Some(name) => Err(Fault::unexpected(format!("it has the name \"{name}\" twice in one object"))),
        None => Ok(root),
    }
}

fn set_in(text: &str, root: &Node, path: &[Step], value: &Value) -> String {
    let layout = Layout::of(text);
    let mut node = root;
    for (depth, step) in path.iter().enumerate() {
        let found = node.place(step).and_then(|place| node.member(place));
        let Some(member) = found else {
            let new = New { name: step, rest: &path[depth + 1..], value };
            return edited(text, &insertion(text, node, &layout, &new, depth == 0));
        };
        node = member;
    }
    let is_long = text[node.span.clone()].contains('\n');
    let new = if is_long { layout.lines(value, base_of(text, node.span.start)) } else { layout.line(value) };
    edited(text, &[(node.span.clone(), new)])
}

/// A member to be inserted: its name, the objects and lists to create around its value, and the value.
struct New<'a> {
    name: &'a Step,
    rest: &'a [Step],
    value: &'a Value,
}

impl New<'_> {
    fn prefix(&self) -> String {
        if let Step::Key(name) = self.name { format!("{}: ", Value::from(name.as_str())) } else { String::new() }
    }

    fn on_lines(&self, layout: &Layout, base: &str) -> String {
        format!("{}{}", self.prefix(), layout.created(self.rest, self.value, base))
    }

    /// Even within a line, created objects and lists are on lines of their own, so that the removal finds them.
    fn in_line(&self, layout: &Layout, base: &str) -> String {
        if self.rest.is_empty() { format!("{}{}", self.prefix(), layout.line(self.value)) } else { self.on_lines(layout, base) }
    }
}

/// Inserts a member at the end of an object or list.
fn insertion(text: &str, node: &Node, layout: &Layout, new: &New<'_>, is_root: bool) -> Vec<Edit> {
    let Some(last) = node.spans().pop() else { return filling(text, node, layout, new, is_root) };
    let comma = comma_after(text, last.end);
    if let Some(indent) = own_line(text, last.start) {
        let at = after_comment(text, comma.map_or(last.end, |comma| comma + 1));
        let line = format!("{}{indent}{}", layout.newline, new.on_lines(layout, indent));
        return match comma {
            Some(_) => vec![(at..at, format!("{line},"))],
            None => vec![(last.end..last.end, ",".to_owned()), (at..at, line)],
        };
    }
    let in_line = new.in_line(layout, base_of(text, last.start));
    match comma {
        Some(comma) => vec![(comma + 1..comma + 1, format!(" {in_line},"))],
        None => vec![(last.end..last.end, format!(", {in_line}"))],
    }
}

/// Inserts the first member into an empty object or list.
fn filling(text: &str, node: &Node, layout: &Layout, new: &New<'_>, is_root: bool) -> Vec<Edit> {
    let inner = node.span.start + 1..node.span.end - 1;
    let content = &text[inner.clone()];
    if content.trim().is_empty() && is_root {
        let indent = layout.deeper("");
        let line = format!("{}{indent}{}", layout.newline, new.on_lines(layout, &indent));
        return if is_whole(text, node) {
            vec![(inner, format!("{line}{}", layout.newline))]
        } else {
            vec![(inner.start..inner.start, line)]
        };
    }
    if let Some(outer) = own_line(text, inner.end).filter(|_| !content.trim().is_empty()) {
        let at = inner.start + content.trim_end().len();
        let indent = layout.deeper(outer);
        return vec![(at..at, format!("{}{indent}{}", layout.newline, new.on_lines(layout, &indent)))];
    }
    vec![(inner.start..inner.start, new.in_line(layout, base_of(text, inner.start)))]
}

/// The edits that remove a member; nothing if the object or array around it is to be removed as well.
fn removal(text: &str, node: &Node, place: usize, is_root: bool) -> Option<Vec<Edit>> {
    let spans = node.spans();
    let span = spans.get(place)?.clone();
    let comma = comma_after(text, span.end);
    let end = comma.map_or(span.end, |comma| comma + 1);
    let comma_before = place.checked_sub(1).and_then(|before| comma_after(text, spans[before].end));
    // A member on a line of its own is removed with the newline before it, unless that would move the rest of its line into a
    // comment.
    let from = comma_before.unwrap_or(node.span.start) + 1;
    let has_rest = !text[end..next_line(text, end)].trim().is_empty();
    let start = own_line(text, span.start).map(|_| without_newline(text, line_start(text, span.start)));
    let start = start.map(|start| if has_rest && ends_in_comment(text, from, start) { span.start } else { start });
    let cut = |from: usize, to: usize| (from..to, String::new());
    if spans.len() == 1 {
        let inner = node.span.start + 1..node.span.end - 1;
        let Some(start) = start else { return Some(vec![cut(span.start, end)]) };
        let is_blank = text[inner.start..start].trim().is_empty() && text[end..inner.end].trim().is_empty();
        return match (is_blank, is_root) {
            (true, true) if is_whole(text, node) => Some(vec![cut(inner.start, inner.end)]),
            (true, false) => None,
            _ => Some(vec![cut(start, end)]),
        };
    }
    Some(match (start, comma_before, comma) {
        (Some(start), Some(before), None) => vec![cut(before, before + 1), cut(start, span.end)],
        (Some(start), ..) => vec![cut(start, end)],
        (None, Some(before), None) => vec![cut(before, span.end)],
        (None, Some(before), Some(_)) => vec![cut(before + 1, end)],
        (None, None, _) => vec![cut(span.start, spans.get(place + 1).map_or(end, |next| next.start))],
    })
}

/// Whether there is nothing around the root, not even a comment. If only an empty root is left, no exact undo is needed,
/// because the file is removed.
fn is_whole(text: &str, root: &Node) -> bool {
    text[..root.span.start].trim().is_empty() && text[root.span.end..].trim().is_empty()
}

/// The whitespace before a byte, if there is nothing else before it on its line.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let before = &text[line_start(text, at)..at];
    (line_start(text, at) > 0 && before.trim().is_empty()).then_some(before)
}

/// The indent of the line that contains a byte.
fn base_of(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start().len()]
}

/// The comma after a member, if there is one.
fn comma_after(text: &str, at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &text[at..];
        if rest.starts_with("//") {
            at = next_line(text, at);
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            return rest.starts_with(',').then_some(at);
        }
    }
}

/// Whether a comment that runs to the end of its line ends at `to`. The range contains only comments and whitespace.
fn ends_in_comment(text: &str, from: usize, to: usize) -> bool {
    let mut at = from;
    while at < to {
        let rest = &text[at..to];
        if rest.starts_with("//") {
            at = next_line(text, at);
            if at > to {
                return true;
            }
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |found| found + 2);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    false
}

/// The end of the line if only comments are left on it; otherwise `from`.
fn after_comment(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let rest = rest.trim_start_matches([' ', '\t']);
        at = text.len() - rest.len();
        if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else { return from };
            if rest[..end].contains('\n') {
                return from;
            }
            at += end + 2;
        } else if rest.starts_with("//") {
            return without_newline(text, next_line(text, at));
        } else {
            return if rest.starts_with('\n') || rest.starts_with("\r\n") { at } else { from };
        }
    }
}

fn set_value(target: &mut Value, path: &[Step], value: &Value) -> Result<(), Fault> {
    let Some((step, rest)) = path.split_first() else {
        *target = value.clone();
        return Ok(());
    };
    match (step, target) {
        (Step::Key(name), Value::Object(map)) => {
            set_value(map.entry(name.clone()).or_insert_with(|| empty_for(rest)), rest, value)
        }
        (Step::Index(index), Value::Array(list)) if *index < list.len() => set_value(&mut list[*index], rest, value),
        (Step::End, Value::Array(list)) => {
            list.push(empty_for(rest));
            let last = list.len() - 1;
            set_value(&mut list[last], rest, value)
        }
        (Step::Key(name), _) => Err(Fault::unexpected(format!("what holds \"{name}\" is not an object"))),
        _ => Err(Fault::unexpected("something that should be a list is none")),
    }
}

fn empty_for(rest: &[Step]) -> Value {
    match rest.first() {
        Some(Step::Key(_)) => Value::Object(serde_json::Map::new()),
        Some(Step::Index(_) | Step::End) => Value::Array(Vec::new()),
        None => Value::Null,
    }
}

fn remove_value(target: &mut Value, path: &[Step]) {
    match (path, target) {
        ([Step::Key(name)], Value::Object(map)) => drop(map.shift_remove(name)),
        ([Step::Index(index)], Value::Array(list)) if *index < list.len() => drop(list.remove(*index)),
        ([Step::Key(name), rest @ ..], Value::Object(map)) => {
            if let Some(inner) = map.get_mut(name) {
                remove_value(inner, rest);
            }
        }
        ([Step::Index(index), rest @ ..], Value::Array(list)) => {
            if let Some(inner) = list.get_mut(*index) {
                remove_value(inner, rest);
            }
        }
        _ => {}
    }
}

/// Removes empty objects and arrays along a path, so that a comparison ignores them.
fn prune(target: &mut Value, path: &[Step]) {
    let Some((step, rest)) = path.split_first() else { return };
    let is_empty =
        |value: &Value| value.as_object().is_some_and(|map| map.is_empty()) || value.as_array().is_some_and(Vec::is_empty);
    match (step, target) {
        (Step::Key(name), Value::Object(map)) => {
            if let Some(inner) = map.get_mut(name) {
                prune(inner, rest);
                if !rest.is_empty() && is_empty(inner) {
                    map.shift_remove(name);
                }
            }
        }
        (Step::Index(index), Value::Array(list)) if *index < list.len() => {
            prune(&mut list[*index], rest);
            if !rest.is_empty() && is_empty(&list[*index]) {
                list.remove(*index);
            }
        }
        _ => {}
    }
}

/// Whether the text is blank or contains only an empty object, without comments.
pub(super) fn is_empty(text: &str) -> bool {
    let packed: String = text.split_whitespace().collect();
    packed.is_empty() || packed == "{}"
}

#[cfg(test)]
mod tests;
