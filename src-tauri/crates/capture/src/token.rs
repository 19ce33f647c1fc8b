//! Words of a sentence with their places, contractions undone, so that every rule reads "i am not" whether somebody
//! typed "I'm not", "im not" or "i’m not".
//!
//! Deliberately not here: meaning. A token knows its letters and its bytes and nothing else.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters, perhaps with digits, hyphens and apostrophes.
    Word,
    /// Digits first: `2015`, `10,000`, `38th`, `180cm`.
    Number,
    /// One punctuation mark.
    Mark,
    /// Emoji and other symbols.
    Symbol,
    /// A line break.
    Break,
}

/// One word or mark. Two tokens of one contraction share their bytes.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// Lower case, typographic apostrophes made plain, contraction undone.
    pub(crate) low: String,
    /// First byte in the message.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
    /// What it is made of.
    pub(crate) kind: Kind,
    /// `low` stands for the text; the raw bytes are a contraction or slang and must not be shown.
    pub(crate) is_expanded: bool,
    /// The raw text begins with a capital letter.
    pub(crate) is_capital: bool,
}

impl Token {
    /// Whether this is a word or a number.
    pub(crate) fn is_wordy(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Number)
    }
}

/// Slang and contractions with fixed readings.
const EXPANSIONS: &[(&str, &str)] = &[
    ("i'm", "i am"),
    ("im", "i am"),
    ("i'am", "i am"),
    ("ive", "i have"),
    ("i've", "i have"),
    ("i'll", "i will"),
    ("we're", "we are"),
    ("we've", "we have"),
    ("weve", "we have"),
    ("we'll", "we will"),
    ("you're", "you are"),
    ("youre", "you are"),
    ("you've", "you have"),
    ("you'll", "you will"),
    ("they're", "they are"),
    ("theyre", "they are"),
    ("they've", "they have"),
    ("they'll", "they will"),
    ("he'll", "he will"),
    ("she'll", "she will"),
    ("it'll", "it will"),
    ("that'll", "that will"),
    ("don't", "do not"),
    ("dont", "do not"),
    ("doesn't", "does not"),
    ("doesnt", "does not"),
    ("didn't", "did not"),
    ("didnt", "did not"),
    ("can't", "can not"),
    ("cant", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("wont", "will not"),
    ("isn't", "is not"),
    ("isnt", "is not"),
    ("aren't", "are not"),
    ("arent", "are not"),
    ("wasn't", "was not"),
    ("wasnt", "was not"),
    ("weren't", "were not"),
    ("haven't", "have not"),
    ("havent", "have not"),
    ("hasn't", "has not"),
    ("hasnt", "has not"),
    ("hadn't", "had not"),
    ("wouldn't", "would not"),
    ("wouldnt", "would not"),
    ("couldn't", "could not"),
    ("couldnt", "could not"),
    ("shouldn't", "should not"),
    ("shouldnt", "should not"),
    ("mustn't", "must not"),
    ("ain't", "am not"),
    ("aint", "am not"),
    ("wanna", "want to"),
    ("gonna", "going to"),
    ("gotta", "got to"),
    ("u", "you"),
    ("ur", "your"),
    ("imma", "i am going to"),
    ("ima", "i am going to"),
    ("cuz", "because"),
    ("cos", "because"),
    ("coz", "because"),
    ("bc", "because"),
    ("'cause", "because"),
    ("fave", "favourite"),
    ("favorite", "favourite"),
    ("fav", "favourite"),
    ("favorites", "favourites"),
    ("tho", "though"),
    ("w/", "with"),
    ("liv", "live"),
    ("luv", "love"),
    ("hav", "have"),
    ("favrite", "favourite"),
    ("prefr", "prefer"),
    ("wrk", "work"),
    ("let's", "let us"),
    ("lets", "let us"),
    ("yrs", "years"),
    ("yr", "year"),
    ("bday", "birthday"),
    ("b-day", "birthday"),
];

/// [`EXPANSIONS`] for look-up.
static EXPANSION_OF: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| EXPANSIONS.iter().copied().collect());

/// Words after which `'s` is a verb and never a possessive.
const IS_HOSTS: &[&str] = &[
    "he",
    "she",
    "it",
    "that",
    "there",
    "here",
    "who",
    "what",
    "where",
    "how",
    "when",
    "why",
    "this",
    "everything",
    "name",
    "mine",
];

