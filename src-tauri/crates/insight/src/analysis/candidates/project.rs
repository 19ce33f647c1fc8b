//! Projects: something the owner is at, over more than a moment.
//!
//! "I'm renovating our kitchen" is one when the conversation comes back to it, or when it says outright that it has
//! been going on or by when it must be done.

use std::ops::Range;

use keepsake_domain::{Category, Confidence, Durability, Gate, Role};

use super::clause::{Actor, clause_end, own_clauses, past_adverbs, word};
use super::rewrite::{is_month, third_person};
use super::{Draft, Reading};
use crate::text::{Sentence, is_pronoun, is_stop_word, is_vague_noun, stem};

/// A project is spoken of in at least this many of the owner's messages, unless it is stated with its duration.
const TURNS_MIN: usize = 2;

/// No more statements than this are followed through the conversation, because each is compared with every sentence.
const STATEMENTS_MAX: usize = 24;

/// From here on it is plainly what the conversation is about.
const TURNS_MANY: usize = 3;

/// Verbs of long work, with the small words that belong to them.
const VERBS: &[&[&str]] = &[
    &["working", "on"],
    &["working", "towards"],
    &["working", "toward"],
    &["training", "for"],
    &["studying", "for"],
    &["preparing", "for"],
    &["setting", "up"],
    &["saving", "up", "for"],
    &["saving", "for"],
    &["fundraising", "for"],
    &["building"],
    &["developing"],
    &["creating"],
    &["designing"],
    &["redesigning"],
    &["writing"],
    &["rewriting"],
    &["renovating"],
    &["remodeling"],
    &["remodelling"],
    &["restoring"],
    &["refurbishing"],
    &["converting"],
    &["launching"],
    &["organizing"],
    &["organising"],
    &["planning"],
    &["migrating"],
    &["porting"],
    &["prototyping"],
    &["coding"],
    &["preparing"],
    &["recording"],
    &["composing"],
    &["producing"],
    &["directing"],
    &["translating"],
    &["researching"],
    &["curating"],
    &["starting"],
    &["opening"],
    &["founding"],
    &["editing"],
    &["illustrating"],
    &["running"],
];

/// What is made in an afternoon is no project, whatever the verb.
const SMALL_OBJECTS: &[&str] = &[
    "account",
    "profile",
    "folder",
    "table",
    "playlist",
    "function",
    "method",
    "query",
    "regex",
    "test",
    "tests",
    "email",
    "mail",
    "reply",
    "message",
    "letter",
    "image",
    "container",
    "list",
    "post",
    "pr",
    "commit",
    "branch",
    "file",
    "files",
    "fix",
    "bug",
    "ticket",
    "issue",
    "sandwich",
    "dinner",
    "lunch",
    "breakfast",
    "coffee",
    "cake",
    "script",
    "command",
    "code",
    "server",
    "build",
    "errands",
    "late",
    "loop",
    "class",
    "component",
    "request",
    "response",
    "note",
    "notes",
    "report",
    "slide",
    "slides",
    "homework",
    "meeting",
    "call",
    "document",
    "docs",
    "spreadsheet",
    "pipeline",
    "job",
    "lot",
    "version",
    "errors",
    "problems",
    "windows",
    "macos",
    "linux",
    "tabs",
    "door",
    "scratch",
    "today",
    "tomorrow",
    "tonight",
    "weekend",
    "low",
    "night",
    "evening",
    "party's",
    "nap",
    "bath",
    "assignment",
    "question",
    "summary",
    "pull",
];

/// "Starting", "running" and "opening" begin a project only with these.
const VENTURES: &[&str] = &[
    "business",
    "company",
    "startup",
    "start-up",
    "podcast",
    "blog",
    "newsletter",
    "shop",
    "store",
    "cafe",
    "café",
    "restaurant",
    "bakery",
    "studio",
    "channel",
    "charity",
    "nonprofit",
    "club",
    "practice",
    "agency",
    "farm",
    "gallery",
    "school",
    "campaign",
    "brand",
    "label",
    "community",
    "line",
    "marathon",
    "program",
    "programme",
    "band",
    "course",
    "degree",
    "firm",
    "consultancy",
    "workshop",
    "garden",
];

/// Nouns that are projects by themselves in "my thesis is about …".
const OWN_PROJECTS: &[&str] = &[
    "thesis",
    "dissertation",
    "novel",
    "startup",
    "podcast",
    "album",
    "capstone",
    "phd",
    "side project",
    "research project",
    "renovation",
    "screenplay",
    "memoir",
];

