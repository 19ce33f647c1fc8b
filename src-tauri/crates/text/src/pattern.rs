//! Compiles the constant patterns of all crates that read messages.

use regex::{Regex, RegexSet, RegexSetBuilder};

/// Cache size for the automaton states of one set. Patterns with bounded gaps create many states, and matching is slow if the
/// cache has to be flushed.
const LAZY_BYTES_MAX: usize = 8 << 20;

/// Compiles a constant pattern. A pattern that does not compile is a programming error, which the first test run reveals.
pub fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
}

/// Compiles constant English patterns that are matched together. Word boundaries are ASCII only, so that the fast automaton can
/// read each byte once. With Unicode's `\b` it gives up at the first non-ASCII letter, and most chats contain one.
pub fn set(patterns: &[&str]) -> RegexSet {
    let patterns = patterns.iter().map(|pattern| pattern.replace(r"\b", r"(?-u:\b)"));
    RegexSetBuilder::new(patterns)
        .dfa_size_limit(LAZY_BYTES_MAX)
        .build()
        .unwrap_or_else(|_| unreachable!("constant patterns compile"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // A pattern that does not compile must not be ignored silently. For example, this engine does not support look-ahead.
    #[test]
    #[should_panic(expected = "a constant pattern compiles")]
    fn a_pattern_that_does_not_compile_is_an_error_at_its_first_use() {
        re("not (?!x)");
    }

    #[test]
    #[should_panic(expected = "constant patterns compile")]
    fn nor_does_one_of_a_set_vanish() {
        set(&["fine", "not (?!x)"]);
    }
}
