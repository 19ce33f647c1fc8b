//! Selects the contents of a context for a question: the few memories and messages most likely to answer it, or nothing if
//! none does.
//!
//! A message is scored by its search result. A memory is scored by its own wording or by its best source message, whichever is
//! more likely to help, because a statement cut out of a message ("he takes it for his heart") often no longer says who it is
//! about.
//!
//! The most likely messages are then judged together with the question (`Embedder::judge`), which predicts better whether
//! they help.
//!
//! Not in this module: what may surface (`boundary`), the search itself (`search`), and a context without a question
//! (`context`).

use std::collections::{HashMap, HashSet};

use keepsake_domain::{MemoryId, Timestamp};
use keepsake_retrieval::Query;
use keepsake_store::{InteractionRow, ReadTx, StoreError};

use super::newest_of_conflicting;
use crate::areas::Serve;
use crate::review::retractions::TakenBack;
use crate::serve::boundary::View;
use crate::serve::masked::may_be_served;
use crate::serve::search::{Hit, Later, MemoryHit, WORDS_ALONE_MIN, Why, any_says_it, has_all_words};

/// Maximum number of answers to a question. On a household's conversations, doubling this number found hardly more of the
/// relevant lines (0.67 instead of 0.62) but twice as many irrelevant ones.
const LINES_MAX: usize = 8;

/// Maximum number of messages that are judged together with the question, most likely first. Each takes about 3 ms on two
/// cores, and a context should take no longer than 150 ms.
const JUDGED_MAX: usize = 16;

/// Maximum number of likely answers that are compared with later messages. It is slightly higher than the number served,
/// because answers that turn out to be outdated make room for others.
const CONSIDERED_MAX: usize = 12;

/// Number of message hits considered. It is high, because the source message of a memory may be far down the list.
const FOUND_MESSAGES: usize = 60;

/// Minimum probability of an answer. Less likely answers are not served, even if there are no others. Measured on six lives
/// that no model was trained on: with this minimum, a third of the served lines help, and half of the needed lines are
/// served; with 0.2, two of five served lines help, and 0.42 of the needed lines are served (decision 68).
const PROBABILITY_MIN: f64 = 0.1;

/// Weights for a message: its cosine, its search score, the logarithm of its search rank, and the higher of the cosines of
/// the messages right before and after it, because an answer seldom repeats the words of its question. Fitted by
/// `scripts/fit_context.py`.
const OF_LINE: Weights<4> = Weights { bias: -4.92, each: [6.23, 0.2, -0.43, 3.28] };

/// Weights for a message that was judged together with the question: as in [`OF_LINE`], followed by the log odds of the
/// judgment.
const OF_JUDGED: Weights<5> = Weights { bias: -3.28, each: [4.3, 0.06, -0.44, 1.94, 0.65] };

/// Weight for the cosine of a memory's wording. Fitted by the same script, on messages, because a memory is worded like a
/// message.
const OF_WORDING: Weights<1> = Weights { bias: -6.22, each: [12.54] };

/// Lower bound on the probability of a memory about the requested attribute.
const OF_ATTRIBUTE: f64 = 0.3;

/// Maximum number of memories that get the lower bound for the requested attribute, nearest first, because a list of
/// everybody's homes answers nothing.
const OF_ATTRIBUTE_MAX: usize = 3;

struct Weights<const N: usize> {
    bias: f64,
    each: [f64; N],
}

impl<const N: usize> Weights<N> {
    fn probability(&self, cues: [f64; N]) -> f64 {
        let logit = self.bias + self.each.iter().zip(cues).map(|(weight, cue)| weight * cue).sum::<f64>();
        1.0 / (1.0 + (-logit).exp())
    }
}

/// The answers to a question, most likely first.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) memories: Vec<MemoryId>,
    pub(super) messages: Vec<InteractionRow>,
}

