//! Finds messages for a question: collects candidates by words and by meaning, adds their neighbors, and ranks them.
//!
//! Words are looked up in the full-text index, term by term, newest rows first and up to a cap for common words. The rarity
//! of a word is counted among the messages that may be searched. Similarity in meaning is estimated from the codes, and the
//! best candidates are compared again by exact vectors. Both also count for neighboring lines, because an answer seldom
//! repeats the words of its question. The best few candidates are then read, and the scorer orders them.
//!
//! Not in this module: the weights (`retrieval`), who may see what (`scope`), memories and people.

use std::collections::{HashMap, HashSet};

use keepsake_domain::ConversationId;
use keepsake_retrieval::{Cues, EXACT_MIN, Evidence, PART_CHARS_MIN, Query, Term, Traits, names_one_of};
use keepsake_store::{InteractionRow, ReadTx, StoreError, WordMatch};
use keepsake_text::{is_stop_word, is_unspaced, stem, words};

use super::index::{Index, Speaker};
use super::scope::{Scope, named_speakers};
use crate::serve::boundary::View;

/// Maximum number of rows per word. A more frequent word says little, so only its newest rows are used.
const ROWS_A_WORD: usize = 5_000;

/// Maximum number of messages that contain all quoted phrases; if there are more, the newest are used.
const ROWS_OF_PHRASES: usize = 20_000;

/// Maximum number of candidates by words, and the same number by meaning. Measured: with half as many of each, the fraction
/// found in the top 50 falls by one percentage point.
const CANDIDATES: usize = 200;

/// One exact comparison is added per this many vectors, because the more vectors lie close together, the less their codes say
/// about the order. Measured with clustered vectors: among a million, 200 exact comparisons find three quarters of the
/// nearest ten, and 2,500 find nearly all.
const VECTORS_FOR_ONE_EXACT: usize = 400;

/// Number of candidates that are read and fully scored; the rest follow in their rough order.
const READ: usize = 200;

/// Number of threads that scan the codes. More would take the cores that the rest of the desktop needs.
pub(super) const THREADS: usize = 2;

/// Offsets of the lines around a candidate that also count.
const AROUND: [i64; 4] = [-2, -1, 1, 2];

/// Minimum cosine at which a hit counts as found by meaning; below it, a line has nothing to do with the question.
const MEANING_MIN: f32 = 0.3;

/// For a search by one or two words, the minimum cosine at which a line without any of them counts as found by meaning.
/// Chosen by trying the model on seven such searches and fifteen lines: lines that only belong to the same scene
/// ("lighthouse", "the path along the shore") reach 0.33; lines that say it in other words ("car insurance", "my policy for
/// the Volvo") start at 0.44.
const MEANING_MIN_OF_WORDS: f32 = 0.4;

/// Minimum number of words in a question whose answer may be in a neighboring line; one or two words
/// are searched for literally.
const ASKING_TERMS: usize = 3;

/// Words that begin a question.
const ASKING: [&str; 12] = ["did", "does", "how", "is", "was", "what", "when", "where", "which", "who", "whose", "why"];

/// Why a message was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It contains words of the question.
    Words,
    /// It is similar in meaning to the question.
    Meaning,
    /// A neighboring line matches.
    Neighbour,
    /// It matches the operators.
    Filter,
    /// Its name matches.
    Name,
    /// It states the requested attribute, such as a home or an allergy.
    Attribute,
}

impl Why {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "meaning",
            Self::Neighbour => "neighbour",
            Self::Filter => "filter",
            Self::Name => "name",
            Self::Attribute => "attribute",
        }
    }
}

/// A message found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The message itself.
    pub message: InteractionRow,
    /// Title of its conversation.
    pub conversation_title: Option<String>,
    /// Channel type of its conversation.
    pub channel_type: String,
    /// Higher is better. Only comparable with other scores of the same search.
    pub score: f64,
    /// Why it was found. Empty for a message that is only among the nearest: neither it nor a line around it
    /// relates to the question.
    pub why: Vec<Why>,
    /// The evidence behind the score.
    pub evidence: Evidence,
    /// The lines before and after it by their offset, if requested.
    pub around: Vec<(i32, InteractionRow)>,
}

