//! How a conversation sounds: formal or casual, technical or plain, quick or slow, long-winded or short.
//!
//! Three levels each, with the shares they rest on: enough to write an answer that fits, and no more than the signs support.

use std::collections::HashSet;
use std::sync::LazyLock;

use keepsake_domain::Role;
use serde::{Deserialize, Serialize};

use crate::Turn;
use crate::text::{Document, Language, Sentence};

/// How much of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Little of it.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// How quickly people answer each other while they talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Within minutes, as in a chat.
    Quick,
    /// Within the day.
    Steady,
    /// After days, as in letters.
    Slow,
}

/// The tone of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ToneProfile {
    /// How formal.
    pub formality: Level,
    /// From -1 (all signs casual) to 1 (all signs formal).
    pub formality_score: f32,
    /// How technical.
    pub technical_level: Level,
    /// Share of messages with technical signs.
    pub technical_share: f32,
    /// How quickly people answer; nothing before somebody answered at a known time.
    pub pace: Option<Pace>,
    /// The middle time to an answer.
    pub answer_ms: Option<i64>,
    /// Words of the middle message of people.
    pub typical_words: u32,
    /// How many messages this rests on.
    pub messages: u32,
}

/// Answers within this are a chat.
const QUICK_MS: i64 = 15 * 60_000;

/// Answers within this come the same day.
const STEADY_MS: i64 = 24 * 3_600_000;

/// Beyond these a score is one side or the other.
const FORMALITY_MARK: f32 = 0.25;

/// Shares of technical messages.
const TECHNICAL_MEDIUM: f32 = 0.12;
const TECHNICAL_HIGH: f32 = 0.4;

/// A message with this many technical words is technical.
const TECHNICAL_WORDS_MIN: usize = 2;

static CASUAL: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "hey hi hiya yo lol lmao haha hahaha hehe omg wtf btw idk tbh imo ngl gonna wanna gotta kinda sorta yeah yep nope nah dude bro mate guys cool \
     awesome ur u pls plz thx ty np k kk sup xoxo xx hmm ugh yay oops ok okay cheers ciao bruh \
     moin servus hi na jo nö krass geil mega ey digga lg \
     salut coucou ouais mdr ptdr bises cool \
     buenas tío tía vale jaja jajaja guay che \
     oi valeu beleza kkkk rsrs cara né"
        .split_whitespace()
        .collect()
});

static FORMAL: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "dear sincerely regards respectfully furthermore moreover pursuant hereby kindly regarding herewith sir madam cordially therefore enclosed \
     sehr geehrte geehrter geehrten hochachtungsvoll bezüglich hiermit ihnen ihrer freundlichen gestatten \
     madame monsieur cordialement veuillez agréer salutations distinguées vous votre vos \
     estimado estimada atentamente cordialmente usted ustedes adjunto \
     prezado prezada atenciosamente senhor senhora"
        .split_whitespace()
        .collect()
});

const FORMAL_PHRASES: &[&str] = &[
    "i would like to",
    "would you be so kind",
    "could you please",
    "i am writing",
    "please find",
    "looking forward to hearing",
    "at your earliest",
    "i would appreciate",
    "with kind regards",
    "mit freundlichen",
    "je vous prie",
    "me dirijo a",
    "to whom it may concern",
    "thank you for your",
];

static TECHNICAL: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "api apis backend frontend database sql query queries schema server servers deploy deployment docker kubernetes container cluster cache latency \
     throughput commit commits branch merge rebase repo repository compiler compile runtime stack trace debug debugger bug regression endpoint http \
     https json yaml xml csv regex parser script function functions method class struct enum async thread threads mutex memory cpu gpu linux kernel \
     bash python rust java javascript typescript postgres mysql sqlite redis kafka nginx tls ssl dns tcp udp oauth token tokens webhook ci cd pipeline \
     pipelines config refactor library framework module package dependency migration index indexes vector embedding model tensor gradient dataset \
     hypothesis regression variance coefficient p-value algorithm protocol firmware voltage resistor sensor oscilloscope spectrometer titration \
     datenbank schnittstelle abfrage compiler base-de-données requête servidor consulta despliegue"
        .split_whitespace()
        .collect()
});

