//! Pending actions: who promised whom what, until when, and whether it was kept.
//!
//! A promise is a deed in the first person and the future, said plainly. Conditions, doubts, questions, refusals, the past and
//! somebody else's words promise nothing, and an assistant's offers are no commitments. A promise is settled by what is said later,
//! and the place where it was said is kept beside it.

use std::ops::Range;

use keepsake_domain::{Role, Timestamp};
use serde::{Deserialize, Serialize};

use super::deeds::{
    ACCEPTANCES, ASKING, CAME, DEEDS, DONE, DONE_VERBS, DOUBTS, KIN, NO_DEEDS, ON_THE_WAY, OPENINGS, RECEIVED, RELEASED,
    REQUESTS, STRENGTHENERS, TELLING, THERE, WEAK_DEEDS, WHOLES,
};
use super::due::{self, Due};
use super::{Moment, Place};
use crate::Turn;
use crate::text::{Document, Sentence, Token, is_stop_word, stem};

/// An opening stands this far into its clause at most: "Sure, no problem, I'll …".
const OPENING_WORDS_MAX: usize = 12;

/// An acceptance is an answer of its own and no longer than this.
const ACCEPTANCE_WORDS_MAX: usize = 6;

/// An answer follows what it answers within so many turns.
const ANSWER_TURNS_MAX: usize = 3;

/// Between an opening and its deed: "I'll quickly send".
const DEED_DISTANCE_MAX: usize = 2;

/// Who owes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Debtor {
    /// The owner.
    Owner,
    /// The author of this name.
    Person(String),
}

/// How a promise ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Settlement {
    /// It was kept: somebody said so here.
    Kept {
        /// Where.
        place: Place,
    },
    /// The one who waited let it go here.
    Released {
        /// Where.
        place: Place,
    },
}

/// One promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commitment {
    /// Who promised.
    pub debtor: Debtor,
    /// To whom, by name: the one other who speaks; nothing in a group, where it is open.
    pub creditor: Option<Debtor>,
    /// What, in the words of the promise or of the request that was accepted.
    pub what: String,
    /// Where it was promised.
    pub place: Place,
    /// Where the request stands that was accepted.
    pub request: Option<Place>,
    /// Until when, where it was said.
    pub due: Option<Due>,
    /// How it ended; nothing while it is pending.
    pub settlement: Option<Settlement>,
}

impl Commitment {
    /// Whether it is still to be done.
    pub fn is_pending(&self) -> bool {
        self.settlement.is_none()
    }
}

/// Where the trained reader found promises: of each turn, in bytes.
pub type Promised = [Vec<Range<usize>>];