/// Whether this is a question, as opposed to one or two words searched for literally.
pub(super) fn is_asking(query: &Query) -> bool {
    let first = words(&query.about).into_iter().next();
    query.terms.len() >= ASKING_TERMS || first.is_some_and(|word| ASKING.contains(&word.plain.as_str()))
}

/// A query with everything derived from it.
pub(crate) struct Asked<'a> {
    pub(crate) query: &'a Query,
    pub(crate) cues: &'a Cues,
    /// The speakers it names.
    pub(crate) speakers: Vec<&'a Speaker>,
    /// The question as a vector.
    pub(crate) vector: Option<&'a [f32]>,
}

/// The speakers that a question names, by any word of their name. "I" means the owner if nobody is named.
pub(crate) fn speakers_in<'i>(index: &'i Index, view: Option<&View>, query: &Query, cues: &Cues) -> Vec<&'i Speaker> {
    let asked: HashSet<String> = words(&query.about)
        .into_iter()
        .filter(|word| !is_stop_word(&word.plain) && !word.plain.is_empty())
        .map(|word| word.plain)
        .collect();
    let found = named_speakers(index, view, |speaker| speaker.names.iter().any(|name| asked.contains(name)));
    if found.is_empty() && cues.is_about_me {
        return named_speakers(index, view, |speaker| speaker.handle.is_owner);
    }
    found
}

/// The weight of the question's words in each message.
#[derive(Default)]
struct Weighed {
    /// Indexed by log position.
    sums: Vec<f32>,
    touched: Vec<i64>,
    conversations: HashMap<u32, f32>,
    total: f32,
    /// Messages that contain every phrase, if there are phrases.
    required: Option<HashSet<i64>>,
}

impl Weighed {
    fn share(&self, seq: i64) -> f32 {
        let sum = usize::try_from(seq).ok().and_then(|seq| self.sums.get(seq)).copied().unwrap_or(0.0);
        if self.total > 0.0 { sum / self.total } else { 0.0 }
    }
}

fn expression(term: &Term) -> Option<WordMatch> {
    WordMatch::of(&[term.plain.as_str()], term.is_prefix)
}

/// Matching messages that may be searched, with their conversations, newest first.
fn rows_of(tx: &ReadTx<'_>, index: &Index, scope: &Scope, words: &WordMatch) -> Result<Vec<(i64, u32)>, StoreError> {
    let mut rows = Vec::new();
    tx.search().matching_messages(words, |seq| {
        if let Some(home) = scope.home(index, seq) {
            rows.push((seq, home.conversation));
        }
        rows.len() < ROWS_A_WORD
    })?;
    Ok(rows)
}

