//! The text of Slack messages: mentions, links and entities are encoded (`<@U1>`, `<url|label>`, `&amp;`); everything else, such
//! as `*bold*` and `:emoji:`, is as the person typed it.

use serde_json::Value;

use super::workspace::Workspace;

/// Text with its codes resolved.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Resolved {
    /// The text as Slack shows it.
    pub(super) text: String,
    /// Addresses of links that are displayed as other text.
    pub(super) links: Vec<String>,
}

/// Resolves the codes in `raw`. Slack writes a typed `<` as an entity, so a `<` always begins a code.
pub(super) fn resolve(raw: &str, names: &Workspace) -> Resolved {
    let mut resolved = Resolved::default();
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('<') {
        resolved.text.push_str(&unescaped(before));
        match after.split_once('>') {
            Some((code, after)) if !code.contains(['<', '\n']) => {
                resolved.push(code, names);
                rest = after;
            }
            _ => {
                resolved.text.push('<');
                rest = after;
            }
        }
    }
    resolved.text.push_str(&unescaped(rest));
    resolved
}

impl Resolved {
    fn push(&mut self, code: &str, names: &Workspace) {
        let (target, label) = code.split_once('|').unwrap_or((code, ""));
        let label = unescaped(label);
        let shown = if let Some(id) = target.strip_prefix('@') {
            format!("@{}", names.name_of(id).unwrap_or(if label.is_empty() { id } else { &label }))
        } else if let Some(id) = target.strip_prefix('#') {
            format!("#{}", if label.is_empty() { names.room_name(id).unwrap_or(id) } else { &label })
        } else if let Some(command) = target.strip_prefix('!') {
            command_text(command, &label)
        } else {
            self.link_text(&unescaped(target), label)
        };
        self.text.push_str(&shown);
    }

    /// The text displayed for a link. An address that Slack recognized in the text is its own label.
    fn link_text(&mut self, target: &str, label: String) -> String {
        let bare = ["mailto:", "tel:"].iter().find_map(|scheme| target.strip_prefix(scheme)).unwrap_or(target);
        let unschemed = bare.split_once("://").map_or(bare, |(_, rest)| rest);
        if label.is_empty() {
            return bare.to_owned();
        }
        if label != target && label != bare && label.trim_end_matches('/') != unschemed.trim_end_matches('/') {
            self.links.push(target.to_owned());
        }
        label
    }
}

/// The text of a command: `<!here>`, a user group, or a date with fallback text for readers elsewhere.
fn command_text(command: &str, label: &str) -> String {
    match command {
        "here" | "channel" | "everyone" | "group" => format!("@{command}"),
        _ if !label.is_empty() => label.to_owned(),
        _ => match command.strip_prefix("subteam^") {
            Some(id) => format!("@{id}"),
            None => command.split('^').next().unwrap_or_default().to_owned(),
        },
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The text of blocks, which apps use instead of `text`.
pub(super) fn of_blocks(blocks: &Value, names: &Workspace) -> String {
    let mut text = String::new();
    push_block(blocks, names, &mut text);
    text.trim().to_owned()
}

/// Parts of a message that are on lines of their own.
const LINES: &[&str] =
    &["section", "header", "context", "rich_text_section", "rich_text_preformatted", "rich_text_quote", "rich_text_list"];

fn push_block(value: &Value, names: &Workspace, out: &mut String) {
    if let Value::Array(items) = value {
        items.iter().for_each(|item| push_block(item, names, out));
        return;
    }
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    let kind = field("type").unwrap_or_default();
    match (kind, field("text")) {
        ("mrkdwn", Some(text)) => out.push_str(&resolve(text, names).text),
        (_, Some(text)) => out.push_str(text),
        ("user", _) => {
            let id = field("user_id").unwrap_or_default();
            out.push_str(&format!("@{}", names.name_of(id).unwrap_or(id)));
        }
        ("channel", _) => {
            let id = field("channel_id").unwrap_or_default();
            out.push_str(&format!("#{}", names.room_name(id).unwrap_or(id)));
        }
        ("emoji", _) => out.push_str(&format!(":{}:", field("name").unwrap_or_default())),
        ("broadcast", _) => out.push_str(&format!("@{}", field("range").unwrap_or_default())),
        ("link", _) => out.push_str(field("url").unwrap_or_default()),
        // Buttons and input fields say nothing.
        ("actions" | "input", _) => {}
        _ => {
            for part in ["text", "title", "fields", "elements"] {
                match value.get(part) {
                    Some(Value::Array(items)) if kind == "context" || part == "fields" => {
                        for item in items {
                            if !out.is_empty() && !out.ends_with(['\n', ' ']) {
                                out.push(' ');
                            }
                            push_block(item, names, out);
                        }
                    }
                    Some(part) => push_block(part, names, out),
                    None => {}
                }
            }
        }
    }
    if LINES.contains(&kind) {
        let end = out.trim_end().len();
        out.truncate(end);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> Workspace {
        Workspace::of_names(&[("U1", "Ana Lima")], &[("C2", "bees")])
    }

    #[test]
    fn codes_are_resolved_and_everything_else_stays() {
        for (raw, shown, links) in [
            ("Hi <@U1>, ask <@U9|ben> or <@U8>", "Hi @Ana Lima, ask @ben or @U8", vec![]),
            ("in <#C2|bees>, <#C2> or <#C9|>", "in #bees, #bees or #C9", vec![]),
            ("<!here> <!channel|@channel> <!subteam^S1|@keepers> <!subteam^S2>", "@here @channel @keepers @S2", vec![]),
            ("<!date^1392734382^{date}|18 February>", "18 February", vec![]),
            ("<https://a.example/?x=1&amp;y=2>", "https://a.example/?x=1&y=2", vec![]),
            ("<http://a.example|a.example>", "a.example", vec![]),
            ("<https://a.example/b|the page>", "the page", vec!["https://a.example/b"]),
            ("<mailto:ana@a.example|ana@a.example> <tel:+4912|+4912>", "ana@a.example +4912", vec![]),
            ("1 &lt; 2 &amp;&amp; &amp;lt; *bold* :bee:", "1 < 2 && &lt; *bold* :bee:", vec![]),
            ("a < b and <open", "a < b and <open", vec![]),
            ("<>", "", vec![]),
        ] {
            let wanted = Resolved { text: shown.to_owned(), links: links.into_iter().map(str::to_owned).collect() };
            assert_eq!(resolve(raw, &names()), wanted, "{raw}");
        }
    }

    #[test]
    fn blocks_are_read_line_by_line() {
        let blocks = json!([
            { "type": "header", "text": { "type": "plain_text", "text": "Build" } },
            { "type": "section", "fields": [{ "type": "mrkdwn", "text": "by <@U1>" }, { "type": "mrkdwn", "text": "*done*" }] },
            { "type": "divider" },
            { "type": "rich_text", "elements": [{ "type": "rich_text_section", "elements": [
                { "type": "text", "text": "see " }, { "type": "channel", "channel_id": "C2" }, { "type": "emoji", "name": "bee" },
                { "type": "user", "user_id": "U1" }, { "type": "broadcast", "range": "here" },
                { "type": "link", "url": "https://a.example" }] }] },
            7
        ]);
        assert_eq!(of_blocks(&blocks, &names()), "Build\nby @Ana Lima *done*\nsee #bees:bee:@Ana Lima@herehttps://a.example");
    }
}