/// The promises of a conversation, settled ones included, in order: those that the reader marked, or, where it is not there, those that
/// the rules see.
pub fn commitments(turns: &[Turn<'_>], promised: Option<&Promised>, moment: Moment) -> Vec<Commitment> {
    read(&Document::read(turns), promised, moment)
}

/// A promise while it is open, with the words by which its keeping is recognised.
struct Open {
    commitment: Commitment,
    stems: Vec<String>,
    deed: Option<&'static str>,
}

/// A promise as it was made.
struct Made {
    place: Place,
    what: String,
    stems: Vec<String>,
    deed: Option<&'static str>,
}

pub(super) fn read(document: &Document<'_>, promised: Option<&Promised>, moment: Moment) -> Vec<Commitment> {
    let mut found: Vec<Open> = Vec::new();
    let mut request: Option<(usize, &Sentence<'_>)> = None;
    for (at, sentence) in document.sentences.iter().enumerate() {
        let Some(turn) = document.turns.get(sentence.turn) else { continue };
        let Some(speaker) = debtor(turn) else { continue };
        settle(&mut found, document, sentence, &speaker);
        let words = Words::of(sentence);
        let asked = request.filter(|(_, asked)| {
            sentence.turn > asked.turn
                && sentence.turn - asked.turn <= ANSWER_TURNS_MAX
                && document.turns.get(asked.turn).and_then(debtor).is_some_and(|other| other != speaker)
        });
        let is_acceptance = words.begins_with_any(ACCEPTANCES) && words.len() <= ACCEPTANCE_WORDS_MAX;
        let accepted = asked.filter(|_| is_acceptance).map(|(_, asked)| asked);
        let mut made = match promised {
            Some(promised) => marked(document, at, promised),
            None => ruled(document, sentence, &words, accepted.is_some()).into_iter().collect(),
        };
        if made.is_empty() {
            if words.requests() {
                request = Some((sentence.turn, sentence));
            }
            continue;
        }
        if let (Some(asked), [made]) = (accepted, made.as_mut_slice()) {
            let range = request_range(asked);
            let Some(what) = text_of(asked, range.clone()) else { continue };
            (made.what, made.stems, made.deed) = (what, content_stems(asked, range), None);
        }
        let due = due::find(&sentence.tokens, turn.time, moment.utc_offset_minutes)
            .or_else(|| accepted.and_then(|asked| due::find(&asked.tokens, turn.time, moment.utc_offset_minutes)))
            .map(|(due, _)| due);
        let request_place = accepted.and_then(|asked| place_of(document, asked));
        if accepted.is_some() {
            request = None;
        }
        found.extend(made.into_iter().map(|made| Open {
            commitment: Commitment {
                creditor: creditor(document, &speaker),
                debtor: speaker.clone(),
                what: made.what,
                place: made.place,
                request: request_place,
                due,
                settlement: None,
            },
            stems: made.stems,
            deed: made.deed,
        }));
    }
    found.into_iter().map(|open| open.commitment).collect()
}

/// What the rules see in a sentence.
fn ruled(document: &Document<'_>, sentence: &Sentence<'_>, words: &Words<'_>, is_accepted: bool) -> Option<Made> {
    let promise = promise(sentence, words);
    let (tokens, what) = match (&promise, is_accepted) {
        (_, true) => (0..sentence.tokens.len(), 0..sentence.tokens.len()),
        (Some(promise), false) => (promise.tokens.clone(), promise.what.clone()),
        (None, false) => return None,
    };
    Some(Made {
        place: place(document, sentence, tokens)?,
        what: text_of(sentence, what.clone())?,
        stems: content_stems(sentence, what),
        deed: promise.and_then(|promise| promise.deed),
    })
}

/// What the reader marked and this sentence is the first to hold. A sentence that is not the speaker's own is not in the document, and
/// what is quoted in one of theirs is somebody else's promise.
fn marked(document: &Document<'_>, at: usize, promised: &Promised) -> Vec<Made> {
    let sentence = &document.sentences[at];
    let before = at.checked_sub(1).map(|before| &document.sentences[before]).filter(|before| before.turn == sentence.turn);
    let read_to = before.map_or(0, |before| before.bytes.end);
    let is_here =
        |bytes: &&Range<usize>| read_to <= bytes.start && bytes.start < sentence.bytes.end && sentence.bytes.start < bytes.end;
    let is_quoted =
        |bytes: &&Range<usize>| sentence.foreign.iter().any(|foreign| foreign.start <= bytes.start && bytes.end <= foreign.end);
    let here = promised.get(sentence.turn).into_iter().flatten().filter(is_here).filter(|bytes| !is_quoted(bytes));
    here.filter_map(|bytes| {
        let text = document.turns.get(sentence.turn)?.text.get(bytes.clone())?;
        let inside = |token: &Token<'_>| bytes.start < token.bytes.end && token.bytes.start < bytes.end;
        let from = sentence.tokens.iter().position(inside)?;
        let to = sentence.tokens.iter().rposition(inside)? + 1;
        let words = sentence.tokens[from..to].iter().map(|token| token.word.as_str());
        let what = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Made {
            place: Place { turn: sentence.turn, span: document.span(sentence.turn, bytes.clone())? },
            what: what.trim_end_matches(['.', '!', '?', ',', ';', ':']).to_owned(),
            stems: content_stems(sentence, from..to),
            deed: words.filter_map(|word| DEEDS.iter().find(|(verb, _)| *verb == word)).map(|(verb, _)| *verb).next(),
        })
    })
    .collect()
}

fn debtor(turn: &Turn<'_>) -> Option<Debtor> {
    match turn.role {
        Role::Owner => Some(Debtor::Owner),
        Role::Person => Some(Debtor::Person(turn.author.trim().to_owned())),
        Role::Assistant | Role::System | Role::Tool => None,
    }
}

/// The one other who speaks in the conversation.
fn creditor(document: &Document<'_>, speaker: &Debtor) -> Option<Debtor> {
    let mut others =
        document.plain.iter().filter_map(|at| document.turns.get(*at)).filter_map(debtor).filter(|other| other != speaker);
    let first = others.next()?;
    others.all(|other| other == first).then_some(first)
}

/// The words of a sentence with the tokens they stand at.
struct Words<'s> {
    words: Vec<(&'s str, usize)>,
}

impl<'s> Words<'s> {
    fn of(sentence: &'s Sentence<'_>) -> Self {
        let own = |token: &Token<'_>| !sentence.foreign.iter().any(|range| range.contains(&token.bytes.start));
        let words = sentence.tokens.iter().enumerate().filter(|(_, token)| token.is_word && own(token));
        Self { words: words.map(|(at, token)| (token.word.as_str(), at)).collect() }
    }

    fn len(&self) -> usize {
        self.words.len()
    }

    fn word(&self, at: usize) -> &'s str {
        self.words.get(at).map_or("", |(word, _)| word)
    }

    fn token(&self, at: usize) -> usize {
        self.words.get(at).map_or(0, |(_, token)| *token)
    }

    fn matches(&self, at: usize, wording: &[&str]) -> bool {
        wording.iter().enumerate().all(|(offset, word)| self.word(at + offset) == *word)
    }

    /// Whether one of `wordings` stands at the beginning, a greeting or "ok" aside.
    fn begins_with_any(&self, wordings: &[&[&str]]) -> bool {
        const OPENERS: &[&str] = &[
            "ok", "okay", "sure", "yes", "yeah", "yep", "great", "alright", "perfect", "cool", "thanks", "ah", "oh", "ja", "gut",
            "klar", "oui", "sí", "so", "and", "all", "right", "just",
        ];
        let skip = (0..self.len()).find(|at| !OPENERS.contains(&self.word(*at))).unwrap_or(0);
        (0..=skip).any(|at| wordings.iter().any(|wording| self.matches(at, wording)))
    }

    fn find_any(&self, wordings: &[&[&str]]) -> Option<usize> {
        (0..self.len()).find(|at| wordings.iter().any(|wording| self.matches(*at, wording)))
    }

    fn requests(&self) -> bool {
        (0..self.len().min(4)).any(|at| REQUESTS.iter().any(|wording| self.matches(at, wording)))
    }
}