fn weigh(tx: &ReadTx<'_>, index: &Index, scope: &Scope, asked: &Asked<'_>) -> Result<Weighed, StoreError> {
    let phrases: Vec<WordMatch> = asked
        .query
        .phrases
        .iter()
        .filter_map(|phrase| {
            let words: Vec<&str> = phrase.iter().map(|term| term.plain.as_str()).collect();
            WordMatch::of(&words, phrase.last().is_some_and(|term| term.is_prefix))
        })
        .collect();
    let names: HashSet<&str> = asked.speakers.iter().flat_map(|speaker| speaker.names.iter().map(String::as_str)).collect();
    let own: Vec<&Term> = asked.query.terms.iter().filter(|term| !names.contains(term.plain.as_str())).collect();
    let terms: Vec<&Term> = if own.is_empty() && phrases.is_empty() { asked.query.terms.iter().collect() } else { own };
    let mut expressions: Vec<(WordMatch, Option<&str>)> = phrases.iter().map(|phrase| (phrase.clone(), None)).collect();
    // Phrases are matched as they are. Each single word is also searched for, and inside longer words too if it is long enough.
    let part = |term: &Term| {
        let is_part = is_unspaced(&term.plain) || term.plain.chars().count() >= PART_CHARS_MIN;
        is_part.then_some(())
    };
    expressions.extend(terms.into_iter().filter_map(|term| Some((expression(term)?, part(term).map(|()| term.plain.as_str())))));
    let mut weighed = Weighed::default();
    let mut with_phrases: Vec<(i64, u32)> = Vec::new();
    if let Some(all) = WordMatch::all(&phrases) {
        tx.search().matching_messages(&all, |seq| {
            if let Some(home) = scope.home(index, seq) {
                with_phrases.push((seq, home.conversation));
            }
            with_phrases.len() < ROWS_OF_PHRASES
        })?;
        weighed.required = Some(with_phrases.iter().map(|(seq, _)| *seq).collect());
    }
    let visible = scope.count_from(index, 0);
    let mut in_conversation: HashMap<u32, usize> = HashMap::new();
    for (number, (words, part)) in expressions.iter().enumerate() {
        // For a single phrase, the rows are already known. Searching again would take as long as the first time, which is
        // most of the time of such a search.
        let mut rows = if phrases.len() == 1 && number == 0 {
            with_phrases.iter().take(ROWS_A_WORD).copied().collect()
        } else {
            rows_of(tx, index, scope, words)?
        };
        if let Some(part) = part.filter(|part| rows.is_empty() || is_unspaced(part)) {
            let stemmed = stem(part);
            // The word itself was looked up above.
            for word in index.words_with(tx, part)?.into_iter().filter(|word| stem(word) != stemmed) {
                let Some(word) = WordMatch::of(&[&word], false) else { continue };
                rows.extend(rows_of(tx, index, scope, &word)?);
            }
            rows.sort_unstable_by_key(|(seq, _)| std::cmp::Reverse(*seq));
            rows.dedup();
            rows.truncate(ROWS_A_WORD);
        }
        let mut count = rows.len() as f32;
        if rows.len() == ROWS_A_WORD
            && let Some((oldest, _)) = rows.last()
        {
            // Assume that the word is as common in older messages as in these.
            count *= visible as f32 / scope.count_from(index, *oldest).max(1) as f32;
        }
        // The Robertson–Sparck Jones weight, as in BM25, over the messages that may be searched.
        let weight = (1.0 + (visible as f32 - count + 0.5).max(0.0) / (count + 0.5)).ln();
        weighed.total += weight;
        for (seq, conversation) in rows {
            let at = seq as usize;
            if weighed.sums.len() <= at {
                weighed.sums.resize(at + 1, 0.0);
            }
            if weighed.sums[at] == 0.0 {
                weighed.touched.push(seq);
            }
            weighed.sums[at] += weight;
            // Each word counts once per conversation.
            if in_conversation.insert(conversation, number) != Some(number) {
                *weighed.conversations.entry(conversation).or_default() += weight;
            }
        }
    }
    Ok(weighed)
}

/// The best candidates: the weights by words, the exact cosines by meaning, and the log positions of both kinds of
/// candidates.
struct Candidates {
    weighed: Weighed,
    exact: HashMap<i64, f32>,
    seeds: Vec<i64>,
}

fn candidates(tx: &ReadTx<'_>, index: &Index, scope: &Scope, asked: &Asked<'_>) -> Result<Candidates, StoreError> {
    let weighed = weigh(tx, index, scope, asked)?;
    let is_required = |seq: i64| weighed.required.as_ref().is_none_or(|required| required.contains(&seq));
    let mut seeds: Vec<i64> = weighed.touched.iter().copied().filter(|seq| is_required(*seq)).collect();
    let order = |a: &i64, b: &i64| weighed.share(*b).total_cmp(&weighed.share(*a)).then(b.cmp(a));
    if seeds.len() > CANDIDATES {
        seeds.select_nth_unstable_by(CANDIDATES, order);
        seeds.truncate(CANDIDATES);
    }
    let mut exact: HashMap<i64, f32> = HashMap::new();
    if let Some(vector) = asked.vector.filter(|_| asked.query.has_words()) {
        let count = |allowed: usize| EXACT_MIN.max(allowed / VECTORS_FOR_ONE_EXACT);
        let is_narrow = weighed.required.is_some() || !scope.is_everything();
        let allowed = is_narrow.then_some(|seq, home| is_required(seq) && scope.allows(seq, home));
        let near = index.nearest(vector, count, THREADS, allowed);
        let owners: HashMap<i64, i64> = near.iter().map(|(seq, arrival)| (*arrival, *seq)).collect();
        // Sorted in file order, so that each page is read once.
        let mut arrivals: Vec<i64> = owners.keys().copied().collect();
        arrivals.sort_unstable();
        for (arrival, cosine) in tx.vectors().products(vector, arrivals)? {
            if let Some(seq) = owners.get(&arrival) {
                let slot = exact.entry(*seq).or_insert(f32::MIN);
                *slot = slot.max(cosine);
            }
        }
        let mut best: Vec<(i64, f32)> = exact.iter().map(|(seq, cosine)| (*seq, *cosine)).collect();
        best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        seeds.extend(best.into_iter().take(CANDIDATES).map(|(seq, _)| seq));
    }
    seeds.sort_unstable();
    seeds.dedup();
    Ok(Candidates { weighed, exact, seeds })
}

