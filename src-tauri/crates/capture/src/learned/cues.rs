//! What the linear model sees of a clause, as hashed columns.
//!
//! Words alone would only remember the training text; their classes, their endings and the clause's shape carry over to
//! words that it does not hold. Deliberately not here: anything beyond the clause, which the gates read.

use super::BUCKETS;
use crate::clause::is_year;
use crate::frames::{has_duration, has_frequency, has_future_time, has_life_time, is_passing};
use crate::lexicon::*;
use crate::parse::{Actor, Parsed};
use crate::token::{Kind, Token};

/// Words of a complement beyond this many repeat what the first ones said.
const WORDS_MAX: usize = 14;

/// Collects columns.
struct Columns(Vec<u16>);

impl Columns {
    /// Adds the cue `parts` of the sort `sort`.
    fn add(&mut self, sort: u8, parts: &[&str]) {
        let mut hash: u32 = 0x811c_9dc5;
        let mut eat = |byte: u8| hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        eat(sort);
        for part in parts {
            part.bytes().for_each(&mut eat);
            eat(0x1f);
        }
        // The low bits of this hash are its weakest: fold the high ones in.
        let column = (hash ^ (hash >> 15)) & (BUCKETS as u32 - 1);
        self.0.push(u16::try_from(column).unwrap_or(0));
    }
}