/// Words before which `'s` on a noun is a verb.
const IS_HEADS: &[&str] = &[
    "a",
    "an",
    "the",
    "in",
    "on",
    "at",
    "from",
    "not",
    "been",
    "got",
    "called",
    "named",
    "also",
    "always",
    "never",
    "just",
    "now",
    "still",
    "allergic",
    "vegan",
    "vegetarian",
    "married",
    "pregnant",
    "dead",
    "due",
    "half",
    "getting",
    "moving",
    "turning",
    "my",
    "our",
    "going",
    "coming",
    "late",
    "too",
    "very",
    "really",
    "so",
    "pretty",
    "retired",
    "next",
    "about",
    "with",
    "currently",
    "working",
    "studying",
    "learning",
    "living",
    "starting",
    "doing",
    "having",
    "only",
    "to",
    "old",
    "older",
    "younger",
    "booked",
];

/// Splits `text[from..to]` into tokens whose places count from the start of `text`.
pub(crate) fn tokenize(text: &str, from: usize, to: usize) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = from;
    while at < to {
        let Some(c) = text[at..to].chars().next() else { break };
        if c == '\n' {
            tokens.push(plain(text, at, at + 1, Kind::Break));
            at += 1;
        } else if c.is_whitespace() || is_invisible(c) {
            at += c.len_utf8();
        } else if c.is_alphanumeric() {
            let end = word_end(text, at, to);
            push_word(&mut tokens, text, at, end);
            at = end;
        } else {
            let end = at + c.len_utf8();
            let kind = if c.is_ascii_punctuation() || is_typographic(c) { Kind::Mark } else { Kind::Symbol };
            tokens.push(plain(text, at, end, kind));
            at = end;
        }
    }
    settle_clitics(&mut tokens);
    tokens
}

/// Zero-width and direction marks: never shown, never part of a word.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{00ad}' | '\u{fe0f}')
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

fn is_typographic(c: char) -> bool {
    matches!(
        c,
        '“' | '”'
            | '‘'
            | '’'
            | '«'
            | '»'
            | '„'
            | '…'
            | '–'
            | '—'
            | '¿'
            | '¡'
            | '、'
            | '。'
            | '！'
            | '？'
            | '「'
            | '」'
            | '・'
    )
}

fn word_end(text: &str, from: usize, to: usize) -> usize {
    let mut end = from;
    let mut chars = text[from..to].char_indices().peekable();
    let is_number = text[from..].chars().next().is_some_and(|c| c.is_ascii_digit());
    while let Some((i, c)) = chars.next() {
        let next_is_alnum = chars.peek().is_some_and(|(_, n)| n.is_alphanumeric());
        let next_is_digit = chars.peek().is_some_and(|(_, n)| n.is_ascii_digit());
        let joins = c.is_alphanumeric()
            || (matches!(c, '\'' | '’' | '´' | '-' | '+' | '#' | '_') && next_is_alnum)
            || (matches!(c, '.' | ',' | ':') && is_number && next_is_digit)
            || (matches!(c, '+' | '#') && !c.is_whitespace() && end > from && end - from <= 2)
            || (c == '/' && &text[from..end] == "w");
        if !joins {
            break;
        }
        end = from + i + c.len_utf8();
    }
    end.max(from + text[from..].chars().next().map_or(1, char::len_utf8))
}

fn plain(text: &str, start: usize, end: usize, kind: Kind) -> Token {
    let raw = &text[start..end];
    Token {
        low: raw.to_lowercase().replace(['’', '´', '‘'], "'"),
        start,
        end,
        kind,
        is_expanded: false,
        is_capital: raw.chars().next().is_some_and(char::is_uppercase),
    }
}

