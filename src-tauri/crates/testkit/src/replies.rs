//! Tables of language model replies. The name of each reply says what is wrong or right with it.
//!
//! A table is one text file. A line `=== bad/cut_off` names a reply. The reply is exactly the text up to the line break before
//! the next such line, so it may be empty or end without a line break. Not here: what result is expected of a reply.

/// The replies of a table by name, first those that must be refused (`bad/…`). Panics if a name occurs twice, if a name does
/// not begin with `bad/` or `good/`, or if there are fewer than `at_least` replies of either kind. The minimum catches a table
/// that was not read.
pub fn replies(table: &str, at_least: usize) -> Vec<(String, String)> {
    const HEAD: &str = "=== ";
    let body = table.strip_prefix(HEAD).unwrap_or_else(|| panic!("a table begins with `{HEAD}name`"));
    let body = body.strip_suffix('\n').unwrap_or(body);
    let mut found: Vec<(String, String)> = Vec::new();
    for part in body.split(&format!("\n{HEAD}")) {
        let (name, reply) = part.split_once('\n').unwrap_or((part, ""));
        assert!(name.starts_with("bad/") || name.starts_with("good/"), "{name} is bad/… or good/…");
        assert!(found.iter().all(|(known, _)| known != name), "{name} is there twice");
        found.push((name.to_owned(), reply.to_owned()));
    }
    for kind in ["bad/", "good/"] {
        let count = found.iter().filter(|(name, _)| name.starts_with(kind)).count();
        assert!(count >= at_least, "{count} replies are {kind}…, and there are at least {at_least}");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::replies;

    #[test]
    fn a_reply_is_read_to_the_byte() {
        let table = "=== bad/empty\n\n=== bad/blank_line\n\n\n=== good/two_lines\n{\n}\n=== good/line_break\n{}\n\n";
        let expect = [("bad/empty", ""), ("bad/blank_line", "\n"), ("good/two_lines", "{\n}"), ("good/line_break", "{}\n")];
        assert_eq!(replies(table, 2), expect.map(|(name, reply)| (name.to_owned(), reply.to_owned())));
    }

    #[test]
    #[should_panic(expected = "at least 2")]
    fn a_table_that_was_cut_off_is_noticed() {
        replies("=== bad/one\n{}\n", 2);
    }
}