/// Classes of a word that say what kind of thing it is.
fn classes(token: &Token, mut each: impl FnMut(&'static str)) {
    let word = token.low.as_str();
    let sets: [(&'static str, &WordSet); 17] = [
        ("kin", &KIN),
        ("associate", &ASSOCIATE),
        ("pet", &PETS),
        ("health", &HEALTH),
        ("belonging", &BELONGINGS),
        ("degree", &DEGREES),
        ("trade", &TRADES),
        ("devotee", &DEVOTEES),
        ("jest", &JESTS),
        ("trait", &TRAITS_PERSONAL),
        ("diet", &TRAITS_PREFERENCE),
        ("tie", &TRAITS_TIES),
        ("passing", &PASSING),
        ("event", &EVENTS),
        ("count", &PASSING_COUNTS),
        ("having", &PASSING_HAVINGS),
        ("language", &LANGUAGES),
    ];
    for (name, set) in sets {
        if set.contains(word) {
            each(name);
        }
    }
    if TODAY.contains(word) {
        each("today");
    }
    if FREQUENCY.contains(word) {
        each("frequency");
    }
    if one_of(word, MONTHS) {
        each("month");
    }
    if one_of(word, WEEKDAYS) {
        each("weekday");
    }
    if is_year(word) {
        each("year");
    } else if token.kind == Kind::Number || one_of(word, "one two three four five six seven eight nine ten eleven twelve twenty")
    {
        each("number");
    }
    if PROPER.contains(word) || token.is_capital && token.kind == Kind::Word {
        each("name");
    }
    if one_of(word, "it this that these those them they he she him her his") {
        each("pointing");
    }
    if one_of(word, "you your yours") {
        each("addressed");
    }
    if one_of(word, "my our me us myself") {
        each("own");
    }
    if one_of(
        word,
        "file files code function script query table error bug branch test tests log logs build server api app page button link
        row rows column columns list array string loop class method variable token key order parcel refund account invoice email message
        password version update driver docs commit repo endpoint container line tab option draft ticket reply step settings",
    ) {
        each("matter");
    }
    if one_of(word, "years year decades decade months childhood life born since ago") {
        each("span");
    }
}

fn verb_classes(base: &str, mut each: impl FnMut(&'static str)) {
    let sets: [(&'static str, &WordSet); 9] = [
        ("habit", &HABIT),
        ("trade", &TRADE),
        ("life", &LIFE),
        ("plain", &LIFE_PLAIN),
        ("undertaking", &UNDERTAKING),
        ("aspiration", &ASPIRATION),
        ("no-habit", &NO_HABIT),
        ("speech", &SPEECH),
        ("liking", &LIKING),
    ];
    for (name, set) in sets {
        if set.contains(base) {
            each(name);
        }
    }
}

/// The last three letters of a word, by which trades and states are told ("-ist", "-ing").
fn ending(word: &str) -> Option<&str> {
    let from = word.char_indices().rev().nth(2)?.0;
    (from > 1).then(|| &word[from..])
}

/// The columns of a clause.
pub(super) fn of(p: &Parsed<'_>) -> Vec<u16> {
    /// Some four cues a word and forty a clause.
    const COLUMNS_MOST: usize = 128;
    let mut out = Columns(Vec::with_capacity(COLUMNS_MOST));
    let actor = match p.actor {
        Actor::Speaker if p.is_plural => "we",
        Actor::Speaker => "i",
        Actor::Dropped => "dropped",
        Actor::Other => "other",
        Actor::Possession(..) => "my",
    };
    let tense = match p.tense {
        crate::parse::Tense::Present => "present",
        crate::parse::Tense::Past => "past",
        crate::parse::Tense::Perfect => "perfect",
        crate::parse::Tense::PerfectProgressive => "perfect-progressive",
        crate::parse::Tense::Progressive => "progressive",
        crate::parse::Tense::PastProgressive => "past-progressive",
        crate::parse::Tense::Copula => "copula",
        crate::parse::Tense::PastCopula => "past-copula",
        crate::parse::Tense::PerfectCopula => "perfect-copula",
        crate::parse::Tense::Have => "have",
        crate::parse::Tense::GoingTo => "going-to",
        crate::parse::Tense::Modal => "modal",
        crate::parse::Tense::UsedTo => "used-to",
        crate::parse::Tense::Other => "other",
    };
    let base = p.base.as_str();
    let not = if p.is_negated { "not" } else { "" };
    out.add(b'0', &[]);
    out.add(b'a', &[actor]);
    out.add(b't', &[tense, not]);
    out.add(b'A', &[actor, tense]);
    out.add(b'v', &[base]);
    out.add(b'V', &[base, tense]);
    out.add(b'm', &[p.modal, base]);
    out.add(b'1', &[tense, p.word(0)]);
    out.add(b'2', &[base, p.word(0)]);
    out.add(b'3', &[base, p.word(0), p.word(1)]);
    verb_classes(base, |class| {
        out.add(b'c', &[class, tense]);
        out.add(b'C', &[class, tense, not]);
    });
    for at in &p.adverbs {
        out.add(b'd', &[&p.tokens[*at].low, tense]);
    }
    let length = match p.end.saturating_sub(p.rest) {
        0 => "0",
        1 => "1",
        2 => "2",
        3 | 4 => "4",
        5..=8 => "8",
        _ => "9",
    };
    out.add(b'l', &[length, tense]);
    out.add(b'L', &[length, actor]);
    for (name, holds) in [
        ("duration", has_duration(p)),
        ("frequency", has_frequency(p)),
        ("life", has_life_time(p)),
        ("future", has_future_time(p)),
        ("passing", is_passing(p)),
    ] {
        if holds {
            out.add(b'f', &[name]);
            out.add(b'F', &[name, tense]);
        }
    }
    if let Actor::Possession(lo, hi) = p.actor {
        for token in &p.tokens[lo..hi.min(p.tokens.len())] {
            out.add(b'n', &[&token.low]);
            out.add(b'N', &[&token.low, tense]);
            classes(token, |class| {
                out.add(b'o', &[class]);
                out.add(b'O', &[class, tense]);
            });
        }
        out.add(b'h', &[&p.tokens[hi.saturating_sub(1).min(p.tokens.len() - 1)].low, base]);
    }
    let words = &p.tokens[p.rest.min(p.end)..p.end];
    let mut previous = "";
    for (n, token) in words.iter().take(WORDS_MAX).enumerate() {
        let word = token.low.as_str();
        out.add(b'w', &[word]);
        out.add(b'b', &[previous, word]);
        if let Some(end) = ending(word) {
            out.add(b'e', &[end]);
        }
        let place = if n == 0 { "first" } else { "later" };
        classes(token, |class| {
            out.add(b'k', &[class]);
            out.add(b'K', &[class, tense]);
            out.add(b'p', &[class, tense, place]);
            out.add(b'q', &[class, base]);
        });
        previous = word;
    }
    out.add(b'z', &[previous]);
    for word in p.front_words() {
        out.add(b'y', &[word]);
    }
    out.0.sort_unstable();
    out.0.dedup();
    out.0
}
