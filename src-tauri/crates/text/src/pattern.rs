//! Constant patterns for every crate that reads messages, compiled once.

use regex::{Regex, RegexSet, RegexSetBuilder};

/// Memory for the states of one set. Bounded gaps between words create many states, and a set that must discard them is slow.
const LAZY_BYTES_MAX: usize = 8 << 20;

/// Compiles a constant pattern. A pattern that does not compile is a programming error, which the first test run reveals.
pub fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
}

/// Constant English patterns that are matched together. Word boundaries consider only ASCII letters, because then an automaton
/// can read each byte once; with Unicode's `\b` it gives up at the first letter outside ASCII, which most chat contains.
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

    // A rule that does not compile must not disappear silently; this engine does not support look-ahead, for example.
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
