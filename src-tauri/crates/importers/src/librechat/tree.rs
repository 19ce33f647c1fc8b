//! Flattens a tree of messages: LibreChat nests each message in the `children` of the message that it answers, so a long
//! conversation is nested as deep as it is long. One pass is enough at any depth.

/// Maximum number of messages in one tree. No real conversation is longer.
const MESSAGES_MAX: usize = 200_000;

/// The messages of a tree, each without its children.
pub(super) struct Flat {
    /// The messages in the order of the file: each before its children.
    pub(super) messages: Vec<Vec<u8>>,
    /// The number of messages beyond the limit.
    pub(super) beyond: u64,
}

/// An object or array that is open at the current position.
enum Open {
    /// A message, by its place in `messages`; `None` if it is beyond the limit.
    Message(Option<usize>),
    /// The children of a message.
    Children,
    /// Any other object or array.
    Other,
}

/// Flattens one message and its children. Its brackets must be balanced.
pub(super) fn flatten(tree: &[u8]) -> Flat {
    let mut flat = Flat { messages: Vec::new(), beyond: 0 };
    let mut open: Vec<Open> = Vec::new();
    // The key of the value that follows, if it is a field of a message.
    let mut is_children = false;
    let mut string: &[u8] = &[];
    let mut at = 0;
    while let Some(byte) = tree.get(at) {
        let mut end = at + 1;
        match byte {
            b'"' => {
                end = at + 1 + string_len(tree.get(at + 1..).unwrap_or_default());
                string = tree.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
            }
            b':' => is_children = string == b"children" && matches!(open.last(), Some(Open::Message(_))),
            b',' => is_children = false,
            b'{' if matches!(open.last(), None | Some(Open::Children)) => {
                let place = (flat.messages.len() < MESSAGES_MAX).then_some(flat.messages.len());
                match place {
                    Some(_) => flat.messages.push(Vec::new()),
                    None => flat.beyond += 1,
                }
                open.push(Open::Message(place));
            }
            b'[' if std::mem::take(&mut is_children) => {
                // The list stays in the message, without its elements.
                append(&mut flat, &open, b"[]");
                open.push(Open::Children);
                at = end;
                continue;
            }
            b'{' | b'[' => open.push(Open::Other),
            b'}' | b']' => {
                append(&mut flat, &open, tree.get(at..end).unwrap_or_default());
                open.pop();
                at = end;
                continue;
            }
            _ => {}
        }
        append(&mut flat, &open, tree.get(at..end).unwrap_or_default());
        at = end;
    }
    flat
}

/// Adds bytes to the message that contains them. Bytes between the children belong to no message.
fn append(flat: &mut Flat, open: &[Open], bytes: &[u8]) {
    let within = open.iter().rev().find(|open| !matches!(open, Open::Other));
    if let Some(Open::Message(Some(place))) = within
        && let Some(message) = flat.messages.get_mut(*place)
    {
        message.extend_from_slice(bytes);
    }
}

/// The length of a string and its closing quotation mark.
fn string_len(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = rest.get(at..).and_then(|tail| memchr::memchr2(b'"', b'\\', tail)) {
        let place = at + found;
        if rest.get(place) == Some(&b'"') {
            return place + 1;
        }
        at = place + 2;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flat(tree: &str) -> Vec<String> {
        flatten(tree.as_bytes()).messages.into_iter().map(|message| String::from_utf8(message).unwrap()).collect()
    }

    #[test]
    fn each_message_loses_its_children_and_nothing_else() {
        let tree = r#"{"id":1,"content":[{"children":[{"x":"]}"}]}],"children":[{"id":2,"children":[]},{"id":3,"t":"\"children\":["}],"z":[1]}"#;
        let expect = [
            r#"{"id":1,"content":[{"children":[{"x":"]}"}]}],"children":[],"z":[1]}"#,
            r#"{"id":2,"children":[]}"#,
            r#"{"id":3,"t":"\"children\":["}"#,
        ];
        assert_eq!(flat(tree), expect);
        assert_eq!(flat(r#"{"id":1,"children":null}"#), [r#"{"id":1,"children":null}"#]);
    }

    #[test]
    fn a_deep_tree_takes_one_pass() {
        let depth = 100_000;
        let tree = "{\"a\":1,\"children\":[".repeat(depth) + &"]}".repeat(depth);
        assert_eq!(flatten(tree.as_bytes()).messages.len(), depth);
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = flatten(&bytes);
        }
    }
}