/// The messages that answer the query, best first.
pub(crate) fn messages(
    tx: &ReadTx<'_>,
    index: &Index,
    scope: &Scope,
    asked: &Asked<'_>,
    limit: usize,
) -> Result<Vec<Hit>, StoreError> {
    if !asked.query.has_words() {
        return if asked.query.filters.is_empty() { Ok(Vec::new()) } else { newest(tx, index, scope, limit) };
    }
    let found = candidates(tx, index, scope, asked)?;
    let (rough, has_vectors) = roughly(index, scope, asked, found);
    let scored = read_best(tx, index, scope, asked, rough, has_vectors, limit)?;
    let mut heads: HashMap<ConversationId, (Option<String>, String)> = HashMap::new();
    scored
        .into_iter()
        .filter_map(|Scored { seq, evidence, score }| {
            // Skip messages that are in the index but not in this snapshot of the store.
            let message = tx.search().messages_at([seq]).map(|mut found| found.pop()).transpose()?;
            Some(message.map(|message| (message, evidence, score)))
        })
        .map(|found| {
            let (message, evidence, score) = found?;
            hit(tx, &mut heads, message, f64::from(score), reasons(&evidence), evidence)
        })
        .collect()
}

/// A message with its evidence and its score.
#[derive(Clone, Copy)]
struct Scored {
    seq: i64,
    evidence: Evidence,
    score: f32,
}

/// Scores candidates and the lines around them without reading their text, best first. Also returns whether any of them
/// has a vector.
fn roughly(index: &Index, scope: &Scope, asked: &Asked<'_>, found: Candidates) -> (Vec<Scored>, bool) {
    let Candidates { weighed, exact, seeds } = found;
    let is_asking = weighed.required.is_none() && is_asking(asked.query);
    let around = |seqs: &[i64]| -> Vec<i64> {
        let mut all = seqs.to_vec();
        for offset in AROUND {
            all.extend(seqs.iter().filter_map(|seq| index.neighbour(*seq, offset)));
        }
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut pool = seeds;
    if is_asking {
        pool = around(&pool);
        pool.retain(|seq| scope.home(index, *seq).is_some());
    }
    let mut meanings = HashMap::new();
    if let Some(vector) = asked.vector {
        meanings = index.estimates(vector, around(&pool));
        meanings.extend(exact.iter().map(|(seq, cosine)| (*seq, *cosine)));
    }
    let has_vectors = !meanings.is_empty();
    let mut rough = Vec::with_capacity(pool.len());
    for seq in pool {
        let Some(home) = scope.home(index, seq) else { continue };
        let around = AROUND.map(|offset| index.neighbour(seq, offset).filter(|near| scope.home(index, *near).is_some()));
        let of_conversation = weighed.conversations.get(&home.conversation).copied().unwrap_or(0.0);
        let evidence = Evidence {
            words: weighed.share(seq),
            words_around: around.map(|near| near.map_or(0.0, |near| weighed.share(near))),
            meaning: meanings.get(&seq).copied().unwrap_or(0.0),
            meaning_around: around.map(|near| near.and_then(|near| meanings.get(&near)).copied().unwrap_or(0.0)),
            words_of_conversation: if weighed.total > 0.0 { of_conversation / weighed.total } else { 0.0 },
            is_when: asked.cues.is_when,
            is_how_many: asked.cues.is_how_many,
            date: asked.cues.nearness(home.time),
            ..Evidence::default()
        };
        // One or two words are searched for literally; a message that is only similar is not an answer.
        if is_asking || evidence.words > 0.0 || evidence.meaning >= MEANING_MIN_OF_WORDS {
            rough.push(Scored { seq, evidence, score: evidence.score(has_vectors) });
        }
    }
    rough.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq)));
    (rough, has_vectors)
}