/// A promise within a sentence, in tokens.
struct Promise {
    /// From its opening to its end.
    tokens: Range<usize>,
    /// What is promised.
    what: Range<usize>,
    deed: Option<&'static str>,
}

fn promise(sentence: &Sentence<'_>, words: &Words<'_>) -> Option<Promise> {
    if sentence.is_question && !is_tag_question(sentence) {
        return None;
    }
    for at in 0..words.len().min(OPENING_WORDS_MAX) {
        if let Some(wording) = WHOLES.iter().find(|wording| words.matches(at, wording)) {
            let end = clause_end(sentence, words.token(at));
            if is_plain(words, at, end) {
                let begin = words.token(at);
                let skip =
                    if wording.first() == Some(&"i") || wording.first() == Some(&"we") { words.token(at + 1) } else { begin };
                return Some(Promise { tokens: begin..end, what: skip..end, deed: None });
            }
        }
        let Some(opening) = OPENINGS.iter().filter(|opening| words.matches(at, opening)).max_by_key(|opening| opening.len())
        else {
            continue;
        };
        // "Will send it tonight" leaves the "I" out; "the shop will send it" does not.
        if opening.len() == 1 && at > 0 && !words.word(at - 1).is_empty() && !starts_clause(sentence, words.token(at)) {
            continue;
        }
        let after = at + opening.len();
        let near = after..(after + DEED_DISTANCE_MAX + 1).min(words.len());
        let known = near
            .filter_map(|at| DEEDS.iter().find(|(verb, _)| *verb == words.word(at)).map(|(verb, _)| (at, Some(*verb))))
            .next();
        // Whatever is done for somebody by a day is promised: "I'll Venmo you the rest tomorrow".
        let for_somebody = || {
            let object = matches!(words.word(after + 1), "you" | "your") && !NO_DEEDS.contains(&words.word(after));
            let when = due::find(sentence.tokens.get(words.token(at)..).unwrap_or(&[]), Timestamp(1), 0).is_some();
            (object && when && opening.len() > 1 && !matches!(**opening, ["i", "can"] | ["let", "me"])).then_some((after, None))
        };
        let Some((deed_at, deed)) = known.or_else(for_somebody) else { continue };
        let end = clause_end(sentence, words.token(deed_at));
        let is_offer = matches!(**opening, ["i", "can"]);
        let said_when = due::find(sentence.tokens.get(words.token(at)..end).unwrap_or(&[]), Timestamp(1), 0).is_some();
        if !is_plain(words, at, end)
            || !deed.is_none_or(|deed| is_full(words, deed_at, deed, end) && !is_let_me(words, at, deed_at, deed, said_when))
            || (is_offer && !said_when)
        {
            continue;
        }
        return Some(Promise { tokens: words.token(at)..end, what: words.token(deed_at)..end, deed });
    }
    None
}