/// Finds the owner's projects.
pub(super) fn find(reading: &mut Reading<'_, '_>) {
    for (_, sentence) in reading.own_sentences() {
        for (actor, subject, at) in own_clauses(sentence, true) {
            if let Some((verb, object)) = verb_phrase(sentence, subject, at, actor) {
                propose(reading, sentence, actor, subject, verb, object);
            }
        }
        named_project(reading, sentence);
    }
}

/// How the statement goes on after "User …", and where the object begins.
struct Verb {
    text: String,
    has_lasted: bool,
}

fn verb_phrase(sentence: &Sentence<'_>, subject: usize, after: usize, actor: Actor) -> Option<(Verb, usize)> {
    let tokens = &sentence.tokens;
    let elided = subject == after;
    let mut at = past_adverbs(tokens, after);
    let mut has_lasted = false;
    let mut lead = actor.agrees("is ", "are ").to_owned();
    match (word(tokens, at), word(tokens, at + 1)) {
        ("am" | "are", _) if !elided => at += 1,
        ("have", _) if !elided && (after..at + 3).any(|i| word(tokens, i) == "been") => {
            at += 1;
            has_lasted = true;
            lead = actor.agrees("has been ", "have been ").to_owned();
        }
        ("started" | "began", next) if next.ends_with("ing") => {
            lead = format!("{} ", word(tokens, at));
            at += 1;
        }
        ("working" | "building" | "writing" | "renovating" | "planning" | "training" | "developing" | "launching", _)
            if elided => {}
        _ => return None,
    }
    at = past_adverbs(tokens, at);
    if (word(tokens, at), word(tokens, at + 1), word(tokens, at + 2)) == ("in", "the", "middle") && word(tokens, at + 3) == "of" {
        at += 4;
    }
    let verb = VERBS.iter().find(|verb| verb.iter().enumerate().all(|(i, part)| word(tokens, at + i) == *part))?;
    let object = at + verb.len();
    Some((Verb { text: lead + &verb.join(" "), has_lasted }, object))
}

fn propose(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>, actor: Actor, subject: usize, verb: Verb, object: usize) {
    let tokens = &sentence.tokens;
    let Some(end) = clause_end(tokens, object, true) else { return };
    let Some(head) = head_of(sentence, object, end) else { return };
    let head_word = word(tokens, head);
    let venture_only = ["starting", "opening", "running", "founding"].iter().any(|v| verb.text.ends_with(v));
    // "Writing Fortran" is a skill, "writing a compiler" a project.
    let single =
        ["writing", "coding", "editing", "recording", "creating", "developing", "designing", "producing", "running", "building"];
    let is_activity = single.iter().any(|v| verb.text.ends_with(v)) && !opens_with_determiner(sentence, object);
    if is_activity
        || SMALL_OBJECTS.contains(&head_word)
        || venture_only && !(object..end).any(|at| VENTURES.contains(&word(tokens, at)))
    {
        return;
    }
    if !reading.may(sentence, subject..end) {
        return;
    }
    let telling = telling_words(sentence, object, end);
    if telling.is_empty() || telling.iter().all(|word| is_vague_noun(word) || word == "project" || word == "app") {
        reading.stop(Gate::Vague, "It does not say what the project is.", sentence);
        return;
    }
    let Some(rest) = third_person(sentence, object..end, reading.time(sentence.turn)) else {
        reading.stop(Gate::Vague, "The sentence leans on the moment or on the listener and cannot stand alone.", sentence);
        return;
    };
    let content = format!("{} {} {rest}", actor.name(), verb.text);
    let lasts = verb.has_lasted && telling.len() >= 2 || (object..end).any(|at| marks_duration(sentence, at));
    let statement = Statement {
        place: tokens[subject].bytes.start..tokens[end - 1].bytes.end,
        content,
        telling,
        head: stem(head_word),
        lasts,
    };
    conclude(reading, sentence, statement);
}

