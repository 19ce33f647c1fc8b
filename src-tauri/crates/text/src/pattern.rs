//! Constant patterns, compiled once: those of every crate that reads messages.

use regex::{Regex, RegexSet, RegexSetBuilder};

/// Room for the states of one set: bounded gaps between words make many, and a set that has to forget them reads slower than it would
/// without.
const LAZY_BYTES_MAX: usize = 8 << 20;

/// A constant pattern. One that does not compile is a programming error, which the first test run shows.
pub fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
}

/// Constant patterns of English, asked together. A word ends where its ASCII letters do: that keeps them in the automaton that reads each
/// byte once. At Unicode's own `\b` it gives up on the first letter outside ASCII, and most chat has one.
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

    // A rule that does not compile must not vanish without a word: a look-ahead, say, which this engine does not have.
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
