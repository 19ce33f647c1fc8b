//! The gates for candidates from a model, in the same order for all tasks.
//!
//! They check only form: the place and the speaker of the cited words, the structure of the entry, markup, and hidden characters.
//! Whether the words support the statement is up to the judge ([`super::judge`]). Deliberately not here: reading replies, the
//! judge, and duplicates of stored memories.

use std::collections::HashSet;

use keepsake_domain::{
    Candidate, Confidence, DedupOutcome, Durability, Gate, KnowledgeDetail, MemoryKind, Stop, Subject, limits,
};
use keepsake_prompt::reply::Entries;
use keepsake_text::{hides_text, is_order};

use super::place::Places;
use crate::formal::{self, Refusal};
use crate::{Proposals, dedup, filter, validate};

/// Maximum number of evidence spans per candidate, clearest first. People do not read more than a few.
pub(super) const EVIDENCE_MAX: usize = 4;

/// Collects the candidates that pass the gates, and a stop for each candidate that does not pass.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    passed: Vec<Candidate>,
    stops: Vec<Stop>,
}

impl Sieve {
    /// Applies the gates, and keeps the candidate or its stop.
    pub(super) fn offer(&mut self, places: &Places<'_>, candidate: Candidate) {
        match admitted(places, candidate.clone()) {
            Ok(candidate) => self.keep(candidate),
            Err(refusal) => self.stop(candidate, refusal),
        }
    }

    /// Keeps a candidate that passed. If an equal candidate is already kept, the two are merged.
    pub(super) fn keep(&mut self, candidate: Candidate) {
        let same = self.passed.iter_mut().find(|known| {
            known.kind == candidate.kind
                && dedup::compare(dedup::Claim::of(&candidate), None, dedup::Claim::of(known), None).0 == DedupOutcome::Exact
        });
        match same {
            Some(known) => {
                let room = EVIDENCE_MAX.saturating_sub(known.evidence.len());
                let new: Vec<_> =
                    candidate.evidence.into_iter().filter(|place| !known.evidence.contains(place)).take(room).collect();
                known.evidence.extend(new);
            }
            None => self.passed.push(candidate),
        }
    }

    /// Records why a candidate was filtered out.
    pub(super) fn stop(&mut self, candidate: Candidate, (gate, reason): Refusal) {
        let content: String = validate::shown(&candidate.content).chars().take(limits::CONTENT_CHARS_MAX).collect();
        self.stops.push(Stop { gate, subject: candidate.subject, content, reason, evidence: candidate.evidence });
    }

    /// Records the entries of a reply that could not be read.
    pub(super) fn left_out<T, const MAX: usize>(&mut self, entries: &Entries<T, MAX>) {
        self.stops.extend(entries.stops(&Subject::Owner));
    }

    /// Removes and returns the candidates that passed so far, for the judge.
    pub(super) fn take_passed(&mut self) -> Vec<Candidate> {
        std::mem::take(&mut self.passed)
    }

    /// The results, including quarantined text from turn `from` onward.
    pub(super) fn finish(mut self, places: &Places<'_>, from: usize) -> Proposals {
        let mut seen = HashSet::new();
        self.stops.retain(|stop| {
            seen.insert((stop.gate, stop.content.clone(), stop.evidence.first().cloned().map(|e| (e.message, e.span))))
        });
        let mut out = Proposals { candidates: self.passed, stops: self.stops };
        formal::set_apart(places.conversation(), from, &mut out);
        out
    }
}

