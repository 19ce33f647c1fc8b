//! Porter's stemmer (1980). The full-text index uses the same one (`tokenize = 'porter …'`), so words that match in the index
//! also match here.
//!
//! Deliberately not here: other languages. The index uses one stemmer for all languages, and a word with letters other than a to
//! z is its own stem.

/// Minimum length of a word to be stemmed. Shorter words have no removable suffix.
const LETTERS_MIN: usize = 3;

/// Maximum length of a word to be stemmed. Anything longer is not a word and stays unchanged.
const LETTERS_MAX: usize = 64;

/// Suffixes and their replacements, applied if at least one syllable precedes the suffix.
const STEP_2: [(&str, &str); 20] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: [(&str, &str); 7] =
    [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

/// Suffixes that are removed if at least two syllables precede them. A suffix is listed before any shorter suffix that it ends
/// with.
const STEP_4: [&str; 19] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize", "al", "er",
    "ic", "ou",
];

fn is_consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(word, at - 1),
        _ => true,
    }
}

/// The number of times a vowel is followed by a consonant, which is roughly the number of syllables that end in a consonant.
fn measure(stem: &[u8]) -> usize {
    (1..stem.len()).filter(|&at| is_consonant(stem, at) && !is_consonant(stem, at - 1)).count()
}

fn has_vowel(stem: &[u8]) -> bool {
    (0..stem.len()).any(|at| !is_consonant(stem, at))
}

fn ends_double(word: &[u8]) -> bool {
    let n = word.len();
    n > 1 && word[n - 1] == word[n - 2] && is_consonant(word, n - 1)
}

/// True if the word ends in consonant, vowel, consonant, and the last letter is not w, x or y.
fn ends_short(word: &[u8]) -> bool {
    let n = word.len();
    n > 2
        && is_consonant(word, n - 1)
        && !is_consonant(word, n - 2)
        && is_consonant(word, n - 3)
        && !matches!(word[n - 1], b'w' | b'x' | b'y')
}

fn replace(word: &mut Vec<u8>, ending: &str, with: &str) {
    word.truncate(word.len() - ending.len());
    word.extend_from_slice(with.as_bytes());
}

/// Replaces the first suffix in the table that the word ends with, if at least one syllable precedes it.
fn replace_one(word: &mut Vec<u8>, table: &[(&str, &str)]) {
    let Some((ending, with)) = table.iter().find(|(ending, _)| word.ends_with(ending.as_bytes())) else { return };
    if measure(&word[..word.len() - ending.len()]) > 0 {
        replace(word, ending, with);
    }
}

fn plural(word: &mut Vec<u8>) {
    if word.ends_with(b"sses") || word.ends_with(b"ies") {
        word.truncate(word.len() - 2);
    } else if word.ends_with(b"s") && !word.ends_with(b"ss") {
        word.truncate(word.len() - 1);
    }
}

fn past(word: &mut Vec<u8>) {
    if word.ends_with(b"eed") {
        if measure(&word[..word.len() - 3]) > 0 {
            word.truncate(word.len() - 1);
        }
        return;
    }
    let Some(ending) = ["ed", "ing"].into_iter().find(|ending| word.ends_with(ending.as_bytes())) else { return };
    if !has_vowel(&word[..word.len() - ending.len()]) {
        return;
    }
    word.truncate(word.len() - ending.len());
    if ["at", "bl", "iz"].iter().any(|tail| word.ends_with(tail.as_bytes())) {
        word.push(b'e');
    } else if ends_double(word) {
        if !matches!(word.last(), Some(b'l' | b's' | b'z')) {
            word.truncate(word.len() - 1);
        }
    } else if measure(word) == 1 && ends_short(word) {
        word.push(b'e');
    }
}

fn suffix(word: &mut Vec<u8>) {
    let Some(ending) = STEP_4.iter().find(|ending| word.ends_with(ending.as_bytes())) else { return };
    let rest = &word[..word.len() - ending.len()];
    if measure(rest) > 1 && (*ending != "ion" || matches!(rest.last(), Some(b's' | b't'))) {
        word.truncate(rest.len());
    }
}

fn last_letters(word: &mut Vec<u8>) {
    if word.ends_with(b"e") {
        let rest = &word[..word.len() - 1];
        let syllables = measure(rest);
        if syllables > 1 || syllables == 1 && !ends_short(rest) {
            word.truncate(rest.len());
        }
    }
    if word.ends_with(b"ll") && measure(word) > 1 {
        word.truncate(word.len() - 1);
    }
}

/// The stem of a lowercase word.
pub fn stem(word: &str) -> String {
    let is_english = (LETTERS_MIN..=LETTERS_MAX).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_english {
        return word.to_owned();
    }
    let mut letters = word.as_bytes().to_vec();
    plural(&mut letters);
    past(&mut letters);
    if letters.ends_with(b"y") && has_vowel(&letters[..letters.len() - 1]) {
        letters.pop();
        letters.push(b'i');
    }
    replace_one(&mut letters, &STEP_2);
    replace_one(&mut letters, &STEP_3);
    suffix(&mut letters);
    last_letters(&mut letters);
    // Always valid UTF-8, because only the letters a to z were removed or added.
    String::from_utf8(letters).unwrap_or_else(|_| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_stems_of_porters_paper() {
        let check = |word: &str, expect: &str| assert_eq!(stem(word), expect, "{word}");
        for (word, expect) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("troubled", "troubl"),
            ("sized", "size"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("hissing", "hiss"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("generalizations", "gener"),
            ("oscillators", "oscil"),
            ("hopefulness", "hope"),
            ("electrical", "electr"),
            ("adoption", "adopt"),
            ("replacement", "replac"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controlling", "control"),
            ("roll", "roll"),
            ("running", "run"),
        ] {
            check(word, expect);
        }
        check("café", "café");
        check("of", "of");
        check("x7s", "x7s");
        check(&"s".repeat(LETTERS_MAX + 1), &"s".repeat(LETTERS_MAX + 1));
    }
}