/// The tone of `turns`; nothing where nobody said anything.
pub fn tone_profile(turns: &[Turn<'_>]) -> Option<ToneProfile> {
    read(&Document::read(turns))
}

pub(super) fn read(document: &Document<'_>) -> Option<ToneProfile> {
    // How people sound; an assistant's style is its own.
    let people: Vec<usize> = document
        .plain
        .iter()
        .copied()
        .filter(|at| document.turns.get(*at).is_some_and(|turn| matches!(turn.role, Role::Owner | Role::Person)))
        .collect();
    if people.is_empty() {
        return None;
    }
    let (mut formal, mut casual, mut technical) = (0.0f32, 0.0f32, 0usize);
    let mut lengths: Vec<usize> = Vec::with_capacity(people.len());
    for at in &people {
        let Some(turn) = document.turns.get(*at) else { continue };
        let sentences = document.of_turn.get(*at).and_then(|range| document.sentences.get(range.clone())).unwrap_or(&[]);
        let (f, c) = signs(turn.text, sentences);
        formal += f.min(2.0);
        casual += c.min(2.0);
        technical += usize::from(is_technical(turn.text, sentences));
        lengths.push(sentences.iter().map(Sentence::words).sum());
    }
    lengths.sort_unstable();
    let formality_score =
        if formal + casual > 0.0 { (formal - casual) / (formal + casual).max(people.len() as f32 * 0.5) } else { 0.0 };
    let technical_share = technical as f32 / people.len() as f32;
    let answer_ms = answer(document);
    Some(ToneProfile {
        formality: match formality_score {
            score if score >= FORMALITY_MARK => Level::High,
            score if score <= -FORMALITY_MARK => Level::Low,
            _ => Level::Medium,
        },
        formality_score,
        technical_level: match technical_share {
            share if share >= TECHNICAL_HIGH => Level::High,
            share if share >= TECHNICAL_MEDIUM => Level::Medium,
            _ => Level::Low,
        },
        technical_share,
        pace: answer_ms.map(|ms| match ms {
            ms if ms <= QUICK_MS => Pace::Quick,
            ms if ms <= STEADY_MS => Pace::Steady,
            _ => Pace::Slow,
        }),
        answer_ms,
        typical_words: lengths.get(lengths.len() / 2).copied().unwrap_or(0) as u32,
        messages: people.len() as u32,
    })
}

/// Formal and casual signs of one message.
fn signs(text: &str, sentences: &[Sentence<'_>]) -> (f32, f32) {
    let (mut formal, mut casual) = (0.0, 0.0);
    let lower = text.to_lowercase().replace('’', "'");
    formal += FORMAL_PHRASES.iter().filter(|phrase| lower.contains(*phrase)).count() as f32;
    for sentence in sentences {
        for token in sentence.tokens.iter().filter(|token| token.is_word) {
            formal += f32::from(u8::from(FORMAL.contains(token.word.as_str())));
            casual += f32::from(u8::from(CASUAL.contains(token.word.as_str())));
            // "I'm", "don't": spoken English.
            casual += if token.is_tail && token.word != "'s" { 0.15 } else { 0.0 };
        }
        // German writes a formal "you" with a capital in the middle of a sentence.
        if sentence.language == Language::German {
            formal +=
                sentence.tokens.iter().skip(1).filter(|token| matches!(token.raw, "Sie" | "Ihnen" | "Ihre" | "Ihren")).count()
                    as f32
                    * 0.5;
        }
    }
    let begins_small = text.trim_start().chars().next().is_some_and(char::is_lowercase);
    let no_stop = !text.trim_end().ends_with(['.', '!', '?', '…', ':']) && text.split_whitespace().count() > 2;
    casual += if begins_small { 0.3 } else { 0.0 } + if no_stop && begins_small { 0.2 } else { 0.0 };
    casual += text.chars().filter(|c| is_emoji(*c)).count().min(2) as f32 * 0.5;
    casual +=
        if text.contains("!!") || text.contains("??") || lower.contains(":)") || lower.contains(":d") || lower.contains(";)") {
            0.5
        } else {
            0.0
        };
    (formal, casual)
}

fn is_emoji(c: char) -> bool {
    matches!(c as u32, 0x1F300..=0x1FAFF | 0x2600..=0x27BF)
}

/// Whether a message speaks the words of a trade.
pub(crate) fn is_technical(text: &str, sentences: &[Sentence<'_>]) -> bool {
    if text.contains("```") || text.matches('`').count() >= 2 || text.contains("::") || text.contains("()") {
        return true;
    }
    let words = sentences.iter().flat_map(|sentence| sentence.tokens.iter()).filter(|token| token.is_word);
    let signs = words.filter(|token| TECHNICAL.contains(token.word.as_str()) || is_identifier(token.raw)).count();
    signs >= TECHNICAL_WORDS_MIN
}

/// `snake_case`, `camelCase`, `v1.2`.
fn is_identifier(word: &str) -> bool {
    let inner_capital = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let version = word.starts_with('v') && word.len() > 1 && word.chars().skip(1).all(|c| c.is_ascii_digit() || c == '.');
    (word.contains('_') && word.len() > 3) || inner_capital || version
}

/// The middle time between a message and the answer of somebody else.
fn answer(document: &Document<'_>) -> Option<i64> {
    let turns: Vec<&Turn<'_>> =
        document.plain.iter().filter_map(|at| document.turns.get(*at)).filter(|turn| turn.time.as_millis() > 0).collect();
    let mut waits: Vec<i64> = turns
        .windows(2)
        .filter(|pair| pair[0].author != pair[1].author || pair[0].role != pair[1].role)
        .map(|pair| (pair[1].time.as_millis() - pair[0].time.as_millis()).max(0))
        .collect();
    waits.sort_unstable();
    waits.get(waits.len() / 2).copied()
}