/// "Let me think", "let me show you how" are manners of speaking; "let me check and get back to you" is a promise.
fn is_let_me(words: &Words<'_>, at: usize, deed_at: usize, deed: &str, said_when: bool) -> bool {
    let promises = matches!(
        deed,
        "check" | "ask" | "look" | "send" | "forward" | "call" | "find" | "fix" | "talk" | "sort" | "confirm" | "investigate"
    ) || (deed == "get" && words.word(deed_at + 1) == "back");
    words.matches(at, &["let", "me"]) && !promises && !said_when
}

/// A weak deed needs a rest that shows for whom or what.
fn is_full(words: &Words<'_>, deed_at: usize, deed: &str, end: usize) -> bool {
    let rest = (deed_at + 1..words.len()).take_while(|at| words.token(*at) < end);
    match deed {
        // "I'll let you know", "I'll let the dog out".
        "let" => words.word(deed_at + 1) == "you" || words.word(deed_at + 2) == "know",
        "have" => {
            rest.clone().any(|at| matches!(words.word(at), "ready" | "done" | "finished" | "for" | "your"))
                && rest.clone().any(|at| matches!(words.word(at), "it" | "that" | "you" | "them" | "by" | "ready" | "finished"))
        }
        "see" => words.word(deed_at + 1) == "to" || (words.word(deed_at + 1) == "what" && words.word(deed_at + 3) == "can"),
        "come" | "circle" => words.word(deed_at + 1) == "back",
        "take" => rest.clone().any(|at| matches!(words.word(at), "care" | "look" | "over")) || words.word(deed_at + 1) == "it",
        // "I'll tell you what" is a manner of speaking.
        "tell" => {
            rest.clone().count() > 0 && !matches!((words.word(deed_at + 1), words.word(deed_at + 2)), ("you", "what" | "a"))
        }
        "show" | "ask" | "talk" | "open" | "return" => rest.clone().count() > 0,
        deed if WEAK_DEEDS.contains(&deed) => rest.clone().any(|at| STRENGTHENERS.contains(&words.word(at))),
        _ => true,
    }
}

/// Nothing in the clause conditions, doubts, refuses or reports.
fn is_plain(words: &Words<'_>, at: usize, end: usize) -> bool {
    let in_clause = |index: &usize| words.token(*index) < end;
    let doubts = (0..words.len()).filter(in_clause).any(|index| {
        let word = words.word(index);
        let asks = matches!(word, "if" | "whether")
            && index > at
            && (1..=3).any(|back| index >= back && ASKING.contains(&words.word(index - back)));
        DOUBTS.contains(&word) && !asks && !(word == "not" && index < at && !is_joined(words, index, at))
    });
    // A condition may also stand behind a comma: "I'll come over, if I finish early".
    let conditioned = (0..words.len()).any(|index| {
        matches!(words.word(index), "if" | "unless" | "wenn" | "falls")
            && !(index > at && (1..=3).any(|back| index >= back && ASKING.contains(&words.word(index - back))))
    });
    let reported = (0..at).any(|index| {
        // "As I said, I'll send it" repeats a promise; "I said I'll send it" tells of one.
        TELLING.contains(&words.word(index)) && !(index >= 2 && words.word(index - 2) == "as")
    });
    // "No te mando nada" refuses; "no, te lo mando" does not.
    let refused = at > 0 && matches!(words.word(at - 1), "no" | "não" | "nem") && is_joined(words, at - 1, at);
    !doubts && !conditioned && !reported && !refused
}

/// Whether the word at `index` belongs to the clause of the opening at `at`: "I'm not around, I'll call" has a comma between.
fn is_joined(words: &Words<'_>, index: usize, at: usize) -> bool {
    words.token(at) - words.token(index) == at - index
}