/// "My side project is a budgeting app": the noun itself says that it is one.
fn named_project(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>) {
    let tokens = &sentence.tokens;
    for at in 0..tokens.len().saturating_sub(3) {
        if word(tokens, at) != "my" {
            continue;
        }
        let two = format!("{} {}", word(tokens, at + 1), word(tokens, at + 2));
        let (noun, verb) = if OWN_PROJECTS.contains(&two.as_str()) {
            (two, at + 3)
        } else if OWN_PROJECTS.contains(&word(tokens, at + 1)) {
            (word(tokens, at + 1).to_owned(), at + 2)
        } else {
            continue;
        };
        let states = matches!(word(tokens, verb), "is" | "'s")
            && matches!(word(tokens, verb + 1), "about" | "a" | "an" | "on" | "called" | "due");
        let Some(end) = clause_end(tokens, verb + 1, false).filter(|_| states) else { continue };
        let opens = at == 0 || tokens[at - 1].is_break() || matches!(word(tokens, at - 1), "and" | "so" | "but");
        if !opens || !reading.may(sentence, at..end) {
            continue;
        }
        let mut telling = telling_words(sentence, verb + 1, end);
        telling.push(noun.split(' ').next_back().map(stem).unwrap_or_default());
        let Some(rest) = third_person(sentence, verb + 1..end, reading.time(sentence.turn)) else { continue };
        let content = format!("User's {noun} is {rest}");
        let head = telling.last().cloned().unwrap_or_default();
        let lasts = telling.len() >= 3;
        conclude(
            reading,
            sentence,
            Statement { place: tokens[at].bytes.start..tokens[end - 1].bytes.end, content, telling, head, lasts },
        );
    }
}

/// A statement that the owner is at something, before it is weighed.
struct Statement {
    place: Range<usize>,
    content: String,
    /// Stems by which other messages are recognised as speaking of it.
    telling: Vec<String>,
    /// The stem of what the project is: "marathon" in "the Berlin marathon".
    head: String,
    /// It says that it goes on, or by when it is due.
    lasts: bool,
}

fn conclude(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>, statement: Statement) {
    let considered = reading.drafts.iter().filter(|draft| draft.category == Category::Project).count();
    if considered + reading.stops.len() >= STATEMENTS_MAX {
        return;
    }
    let lasts = statement.lasts;
    if let Some(given_up) = given_up_later(reading, sentence, &statement.telling) {
        reading.stop(Gate::Retracted, "The person says later that it was given up.", given_up);
        return;
    }
    let mentions = mentions(reading, sentence, &statement);
    let turns = mentions.len() + 1;
    if turns < TURNS_MIN && !lasts {
        reading.stop(Gate::LowConfidence, "It is mentioned once, without a sign that it goes on.", sentence);
        return;
    }
    let (confidence, why) = match turns {
        TURNS_MANY.. => (Confidence::STATED, format!("The person says so and comes back to it in {turns} messages.")),
        TURNS_MIN.. if lasts => (Confidence::STATED, "The person says so, that it goes on, and comes back to it.".to_owned()),
        TURNS_MIN.. => (Confidence::IMPLIED, "The person says so and comes back to it.".to_owned()),
        _ => (Confidence::IMPLIED, "The person says so and that it has been going on or by when it is due.".to_owned()),
    };
    let evidence = [(sentence.turn, statement.place)].into_iter().chain(mentions).collect();
    let weight = 2.0 + turns.min(6) as f32 * 0.3;
    let content = statement.content;
    reading.drafts.push(Draft {
        category: Category::Project,
        content,
        confidence,
        durability: Durability::Situational,
        reasoning: why,
        evidence,
        weight,
    });
}

/// One sentence from each other message of the owner that speaks of the same, in order.
///
/// It must name the project's own noun or two of its telling words; where that noun is a general one ("trip"), a name will do.
fn mentions(reading: &Reading<'_, '_>, sentence: &Sentence<'_>, statement: &Statement) -> Vec<(usize, Range<usize>)> {
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    for other in &reading.document.sentences {
        if other.role != Role::Owner || other.turn == sentence.turn || found.last().is_some_and(|(turn, _)| *turn == other.turn) {
            continue;
        }
        let mut common: Vec<String> = Vec::new();
        let mut names = false;
        for token in other.tokens.iter().filter(|token| token.is_word && token.word.len() > 2) {
            let is_foreign = other.foreign.iter().any(|range| range.contains(&token.bytes.start));
            let stem = stem(&token.word);
            if !is_foreign && statement.telling.contains(&stem) && !common.contains(&stem) {
                names |= token.is_capitalised();
                common.push(stem);
            }
        }
        let has_own_noun = statement.telling.contains(&statement.head);
        if common.len() >= 2 || common.contains(&statement.head) || names && !has_own_noun {
            found.push((other.turn, other.bytes.clone()));
        }
    }
    found
}