impl Serve<'_> {
    /// Selects answers from these memories and from the messages that may surface.
    pub(super) fn answers_to(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        typed: &str,
        open: &[MemoryId],
        until: Option<Timestamp>,
        taken: &TakenBack,
    ) -> Result<Answers, StoreError> {
        let query = Query::read(typed, self.moment());
        let vector = self.question_vector(&query);
        let vector = vector.as_ref().map(|(model, vector)| (model.as_str(), vector.as_slice()));
        let mut messages = self.answering(tx, Some(view), &query, vector.map(|(_, vector)| vector), until, FOUND_MESSAGES)?;
        messages.retain(|hit| !hit.message.is_branch);
        let found: HashSet<i64> = messages.iter().map(|hit| hit.message.seq).collect();
        let mut rests_on: HashMap<MemoryId, Vec<i64>> = HashMap::new();
        for (id, seq) in tx.memories().evidence_lines()? {
            rests_on.entry(id).or_default().push(seq);
        }
        let mut memories = self.rank_memories(tx, open, typed, vector, usize::MAX)?;
        let ranked: HashSet<MemoryId> = memories.iter().map(|hit| hit.id.clone()).collect();
        let is_found = |id: &MemoryId| rests_on.get(id).is_some_and(|lines| lines.iter().any(|seq| found.contains(seq)));
        let by_lines = open.iter().filter(|id| !ranked.contains(*id) && is_found(id));
        memories.extend(by_lines.map(|id| MemoryHit { id: id.clone(), score: 0.0, meaning: None, why: Vec::new() }));
        let ids = memories.iter().map(|hit| hit.id.clone()).collect();
        let current: HashSet<MemoryId> = newest_of_conflicting(tx, view, ids)?.into_iter().collect();
        memories.retain(|hit| current.contains(&hit.id));
        self.mark_of_attribute(tx, view, open, vector.map(|(_, vector)| vector), &mut memories)?;
        let mut likeliest = likeliest(&memories, &rests_on, &messages, vector.is_some());
        if vector.is_some() {
            self.judge(tx, typed, &messages, &mut likeliest)?;
        }
        let likeliest = likely_enough(likeliest, vector.is_some());
        let newest = |id: &MemoryId| rests_on.get(id).into_iter().flatten().copied().max();
        let lines = likeliest.iter().filter_map(|answer| match answer {
            Answer::Memory(id) => newest(id),
            Answer::Message(rank) => Some(messages[*rank].message.seq),
        });
        let is_left = |row: &InteractionRow| may_be_served(&row.content) && taken.text_left(row) == row.content;
        let outdated = self.outdated_by(tx, Some(view), until, &lines.collect(), is_left)?;
        Ok(with_later(&likeliest, &rests_on, &messages, &outdated))
    }
}

/// The answers to serve. An outdated answer is replaced by the message that makes it outdated (`outdated`, by log position),
/// or by the memory among the answers that rests on that message. A memory is replaced only by words of the owner or of the
/// person whom it quotes. Pure.
fn with_later(
    likeliest: &[Answer],
    rests_on: &HashMap<MemoryId, Vec<i64>>,
    messages: &[Hit],
    outdated: &HashMap<i64, Later>,
) -> Answers {
    let lines_of = |id: &MemoryId| rests_on.get(id).into_iter().flatten().copied();
    let resting: HashMap<i64, &MemoryId> = likeliest
        .iter()
        .filter_map(|answer| if let Answer::Memory(id) = answer { Some(id) } else { None })
        .flat_map(|id| lines_of(id).map(move |seq| (seq, id)))
        .collect();
    let mut answers = Answers::default();
    let mut said: HashSet<i64> = HashSet::new();
    for answer in likeliest {
        let (own, message) = match answer {
            Answer::Memory(id) => (Some(id), None),
            Answer::Message(rank) => (None, Some(&messages[*rank].message)),
        };
        let seq = message.map(|message| message.seq).or_else(|| own.and_then(|id| lines_of(id).max()));
        let later = seq.and_then(|seq| outdated.get(&seq)).filter(|later| later.is_own || own.is_none());
        let later = later.map(|later| &later.message);
        let memory = later.map_or(own, |later| resting.get(&later.seq).copied());
        match (memory, later.or(message)) {
            (Some(id), _) => {
                if !answers.memories.contains(id) {
                    said.extend(lines_of(id));
                    answers.memories.push(id.clone());
                }
            }
            (None, Some(message)) if said.insert(message.seq) => answers.messages.push(message.clone()),
            (None, _) => {}
        }
        if answers.memories.len() + answers.messages.len() == LINES_MAX {
            break;
        }
    }
    answers
}