/// "I'll send it tomorrow, ok?" asks for a nod and promises all the same.
fn is_tag_question(sentence: &Sentence<'_>) -> bool {
    let tail: Vec<&str> =
        sentence.tokens.iter().rev().filter(|token| token.is_word).take(1).map(|token| token.word.as_str()).collect();
    let comma = sentence.tokens.iter().rev().filter(|token| !token.is_word).nth(1).is_some_and(|token| token.raw == ",");
    comma
        && tail
            .iter()
            .all(|word| matches!(*word, "ok" | "okay" | "right" | "alright" | "deal" | "yes" | "ja" | "oui" | "vale" | "oder"))
}

fn starts_clause(sentence: &Sentence<'_>, at: usize) -> bool {
    at.checked_sub(1).and_then(|before| sentence.tokens.get(before)).is_none_or(|before| {
        before.is_break() || matches!(before.word.as_str(), "ok" | "okay" | "sure" | "yes" | "thanks" | "and" | "sorry" | "yep")
    })
}

/// The token at which the clause around `from` ends.
fn clause_end(sentence: &Sentence<'_>, from: usize) -> usize {
    let tokens = &sentence.tokens;
    let ends = |at: &usize| {
        let token = &tokens[*at];
        let next = tokens.get(at + 1).map_or("", |next| next.word.as_str());
        matches!(token.raw, ";" | "—" | "–" | "." | "!" | "?" | "…" | "(")
            && !(token.raw == "." && tokens.get(at + 1).is_some_and(|next| next.is_word))
            || (token.raw == ","
                && matches!(
                    next,
                    "but"
                        | "so"
                        | "because"
                        | "then"
                        | "ok"
                        | "okay"
                        | "right"
                        | "aber"
                        | "mais"
                        | "pero"
                        | "and"
                        | "i"
                        | "thanks"
                ))
    };
    (from..tokens.len()).find(ends).unwrap_or(tokens.len())
}

fn place(document: &Document<'_>, sentence: &Sentence<'_>, tokens: Range<usize>) -> Option<Place> {
    let start = sentence.tokens.get(tokens.start)?.bytes.start;
    let end = sentence.tokens.get(tokens.end.checked_sub(1)?)?.bytes.end;
    Some(Place { turn: sentence.turn, span: document.span(sentence.turn, start..end)? })
}

fn place_of(document: &Document<'_>, sentence: &Sentence<'_>) -> Option<Place> {
    Some(Place { turn: sentence.turn, span: document.span(sentence.turn, sentence.bytes.clone())? })
}

fn text_of(sentence: &Sentence<'_>, tokens: Range<usize>) -> Option<String> {
    let start = sentence.tokens.get(tokens.start)?.bytes.start.checked_sub(sentence.bytes.start)?;
    let end = sentence.tokens.get(tokens.end.checked_sub(1)?)?.bytes.end.checked_sub(sentence.bytes.start)?;
    let text = sentence.text.get(start..end)?.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches(['.', '!', '?', ',', ';', ':']).to_owned();
    (!text.is_empty()).then_some(text)
}

/// A request without its opening: "send me the file" of "Could you please send me the file?".
fn request_range(sentence: &Sentence<'_>) -> Range<usize> {
    let words = Words::of(sentence);
    let opening = (0..words.len().min(4))
        .find_map(|at| REQUESTS.iter().find(|wording| words.matches(at, wording)).map(|wording| at + wording.len()));
    let at = opening.map_or(0, |after| after + usize::from(matches!(words.word(after), "please" | "bitte" | "maybe")));
    words.token(at)..sentence.tokens.len()
}

fn content_stems(sentence: &Sentence<'_>, tokens: Range<usize>) -> Vec<String> {
    let is_content = |token: &&Token<'_>| token.is_word && token.word.chars().count() > 2 && !is_stop_word(&token.word);
    sentence.tokens.get(tokens).unwrap_or(&[]).iter().filter(is_content).map(|token| stem(&token.word)).collect()
}