/// Reads the text of the best candidates and scores them again, with the cues that only the text shows.
fn read_best(
    tx: &ReadTx<'_>,
    index: &Index,
    scope: &Scope,
    asked: &Asked<'_>,
    rough: Vec<Scored>,
    has_vectors: bool,
    limit: usize,
) -> Result<Vec<Scored>, StoreError> {
    let handles: HashSet<&str> = asked.speakers.iter().map(|speaker| speaker.handle.id.as_str()).collect();
    let names: Vec<String> = asked.speakers.iter().flat_map(|speaker| speaker.names.iter().cloned()).collect();
    let mut read: Vec<Scored> = Vec::with_capacity(READ);
    let mut asks: HashMap<i64, bool> = HashMap::new();
    for mut scored in rough.iter().take(READ).copied() {
        let Some((text, handle)) = tx.search().line_at(scored.seq)? else { continue };
        scored.evidence.traits = Traits::of(&text);
        asks.insert(scored.seq, scored.evidence.traits.is_question);
        scored.evidence.is_speaker = handles.contains(handle.as_str());
        scored.evidence.names_speaker = names_one_of(&text, &names);
        read.push(scored);
    }
    for scored in &mut read {
        let before = index.neighbour(scored.seq, -1).filter(|near| scope.home(index, *near).is_some());
        scored.evidence.is_after_question = match before.map(|before| (before, asks.get(&before))) {
            Some((_, Some(asks))) => *asks,
            Some((before, None)) => tx.search().line_at(before)?.is_some_and(|(text, _)| Traits::of(&text).is_question),
            None => false,
        };
        scored.score = scored.evidence.score(has_vectors);
    }
    read.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq)));
    let floor = read.last().map_or(0.0, |last| last.score);
    let rest = rough.into_iter().skip(READ).take(limit.saturating_sub(READ));
    read.extend(rest.map(|scored| Scored { score: scored.score.min(floor), ..scored }));
    read.truncate(limit);
    Ok(read)
}

/// Why a message was found, according to its evidence.
fn reasons(evidence: &Evidence) -> Vec<Why> {
    let mut why = Vec::new();
    if evidence.words > 0.0 {
        why.push(Why::Words);
    }
    if evidence.meaning >= MEANING_MIN {
        why.push(Why::Meaning);
    }
    if why.is_empty() && is_beside(evidence) {
        why.push(Why::Neighbour);
    }
    why
}

/// Whether a line around a message relates to the question.
fn is_beside(evidence: &Evidence) -> bool {
    evidence.words_around.iter().any(|share| *share > 0.0) || evidence.meaning_around.iter().any(|cosine| *cosine >= MEANING_MIN)
}

/// The messages that match the operators, newest first.
fn newest(tx: &ReadTx<'_>, index: &Index, scope: &Scope, limit: usize) -> Result<Vec<Hit>, StoreError> {
    let mut found: Vec<_> = index.all().filter(|(seq, home)| scope.allows(*seq, *home)).collect();
    found.sort_unstable_by_key(|(seq, home)| std::cmp::Reverse((home.time, *seq)));
    let mut heads = HashMap::new();
    tx.search()
        .messages_at(found.into_iter().take(limit).map(|(seq, _)| seq))?
        .into_iter()
        .map(|message| hit(tx, &mut heads, message, 0.0, vec![Why::Filter], Evidence::default()))
        .collect()
}

pub(super) fn hit(
    tx: &ReadTx<'_>,
    heads: &mut HashMap<ConversationId, (Option<String>, String)>,
    message: InteractionRow,
    score: f64,
    why: Vec<Why>,
    evidence: Evidence,
) -> Result<Hit, StoreError> {
    let id = message.conversation_id.clone();
    if !heads.contains_key(&id) {
        heads.insert(id.clone(), tx.search().conversation_head(&id)?.unwrap_or_default());
    }
    let (conversation_title, channel_type) = heads.get(&id).cloned().unwrap_or_default();
    Ok(Hit { message, conversation_title, channel_type, score, why, evidence, around: Vec::new() })
}