fn given_up_later<'d>(reading: &Reading<'d, '_>, sentence: &Sentence<'_>, telling: &[String]) -> Option<&'d Sentence<'d>> {
    let document = reading.document;
    document.sentences.iter().find(|later| {
        let after = (later.turn, later.bytes.start) > (sentence.turn, sentence.bytes.start) && later.role == Role::Owner;
        let words = || later.tokens.iter().map(|token| token.word.as_str());
        let gives_up = words().any(|w| {
            matches!(w, "abandoned" | "scrapped" | "scrap" | "shelved" | "cancelled" | "canceled" | "cancel" | "dropped")
        }) || later.text.contains("fell through")
            || later.text.contains("called off")
            || later.text.contains("gave up on")
            || later.text.contains("given up on")
            || later.text.contains("giving up on");
        after && gives_up && !later.is_question && words().any(|w| telling.contains(&stem(w)))
    })
}

/// The head of the noun phrase that begins at `object`: its last noun before a preposition or a relative clause.
/// `None` where no noun phrase stands there.
fn head_of(sentence: &Sentence<'_>, object: usize, end: usize) -> Option<usize> {
    let tokens = &sentence.tokens;
    let first = word(tokens, object);
    let is_phrase = !is_pronoun(first)
        && !matches!(
            first,
            "to" | "on"
                | "in"
                | "at"
                | "how"
                | "what"
                | "something"
                | "stuff"
                | "things"
                | "some"
                | "them"
                | "him"
                | "her"
                | "me"
                | "with"
                | "as"
                | "from"
                | "for"
                | "about"
                | "anything"
                | "up"
                | "out"
                | "one"
                | "myself"
                | "around"
                | "and"
                | "so"
                | "ahead"
                | "your"
        );
    if !is_phrase {
        return None;
    }
    let stops = |at: usize| {
        matches!(
            word(tokens, at),
            "of" | "for"
                | "with"
                | "that"
                | "to"
                | "in"
                | "on"
                | "about"
                | "using"
                | "by"
                | "at"
                | "from"
                | "where"
                | "when"
                | "into"
                | "as"
                | "and"
                | "this"
                | "since"
                | "after"
                | "before"
                | "until"
                | "during"
                | "around"
                | "called"
                | "named"
                | "again"
                | "which"
                | "next"
                | "over"
                | "while"
        ) || !tokens[at].is_word && tokens[at].raw != "-"
    };
    let border = (object + 1..end).find(|at| stops(*at)).unwrap_or(end);
    (object..border).rev().find(|at| tokens[*at].is_word)
}

fn opens_with_determiner(sentence: &Sentence<'_>, object: usize) -> bool {
    let first = word(&sentence.tokens, object);
    let named = sentence.tokens.get(object).is_some_and(|token| token.is_capitalised())
        && sentence.tokens.get(object + 1).is_some_and(|token| token.is_word);
    matches!(first, "a" | "an" | "the" | "my" | "our" | "another" | "two" | "three" | "several")
        || named && word(&sentence.tokens, object + 1) != "since"
}

/// Stems by which other messages are recognised as speaking of the same.
fn telling_words(sentence: &Sentence<'_>, object: usize, end: usize) -> Vec<String> {
    let mut telling: Vec<String> = Vec::new();
    for token in sentence.tokens.get(object..end).unwrap_or(&[]) {
        let says_little = is_stop_word(&token.word)
            || is_vague_noun(&token.word)
            || is_month(&token.word)
            || token.word.chars().all(|c| c.is_ascii_digit());
        let general = matches!(
            token.word.as_str(),
            "project"
                | "team"
                | "app"
                | "trip"
                | "company"
                | "big"
                | "small"
                | "called"
                | "family"
                | "home"
                | "friends"
                | "using"
        );
        let stem = stem(&token.word);
        if token.is_word && token.word.len() > 2 && !says_little && !general && !telling.contains(&stem) {
            telling.push(stem);
        }
    }
    telling
}

/// "for two years", "since March", "by June", "this year": it goes on, or has a date.
fn marks_duration(sentence: &Sentence<'_>, at: usize) -> bool {
    let tokens = &sentence.tokens;
    let unit = |at: usize| matches!(word(tokens, at), "years" | "months" | "weeks" | "year" | "months'" | "ages" | "decade");
    match word(tokens, at) {
        "for" => (1..=4).any(|i| unit(at + i)),
        "since" => tokens
            .get(at + 1)
            .is_some_and(|next| next.is_capitalised() || next.word.chars().all(|c| c.is_ascii_digit()) || next.word == "last"),
        "by" | "before" | "in" => is_month(word(tokens, at + 1)),
        _ => false,
    }
}