impl Serve<'_> {
    /// Judges the messages of the most likely answers together with the question, and corrects the probabilities. Less likely
    /// answers are dropped, unless they have a lower bound or are not based on any message that was found. Nothing changes if
    /// the model cannot judge.
    fn judge(&self, tx: &ReadTx<'_>, typed: &str, messages: &[Hit], likeliest: &mut Vec<Likely>) -> Result<(), StoreError> {
        let Some(embedder) = self.engine.inner.embedder.ready() else { return Ok(()) };
        let mut ranks: Vec<usize> = Vec::new();
        for rank in likeliest.iter().filter_map(|likely| likely.line) {
            if ranks.len() < JUDGED_MAX && !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
        let rows: Vec<&InteractionRow> = ranks.iter().map(|rank| &messages[*rank].message).collect();
        let passages = self.passages(tx, &rows)?;
        let log_odds = embedder.judge(typed, &passages).unwrap_or_else(|error| {
            tracing::warn!(%error, "answers could not be judged");
            None
        });
        let Some(log_odds) = log_odds else { return Ok(()) };
        let judged: HashMap<usize, f64> = ranks.into_iter().zip(log_odds.into_iter().map(f64::from)).collect();
        likeliest.retain(|likely| likely.line.is_none_or(|rank| judged.contains_key(&rank)) || likely.at_least > 0.0);
        for likely in likeliest {
            let Some((rank, log_odds)) = likely.line.and_then(|rank| Some((rank, judged.get(&rank)?))) else { continue };
            let [meaning, score, by_rank, around] = cues(&messages[rank], rank);
            likely.probability = OF_JUDGED.probability([meaning, score, by_rank, around, *log_odds]).max(likely.at_least);
        }
        Ok(())
    }

    /// Marks approved memories about the requested attribute ("my address", "which pets"), and adds those that the search
    /// missed because they are worded differently.
    fn mark_of_attribute(
        &self,
        tx: &ReadTx<'_>,
        view: &View,
        open: &[MemoryId],
        question: Option<&[f32]>,
        memories: &mut Vec<MemoryHit>,
    ) -> Result<(), StoreError> {
        let Some(attribute) = question.and_then(|question| self.attribute_asked(question)) else { return Ok(()) };
        let of_attribute: HashSet<MemoryId> = tx.memories().of_attribute(attribute)?.into_iter().collect();
        let known: HashSet<MemoryId> = memories.iter().map(|hit| hit.id.clone()).collect();
        let more = open.iter().rev().filter(|id| of_attribute.contains(*id) && !known.contains(*id)).cloned().collect();
        let more = newest_of_conflicting(tx, view, more)?;
        memories.extend(more.into_iter().map(|id| MemoryHit { id, score: 0.0, meaning: None, why: Vec::new() }));
        let marked = memories.iter_mut().filter(|hit| of_attribute.contains(&hit.id)).take(OF_ATTRIBUTE_MAX);
        marked.for_each(|hit| hit.why.push(Why::Attribute));
        Ok(())
    }
}

/// A possible answer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    Memory(MemoryId),
    /// Index into the message hits.
    Message(usize),
}

/// A possible answer with its probability.
#[derive(Debug, Clone, PartialEq)]
struct Likely {
    probability: f64,
    answer: Answer,
    /// Index of the found message that this answer is, or that it rests on.
    line: Option<usize>,
    /// Lower bound on the probability, whatever the judgment of a model.
    at_least: f64,
}