fn push_word(tokens: &mut Vec<Token>, text: &str, start: usize, end: usize) {
    let kind = if text.as_bytes()[start].is_ascii_digit() { Kind::Number } else { Kind::Word };
    let token = plain(text, start, end, kind);
    if let Some(reading) = EXPANSION_OF.get(token.low.as_str()) {
        // "its" typed for "it's" and "ill" for "I'll" stay as they are: the reading would be a guess.
        for word in reading.split(' ') {
            tokens.push(Token { low: word.to_owned(), is_expanded: true, ..token.clone() });
        }
        return;
    }
    for clitic in ["'s", "'d", "'re", "'ll", "'ve"] {
        if let Some(host) = token.low.strip_suffix(clitic).filter(|host| !host.is_empty()) {
            let cut = end - clitic.len().max(raw_clitic_bytes(&text[start..end]));
            tokens.push(Token { low: host.to_owned(), end: cut, ..token.clone() });
            let low = match clitic {
                "'re" => "are",
                "'ll" => "will",
                "'ve" => "have",
                other => other,
            };
            tokens.push(Token {
                low: low.to_owned(),
                start: cut,
                end,
                kind: Kind::Word,
                is_expanded: clitic.len() > 2,
                is_capital: false,
            });
            return;
        }
    }
    tokens.push(token);
}

/// Bytes of the clitic as typed: a typographic apostrophe takes three.
fn raw_clitic_bytes(raw: &str) -> usize {
    raw.rfind(['\'', '’', '´', '‘']).map_or(0, |at| raw.len() - at)
}

/// Words that follow "is" and no possessive: "my daughter's coeliac", "dad's retiring".
fn is_said_of_somebody(word: &str) -> bool {
    crate::lexicon::TRAITS_PERSONAL.contains(word) && !matches!(word, "tall" | "straight" | "lactose" | "visually")
        || crate::lexicon::TRAITS_PREFERENCE.contains(word)
        || crate::lexicon::TRAITS_TIES.contains(word)
        || matches!(word, "away" | "off" | "called" | "named" | "dead" | "ill" | "teaching" | "retiring" | "expecting")
}

/// Reads `'s` as is, has or possessive, and `'d` as would or had, by what follows.
fn settle_clitics(tokens: &mut [Token]) {
    for i in 1..tokens.len() {
        let (next_low, next_kind) = tokens.get(i + 1).map_or((String::new(), Kind::Mark), |t| (t.low.clone(), t.kind));
        let host = tokens[i - 1].low.clone();
        // "at my sister's in Ghent": the sister's home.
        if tokens[i].low == "'s"
            && i >= 3
            && matches!(tokens[i - 3].low.as_str(), "at" | "from")
            && matches!(tokens[i - 2].low.as_str(), "my" | "our")
        {
            continue;
        }
        let reading = match tokens[i].low.as_str() {
            "'s" if matches!(next_low.as_str(), "been" | "got") => "has",
            "'s" if matches!(host.as_str(), "master" | "masters" | "bachelor" | "people" | "today" | "last" | "everyone") => {
                continue;
            }
            "'s" if IS_HOSTS.contains(&host.as_str()) => "is",
            "'s" if is_said_of_somebody(&next_low) && !next_low.is_empty() => "is",
            "'s" if IS_HEADS.contains(&next_low.as_str()) || (next_kind == Kind::Number && next_low.len() <= 3) => "is",
            "'d" if matches!(next_low.as_str(), "been" | "better" | "had" | "gone" | "forgotten" | "never") => "had",
            "'d" => "would",
            _ => continue,
        };
        tokens[i].low = reading.to_owned();
        tokens[i].is_expanded = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let lows: Vec<String> = tokenize(text, 0, text.len()).into_iter().map(|t| t.low).collect();
        assert_eq!(lows.join(" "), expect, "tokens of {text:?}");
    }

    #[test]
    fn contractions_and_slang_are_undone() {
        check("I'm not", "i am not");
        check("im vegan, dont ask", "i am vegan , do not ask");
        check("I’ve got 2 dogs", "i have got 2 dogs");
        check("wife's a nurse", "wife is a nurse");
        check("my wife's brother", "my wife 's brother");
        check("she's been here", "she has been here");
        check("i write C++ and C#", "i write c++ and c#");
        check("since 10,000 years", "since 10,000 years");
    }

    #[test]
    fn places_are_bytes_of_the_message() {
        let text = "Größe 🙂 i’m 38";
        let tokens = tokenize(text, 0, text.len());
        assert_eq!(&text[tokens[2].start..tokens[2].end], "i’m", "a contraction keeps its raw place");
        assert_eq!(&text[tokens[4].start..tokens[4].end], "38");
    }
}
