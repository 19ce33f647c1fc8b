//! The blocks that Open WebUI writes into the text of an answer: `<details type="reasoning" …>` for reasoning, and the same for
//! tool calls and for code that was run. They are not part of the answer's words.
//!
//! Not in this module: other `<details>`, which a model may write itself. They stay in the text.

use keepsake_domain::MessageType;

use super::INTERPRETER;
use crate::turns::Part;

/// The beginning of every block.
const BEGIN: &str = "<details type=\"";

/// The end of every block.
const END: &str = "</details>";

/// The types of blocks that the program writes.
const TYPES: &[&str] = &["reasoning", "tool_calls", "code_interpreter"];

/// Separates the words of an answer from its blocks, which become parts. Without blocks, the words are unchanged.
pub(super) fn split(content: &str) -> (String, Vec<Part>) {
    let mut words: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    let mut rest = content;
    let mut from = 0;
    while let Some(found) = rest.get(from..).and_then(|tail| tail.find(BEGIN)) {
        let at = from + found;
        let Some((before, block)) = rest.split_at_checked(at) else { break };
        // A block that does not begin a line is quoted by the model.
        let begins_line = before.is_empty() || before.ends_with('\n') || before.ends_with(END);
        let Some((tag, body, after)) = block_of(block).filter(|(tag, ..)| begins_line && is_known(tag)) else {
            from = at + BEGIN.len();
            continue;
        };
        words.push(before);
        parts_of(tag, body, parts.len(), &mut parts);
        rest = after;
        from = 0;
    }
    if parts.is_empty() && words.is_empty() {
        return (content.to_owned(), parts);
    }
    words.push(rest);
    let words: Vec<&str> = words.into_iter().map(str::trim).filter(|words| !words.is_empty()).collect();
    (words.join("\n\n"), parts)
}

/// Splits off the opening tag and the body of a block; the third part is the text after the block. A block that is not closed
/// ends with the text.
fn block_of(block: &str) -> Option<(&str, &str, &str)> {
    let (tag, rest) = block.split_once('>')?;
    let (body, after) = rest.split_once(END).unwrap_or((rest, ""));
    Some((tag, body, after))
}

fn is_known(tag: &str) -> bool {
    attribute(tag, "type").is_some_and(|kind| TYPES.contains(&kind.as_str()))
}

fn parts_of(tag: &str, body: &str, at: usize, parts: &mut Vec<Part>) {
    let body = match body.split_once("<summary>") {
        Some((_, rest)) => rest.split_once("</summary>").map_or(rest, |(_, rest)| rest),
        None => body,
    };
    let body = unescaped(body.trim());
    let kind = attribute(tag, "type").unwrap_or_default();
    let (tool, call, given) = match kind.as_str() {
        "reasoning" => {
            let lines: Vec<&str> =
                body.lines().map(|line| line.strip_prefix("> ").or(line.strip_prefix('>')).unwrap_or(line)).collect();
            let text = lines.join("\n");
            if !text.trim().is_empty() {
                parts.push(Part::of(format!("#{at}"), text, MessageType::Thinking));
            }
            return;
        }
        "tool_calls" => (attribute(tag, "name"), attribute(tag, "id"), attribute(tag, "arguments").map(|text| within(&text))),
        _ => (Some(INTERPRETER.to_owned()), None, Some(body.clone())),
    };
    let result = match kind.as_str() {
        "tool_calls" => attribute(tag, "result").filter(|text| !text.is_empty()).unwrap_or(body),
        _ => attribute(tag, "output").unwrap_or_default(),
    };
    let (tool, call) = (tool.as_deref().filter(|name| !name.is_empty()), call.as_deref().filter(|id| !id.is_empty()));
    let arguments = given.unwrap_or_default();
    parts.push(Part::tool(format!("#{at}"), arguments, MessageType::ToolUse, tool, call));
    let result = within(&result);
    if !result.trim().is_empty() {
        parts.push(Part::tool(format!("#{at}-result"), result, MessageType::ToolResult, tool, call));
    }
}

/// An attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag;
    loop {
        let at = rest.find(name)?;
        let is_whole = rest.get(..at)?.ends_with(char::is_whitespace);
        let tail = rest.get(at + name.len()..)?;
        match tail.strip_prefix("=\"").filter(|_| is_whole) {
            Some(value) => return value.split_once('"').map(|(value, _)| unescaped(value)),
            None => rest = tail,
        }
    }
}

/// The text in a JSON string, because arguments and results may be encoded twice. Any other text is returned as it is.
fn within(text: &str) -> String {
    let mut text = text.trim().to_owned();
    while text.starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(&text)
    {
        text = inner;
    }
    text
}

/// Resolves the entities that Python's `html.escape` writes.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&#x27;", "'").replace("&#39;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(content: &str) -> (String, Vec<(String, String)>) {
        let (words, parts) = split(content);
        (words, parts.into_iter().map(|part| (part.suffix, part.text)).collect())
    }

    #[test]
    fn blocks_are_no_words_and_what_a_model_quotes_is() {
        let plain = " Two\n\n<details><summary>More</summary>bees</details>";
        assert_eq!(shown(plain), (plain.to_owned(), Vec::new()), "other details are words");
        let quoted = "Write `<details type=\"reasoning\">` here";
        assert_eq!(shown(quoted), (quoted.to_owned(), Vec::new()));
        let unknown = "<details type=\"map\">x</details>";
        assert_eq!(shown(unknown), (unknown.to_owned(), Vec::new()));
        assert_eq!(
            shown(
                "<details type=\"reasoning\" done=\"true\"><summary>Thought</summary>\n&gt; a &lt;b&gt;\n&gt; c\n</details>\nYes"
            ),
            ("Yes".to_owned(), vec![("#0".to_owned(), "a <b>\nc".to_owned())])
        );
        let tool = "Let me look.\n<details type=\"tool_calls\" done=\"true\" id=\"c1\" name=\"find\" \
                    arguments=\"&quot;{\\&quot;q\\&quot;: 1}&quot;\" result=\"&quot;one&quot;\">\n<summary>Done</summary>\n</details>\nOne.";
        let expect = vec![("#0".to_owned(), "{\"q\": 1}".to_owned()), ("#0-result".to_owned(), "one".to_owned())];
        assert_eq!(shown(tool), ("Let me look.\n\nOne.".to_owned(), expect));
        assert_eq!(shown("<details type=\"reasoning\">cut"), (String::new(), vec![("#0".to_owned(), "cut".to_owned())]));
    }
}