/// The answers, most likely first. `rests_on` maps each memory to the log positions of its source messages; a message is not
/// served in addition to a memory that rests on it. Pure.
fn likeliest(memories: &[MemoryHit], rests_on: &HashMap<MemoryId, Vec<i64>>, messages: &[Hit], has_vectors: bool) -> Vec<Likely> {
    if !any_says_it(messages, memories, has_vectors) {
        return Vec::new();
    }
    let rank_of: HashMap<i64, usize> = messages.iter().enumerate().map(|(rank, hit)| (hit.message.seq, rank)).collect();
    let mut found: Vec<Likely> = Vec::new();
    for hit in memories {
        let ranks = rests_on.get(&hit.id).into_iter().flatten().filter_map(|seq| rank_of.get(seq).copied());
        let best = ranks.min();
        let meaning = f64::from(hit.meaning.unwrap_or(0.0).max(0.0));
        let line = best.map_or(0.0, |rank| of_line(&messages[rank], rank, has_vectors));
        let probability = line.max(match (has_vectors, hit.has_words()) {
            (true, _) => OF_WORDING.probability([meaning]),
            // Without vectors, a memory reaches at least the minimum if it contains a word of the question.
            (false, true) => f64::from(WORDS_ALONE_MIN),
            (false, false) => 0.0,
        });
        let of_attribute = if hit.why.contains(&Why::Attribute) { OF_ATTRIBUTE } else { 0.0 };
        let at_least = best.map_or(0.0, |rank| least_of_line(&messages[rank], has_vectors)).max(of_attribute);
        found.push(Likely {
            probability: probability.max(at_least),
            answer: Answer::Memory(hit.id.clone()),
            line: best,
            at_least,
        });
    }
    for (rank, hit) in messages.iter().enumerate() {
        let probability = of_line(hit, rank, has_vectors);
        let at_least = least_of_line(hit, has_vectors);
        let (answer, line) = (Answer::Message(rank), Some(rank));
        found.push(Likely { probability: probability.max(at_least), answer, line, at_least });
    }
    // The sort is stable, so of equally likely answers, memories come first, because they were approved.
    found.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let mut told: HashSet<i64> = HashSet::new();
    found.retain(|likely| match &likely.answer {
        Answer::Message(rank) => !told.contains(&messages[*rank].message.seq),
        Answer::Memory(id) => {
            told.extend(rests_on.get(id).into_iter().flatten().copied());
            true
        }
    });
    found
}

/// The answers that are likely enough to serve, at most [`CONSIDERED_MAX`]. Pure.
fn likely_enough(mut likeliest: Vec<Likely>, has_vectors: bool) -> Vec<Answer> {
    let least = if has_vectors { PROBABILITY_MIN } else { f64::from(WORDS_ALONE_MIN) };
    likeliest.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let enough = likeliest.into_iter().filter(|likely| likely.probability >= least);
    enough.take(CONSIDERED_MAX).map(|likely| likely.answer).collect()
}

/// The values of a message to which [`OF_LINE`] applies, given its search rank.
fn cues(hit: &Hit, rank: usize) -> [f64; 4] {
    let [_, before, after, _] = hit.evidence.meaning_around;
    [f64::from(hit.evidence.meaning.max(0.0)), hit.score, (rank as f64).ln_1p(), f64::from(before.max(after).max(0.0))]
}

/// Lower bound on the probability of a message. A message with all the words of the question counts as an answer, even if it
/// has no vector yet.
fn least_of_line(hit: &Hit, has_vectors: bool) -> f64 {
    if has_vectors && has_all_words(&hit.evidence) { PROBABILITY_MIN } else { 0.0 }
}

/// The probability that a message helps, given its search rank.
fn of_line(hit: &Hit, rank: usize, has_vectors: bool) -> f64 {
    if has_vectors { OF_LINE.probability(cues(hit, rank)) } else { f64::from(hit.evidence.words) }
}

#[cfg(test)]
mod tests {
    use keepsake_retrieval::Evidence;

    use super::*;
    use crate::derive::readable_messages::owners_row;

    fn memory_id(number: u64) -> MemoryId {
        format!("mem_{number:032x}").parse().unwrap()
    }

    /// A message at this log position, with the search score and the cosine.
    fn line(seq: i64, score: f64, meaning: f32) -> Hit {
        let message = owners_row(seq, &format!("line {seq}"));
        let evidence = Evidence { meaning, words: meaning, ..Evidence::default() };
        let (conversation_title, channel_type) = (None, "chat".to_owned());
        Hit { message, conversation_title, channel_type, score, why: Vec::new(), evidence, around: Vec::new() }
    }

    fn memory(number: u64, meaning: f32) -> MemoryHit {
        MemoryHit { id: memory_id(number), score: 0.0, meaning: Some(meaning), why: vec![Why::Meaning] }
    }

    /// The answers: `m1` is a memory, `3` the message at log position 3.
    fn told(memories: &[(u64, f32, &[i64])], lines: &[Hit], has_vectors: bool) -> Vec<String> {
        let hits: Vec<MemoryHit> = memories.iter().map(|(number, meaning, _)| memory(*number, *meaning)).collect();
        let rests_on = memories.iter().map(|(number, _, seqs)| (memory_id(*number), seqs.to_vec())).collect();
        let name = |answer| match answer {
            Answer::Memory(id) => {
                memories.iter().find(|(number, ..)| memory_id(*number) == id).map_or_else(String::new, |m| format!("m{}", m.0))
            }
            Answer::Message(rank) => lines[rank].message.seq.to_string(),
        };
        likely_enough(likeliest(&hits, &rests_on, lines, has_vectors), has_vectors).into_iter().map(name).collect()
    }