/// Returns the candidate with the evidence that the gates accept, or the refusal of the first gate that rejects it.
pub(super) fn admitted(places: &Places<'_>, mut candidate: Candidate) -> Result<Candidate, Refusal> {
    if candidate.is_quarantined {
        return Ok(candidate);
    }
    if candidate.evidence.is_empty() {
        return Err((Gate::Ungrounded, "It does not cite any place in the conversation.".to_owned()));
    }
    // Checks the statement by itself first, to give the clearest reason. A position does not begin with the person who holds it,
    // but all other filters apply to it too.
    let mut filtered = candidate.clone();
    if candidate.kind == MemoryKind::Knowledge {
        filtered.content = format!("User {}", candidate.content);
    }
    filter::check(&filtered, places.conversation())?;
    let mut refusal: Option<Refusal> = None;
    let mut kept = Vec::new();
    let mut said = String::new();
    for evidence in std::mem::take(&mut candidate.evidence) {
        match places.check(&candidate.subject, &evidence) {
            Ok(()) => {
                let text = places.conversation().turns.get(evidence.message).map_or("", |turn| turn.text);
                said.push_str(text);
                said.push('\n');
                kept.push(evidence);
            }
            Err(orders) if orders.0 == Gate::InstructionLike => {
                candidate.evidence = vec![evidence];
                return Err(orders);
            }
            Err(other) => _ = refusal.get_or_insert(other),
        }
    }
    kept.truncate(EVIDENCE_MAX);
    candidate.evidence = kept;
    if candidate.evidence.is_empty() {
        return Err(refusal.unwrap_or((Gate::Ungrounded, "It does not cite any place in the conversation.".to_owned())));
    }
    if candidate.kind == MemoryKind::Knowledge {
        let detail = candidate.knowledge.as_ref().ok_or((Gate::Invalid, "The position has no topic.".to_owned()))?;
        check_detail(&candidate, detail)?;
    }
    if candidate.confidence < Confidence::FLOOR && candidate.kind == MemoryKind::Fact {
        return Err((Gate::LowConfidence, format!("The model's confidence is only {:.2}.", candidate.confidence.get())));
    }
    check_markup(&candidate, &said)?;
    if candidate.durability == Durability::Ephemeral {
        return Err((Gate::Ephemeral, "It is true only for this day or hour.".to_owned()));
    }
    validate::check(&candidate, places.conversation())?;
    Ok(candidate)
}

/// Seed 002: the topic must exist and must not repeat the position. Whether the topic fits the position is up to the judge.
fn check_detail(candidate: &Candidate, detail: &KnowledgeDetail) -> Result<(), Refusal> {
    let invalid = |reason: &str| Err((Gate::Invalid, reason.to_owned()));
    if detail.topic.trim().is_empty() {
        return invalid("The position has no topic.");
    }
    if dedup::fingerprint(&detail.topic) == dedup::fingerprint(&candidate.content) {
        return invalid("The topic only repeats the position.");
    }
    Ok(())
}

/// Rejects markup, and links that the owner did not write, because a program that displays a statement may fetch its links and
/// people may click them.
fn check_markup(candidate: &Candidate, said: &str) -> Result<(), Refusal> {
    let detail = candidate
        .knowledge
        .iter()
        .flat_map(|detail| [Some(&detail.topic), detail.context.as_ref()].into_iter().flatten().chain(&detail.tags));
    // Nobody calls themselves "the user". Text such as "the user lives in Bonn" tells a machine what to believe.
    if let Some(rest) = candidate.content.strip_prefix("User ") {
        let head: Vec<&str> = rest.split_whitespace().take(2).collect();
        if said.to_lowercase().contains(&format!("the user {}", head.join(" ").to_lowercase())) {
            return Err((
                Gate::NotAboutSubject,
                "The words it cites speak of \"the user\", but people do not speak of themselves that way.".to_owned(),
            ));
        }
    }
    for text in [&candidate.content, &candidate.reasoning].into_iter().chain(detail) {
        let lower = text.to_lowercase();
        if ["![", "](", "<img", "<a ", "<script", "javascript:", "data:"].iter().any(|mark| lower.contains(mark)) {
            return Err((Gate::Invalid, "It contains markup, which no statement needs.".to_owned()));
        }
        let links = lower.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ')' | '('));
        let said = said.to_lowercase();
        if links
            .filter(|word| word.contains("://") || word.starts_with("www."))
            .any(|link| !said.contains(link.trim_end_matches(['.', '!', '?'])))
        {
            return Err((Gate::Ungrounded, "It contains a link that is not in the words it cites.".to_owned()));
        }
        if hides_text(text) || validate::shown(text) != text.split_whitespace().collect::<Vec<_>>().join(" ") {
            return Err((Gate::Invalid, "It contains hidden characters.".to_owned()));
        }
        // "User is an administrator" is a statement. "The user is an administrator" in a message tells a machine to believe it.
        if is_order(text.strip_prefix("User").unwrap_or(text)) {
            return Err((Gate::SystemPromptLeak, "It looks like an order to an assistant.".to_owned()));
        }
    }
    Ok(())
}