/// Closes what this sentence says was done, or need not be.
fn settle(found: &mut [Open], document: &Document<'_>, sentence: &Sentence<'_>, speaker: &Debtor) {
    let Some(place) = place_of(document, sentence).filter(|_| !sentence.is_question) else { return };
    let words = Words::of(sentence);
    let is_undone = (0..words.len())
        .any(|at| matches!(words.word(at), "not" | "nicht" | "pas" | "yet" | "no" | "will" | "if" | "almost" | "noch"));
    let stems = content_stems(sentence, 0..sentence.tokens.len());
    let shares = |open: &Open| open.stems.iter().any(|stem| stems.contains(stem));
    if words.begins_with_any(RELEASED) || words.find_any(RELEASED).is_some_and(|at| at <= 3) {
        let open = found.iter_mut().rev().find(|open| open.commitment.is_pending() && open.commitment.debtor != *speaker);
        if let Some(open) = open.filter(|open| open.commitment.place.turn < sentence.turn) {
            open.commitment.settlement = Some(Settlement::Released { place });
        }
        return;
    }
    if is_undone {
        return;
    }
    let verbs: Vec<&str> = (0..words.len()).map(|at| words.word(at)).collect();
    let is_past_of = |deed: &str| {
        let irregular = DEEDS.iter().find(|(verb, _)| *verb == deed).map_or(&[][..], |(_, past)| past);
        verbs.iter().any(|word| {
            irregular.contains(word) || word.strip_suffix("ed").is_some_and(|base| base == deed || format!("{base}e") == deed)
        })
    };
    let foreign_done =
        |what: &str| DONE_VERBS.iter().any(|(past, stem)| verbs.contains(past) && what.to_lowercase().contains(stem));
    let says_done = words.begins_with_any(DONE);
    let says_received = words.begins_with_any(RECEIVED);
    // "I sent" and a bare "sent it" tell of oneself; "she sent it" does not.
    let speaks_of_self = (0..words.len()).any(|at| matches!(words.word(at), "i" | "we" | "ich" | "j'ai" | "je" | "ya"))
        || (0..words.len()).any(|at| words.word(at) == "he" && DONE_VERBS.iter().any(|(past, _)| *past == words.word(at + 1)))
        || verbs.first().is_some_and(|first| first.ends_with("ed") || DEEDS.iter().any(|(_, past)| past.contains(first)))
        || matches!(verbs.as_slice(), ["just" | "all" | "already" | "hab" | "habe" | "te" | "lo", ..]);
    let came = verbs.iter().any(|word| CAME.contains(word));
    let is_passive = verbs.iter().any(|word| matches!(*word, "is" | "are" | "was" | "were" | "been" | "got" | "'s"));
    let is_there = (0..words.len()).any(|at| {
        let place = matches!(words.word(at + 1), "in" | "on") && matches!(words.word(at + 2), "the" | "your" | "our");
        matches!(words.word(at), "is" | "are") && (place || THERE.contains(&words.word(at + 1)))
    }) && !verbs.iter().any(|word| ON_THE_WAY.contains(word));
    let fits = |open: &Open| {
        let commitment = &open.commitment;
        if !commitment.is_pending() || commitment.place.turn >= sentence.turn {
            return false;
        }
        let is_kin_done = || {
            let kin = open.deed.and_then(|deed| KIN.iter().find(|kin| kin.contains(&deed))).copied().unwrap_or(&[]);
            kin.iter().any(|verb| is_past_of(verb))
        };
        let is_deed_done = || open.deed.is_some_and(|deed| !matches!(deed, "let" | "get" | "do" | "have") && is_past_of(deed));
        // "The gate is fixed", "the photos are in the folder": the thing itself is spoken of, by either side.
        if shares(open) && (is_passive && (is_deed_done() || is_kin_done()) || is_there) {
            return true;
        }
        if commitment.debtor == *speaker {
            // Sending is told in many ways, and a thing that is here was sent, made or found.
            let handed_over = says_done && (open.deed.is_none() || shares(open) || stems.is_empty() || stems.len() <= 2);
            let told =
                speaks_of_self && ((is_deed_done() && (shares(open) || stems.len() <= 3)) || (is_kin_done() && shares(open)));
            told || handed_over || (foreign_done(&commitment.what) && speaks_of_self)
        } else {
            let is_bare = stems.iter().all(|stem| matches!(stem.as_str(), "got" | "receiv" | "send" | "sending"));
            (says_received && (shares(open) || is_bare)) || (came && shares(open))
        }
    };
    // What shares most words with the promise is meant; among equals the latest.
    let best = found
        .iter()
        .enumerate()
        .filter(|(_, open)| fits(open))
        .max_by_key(|(at, open)| (open.stems.iter().filter(|stem| stems.contains(stem)).count(), *at))
        .map(|(at, _)| at);
    if let Some(open) = best.and_then(|at| found.get_mut(at)) {
        open.commitment.settlement = Some(Settlement::Kept { place });
    }
}