    #[test]
    fn where_nothing_says_it_nothing_is_told() {
        let near = |score, meaning| [line(1, score, meaning), line(2, 1.0, 0.1)];
        assert!(told(&[(1, 0.3, &[])], &near(6.9, 0.2), true).is_empty());
        assert_eq!(told(&[], &near(10.0, 0.2), true), ["1"], "control: by its score");
        assert_eq!(told(&[], &near(5.0, 0.6), true)[0], "1", "control: by its meaning");
        assert_eq!(told(&[(1, 0.6, &[])], &near(4.0, 0.2), true)[0], "m1", "control: a memory says it");
    }

    #[test]
    fn no_more_than_a_few_lines_are_considered() {
        let many: Vec<Hit> = (1..40).map(|seq| line(seq, 14.0, 0.7)).collect();
        assert_eq!(told(&[], &many, true).len(), CONSIDERED_MAX);
    }

    #[test]
    fn what_makes_an_answer_outdated_takes_its_place_once() {
        let lines = [line(7, 10.0, 0.6), line(8, 9.0, 0.5), line(9, 8.0, 0.5)];
        let [old, new] = [memory_id(1), memory_id(2)];
        let rests_on = HashMap::from([(old.clone(), vec![7]), (new.clone(), vec![9])]);
        let later = |seq: i64, is_own: bool| Later { message: owners_row(seq, "later"), is_own };
        let check = |likeliest: &[Answer], outdated: &[(i64, i64)], expect: (&[&MemoryId], &[i64])| {
            let outdated = outdated.iter().map(|&(earlier, seq)| (earlier, later(seq, true))).collect();
            let found = with_later(likeliest, &rests_on, &lines, &outdated);
            let seqs: Vec<i64> = found.messages.iter().map(|message| message.seq).collect();
            assert_eq!((found.memories.iter().collect::<Vec<_>>(), seqs), (expect.0.to_vec(), expect.1.to_vec()));
        };
        let both = [Answer::Memory(old.clone()), Answer::Message(1)];
        check(&both, &[], (&[&old], &[8]));
        check(&both, &[(7, 20)], (&[], &[20, 8]));
        check(&both, &[(7, 8)], (&[], &[8]));
        check(&both, &[(8, 20)], (&[&old], &[20]));
        check(&[Answer::Memory(old.clone()), Answer::Memory(new.clone())], &[(7, 9)], (&[&new], &[]));
        check(&[Answer::Message(1), Answer::Memory(new.clone())], &[(8, 9)], (&[&new], &[]));
        let by_others = HashMap::from([(7, later(20, false)), (8, later(21, false))]);
        let found = with_later(&both, &rests_on, &lines, &by_others);
        assert_eq!(found.memories, [old], "what was approved does not give way to the words of others");
        assert_eq!(found.messages.iter().map(|message| message.seq).collect::<Vec<_>>(), [21], "control: a message does");
    }

    #[test]
    fn a_memory_is_judged_by_its_line_too_and_the_line_is_not_told_again() {
        let lines = [line(7, 10.0, 0.6), line(8, 9.0, 0.5)];
        assert_eq!(
            told(&[(1, 0.1, &[7]), (2, 0.1, &[90])], &lines, true),
            ["m1", "8"],
            "the one that rests on no found line is not near"
        );
    }

    #[test]
    fn without_a_model_words_decide() {
        let lines = [line(1, 3.0, 0.8), line(2, 2.0, 0.2)];
        assert_eq!(told(&[], &lines, false), ["1"]);
    }

    #[test]
    fn what_is_approved_of_the_attribute_asked_about_is_told_however_it_is_worded() {
        let mut far = memory(1, 0.05);
        let serves = |hit: &MemoryHit| !likeliest(std::slice::from_ref(hit), &HashMap::new(), &[], true).is_empty();
        assert!(!serves(&far), "control: its words are far from the question");
        far.why.push(Why::Attribute);
        assert!(serves(&far));
    }
}
