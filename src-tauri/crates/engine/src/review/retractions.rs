//! Keeps retracted statements out of everything served: other memories, profile entries, topics, summaries and context lines.
//!
//! A retraction identifies a statement and, through its evidence, the source words. Other texts derived from those words say
//! the same, so they are not served while the retraction is in effect. They are not changed, so withdrawing the retraction
//! restores every text. Messages stay as they were written and are shown unchanged; only a context leaves the retracted words
//! out, because a program would take them as true.
//!
//! Not in this module: preventing the statement from being proposed again (`propose`), and rows (`store`).

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use keepsake_capture::dedup::shared_words;
use keepsake_capture::spoken;
use keepsake_domain::{
    ConversationId, EvidenceSpan, InteractionId, ProfileEntry, ProfileOrigin, Span, Timestamp, TopicId, TopicVersionId,
};
use keepsake_insight::topic::Section;
use keepsake_store::{InteractionRow, ReadTx, RetractionRow, Speakers, StoreError, TopicLineRow};

use crate::derive::commitments::{StoredCommitment, commitments_of};
use crate::serve::masked::credentials;

type StoreResult<T> = std::result::Result<T, StoreError>;

/// Replaces words that were left out of a context.
const LEFT_OUT: &str = "[…]";

/// A retracted statement with its source words in one message.
#[derive(Debug, Clone)]
struct Stretch {
    span: Span,
    content: String,
    instead: Option<String>,
}

/// The words that a person retracted.
#[derive(Debug, Clone, Default)]
pub(crate) struct TakenBack {
    stretches: HashMap<InteractionId, Vec<Stretch>>,
    by_conversation: HashMap<ConversationId, BTreeSet<String>>,
    /// The quotations, by speaker. The same words from that speaker elsewhere mean the same.
    quotes: HashMap<String, BTreeSet<String>>,
    /// The quotations, each with the handle that said it.
    said: Vec<(String, String)>,
    /// The person behind each handle, so that a person is one speaker on every channel.
    speakers: Speakers,
}

fn overlap(a: Span, b: Span) -> u32 {
    a.end().min(b.end()).saturating_sub(a.start().max(b.start()))
}

impl Stretch {
    /// Whether a statement derived from the same words says the same; one sentence may contain several statements. A statement
    /// closer to the person's replacement wording does not count, because it was derived from that wording.
    fn says(&self, statement: &str) -> bool {
        let shared = shared_words(&self.content, statement);
        let all = shared_words(statement, statement);
        // One shared word out of two is not enough: "prefers French" does not mean "prefers short answers".
        2 * shared > all && shared > self.instead.as_deref().map_or(0, |instead| shared_words(instead, statement))
    }
}

impl TakenBack {
    /// Everything retracted until this time. `None` means now.
    pub(crate) fn read(tx: &ReadTx<'_>, until: Option<Timestamp>) -> StoreResult<Self> {
        let mut taken = Self::of_memories(tx, until)?;
        taken.add(tx, tx.retractions().of_profiles(until)?)?;
        Ok(taken)
    }

    /// Only the words of retracted memories, because a disputed profile entry is recognized by its own statement.
    pub(crate) fn of_memories(tx: &ReadTx<'_>, until: Option<Timestamp>) -> StoreResult<Self> {
        let mut taken = Self::default();
        taken.add(tx, tx.retractions().of_memories(until)?)?;
        Ok(taken)
    }

    /// Adds the words of statements that have become history, because a program would take them as still true. Texts derived
    /// from these words stay.
    pub(crate) fn with_history(mut self, tx: &ReadTx<'_>, until: Option<Timestamp>) -> StoreResult<Self> {
        for place in tx.retractions().history_places(until)? {
            let stretch = Stretch { span: place.span, content: String::new(), instead: None };
            self.stretches.entry(place.interaction).or_default().push(stretch);
        }
        Ok(self)
    }

    fn add(&mut self, tx: &ReadTx<'_>, rows: Vec<RetractionRow>) -> StoreResult<()> {
        if self.stretches.is_empty() && !rows.is_empty() {
            self.speakers = tx.log().speakers_by(&tx.people().persons()?)?;
        }
        for row in rows {
            let quote = bare(&row.quote);
            if quote.split(' ').count() >= WORDS_TOLD_MIN {
                self.by_conversation.entry(row.conversation).or_default().insert(quote.clone());
                let speaker = self.speakers.key(&row.handle).to_owned();
                self.quotes.entry(speaker).or_default().insert(quote.clone());
                self.said.push((row.handle, quote));
            }
            let stretch = Stretch { span: row.place.span, content: row.content, instead: row.instead };
            self.stretches.entry(row.place.interaction).or_default().push(stretch);
        }
        Ok(())
    }

    fn at(&self, place: &EvidenceSpan) -> impl Iterator<Item = &Stretch> {
        let there = self.stretches.get(&place.interaction).map_or(&[][..], Vec::as_slice);
        there.iter().filter(|stretch| overlap(stretch.span, place.span) > 0)
    }

    /// Whether any words at this place were retracted.
    pub(crate) fn covers(&self, place: &EvidenceSpan) -> bool {
        self.at(place).next().is_some()
    }

    /// Whether a statement derived from these places says the same as a retracted one.
    pub(crate) fn covers_statement<'p>(&self, statement: &str, places: impl IntoIterator<Item = &'p EvidenceSpan>) -> bool {
        places.into_iter().any(|place| self.at(place).any(|stretch| stretch.says(statement)))
    }

    /// Whether a profile entry says the same as a retracted statement: it rests on the same words, or it quotes the same
    /// words that its subject said elsewhere (`is_theirs` recognizes the subject's handles). Entries that a person wrote are
    /// never covered.
    pub(crate) fn covers_entry(&self, entry: &ProfileEntry, is_theirs: &dyn Fn(&str) -> bool) -> bool {
        let says_again = || {
            let words = spoken(&entry.content).map(bare);
            words.is_some_and(|words| self.said.iter().any(|(handle, quote)| say_the_same(&words, quote) && is_theirs(handle)))
        };
        entry.origin != ProfileOrigin::Person
            && (self.covers_statement(&entry.content, entry.evidence.as_slice()) || says_again())
    }

    /// Whether a topic line contains retracted words.
    pub(crate) fn covers_line(&self, line: &TopicLineRow) -> bool {
        std::iter::once(&line.place).chain(&line.also).any(|place| self.covers(place))
    }

    /// Returns the lines that may be served. Leaves out lines with retracted words, lines in which the same speaker repeats
    /// such words, and tasks that have been settled.
    pub(crate) fn lines_left(&self, tx: &ReadTx<'_>, lines: Vec<TopicLineRow>) -> StoreResult<Vec<TopicLineRow>> {
        let mut left = Vec::new();
        for line in lines {
            if self.covers_line(&line) || is_done(tx, &line)? {
                continue;
            }
            let words = bare(&line.text);
            let says_again = self.quotes.values().flatten().any(|quote| say_the_same(&words, quote));
            if says_again
                && let Some(message) = tx.log().interaction(&line.place.interaction)?
                && self.says_again(&message.handle_id, &words)
            {
                continue;
            }
            left.push(line);
        }
        Ok(left)
    }

    /// Whether a topic's title may be served. It may not if one of the topic's messages contains retracted words and the
    /// title names their subject.
    pub(crate) fn leaves_title(&self, tx: &ReadTx<'_>, topic: &TopicId, title: &str) -> StoreResult<bool> {
        if self.stretches.is_empty() {
            return Ok(true);
        }
        let titled = bare(title);
        let is_named = |stretch: &Stretch| {
            let instead = stretch.instead.as_deref().map(bare).unwrap_or_default();
            let taken = bare(&stretch.content);
            let mut words = taken.split(' ').filter(|word| word.chars().count() >= TITLE_WORD_CHARS_MIN);
            words.any(|word| holds(&titled, word) && !holds(&instead, word))
        };
        let messages = tx.topics().messages(topic)?;
        let mut stretches = messages.iter().filter_map(|(message, _)| self.stretches.get(message)).flatten();
        if stretches.any(is_named) {
            return Ok(false);
        }
        if !self.stretches.values().flatten().any(is_named) {
            return Ok(true);
        }
        // The words were retracted elsewhere, but the same speaker may repeat them in a message of this topic.
        for (id, _) in &messages {
            if let Some(message) = tx.log().interaction(id)?
                && message.content.split(SENTENCE_ENDS).any(|one| self.says_again(&message.handle_id, &bare(one)))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a sentence repeats words that the same speaker said elsewhere and that were retracted.
    fn says_again(&self, handle: &str, words: &str) -> bool {
        self.quotes.get(self.speakers.key(handle)).into_iter().flatten().any(|quote| say_the_same(words, quote))
    }

    /// The message text without retracted words and without sentences that repeat them.
    pub(crate) fn text_left(&self, message: &InteractionRow) -> String {
        let taken = self.stretches.get(&message.id).into_iter().flatten();
        let mut cut: Vec<Range<usize>> = taken.filter_map(|stretch| stretch.span.bytes_in(&message.content).ok()).collect();
        if !cut.is_empty() || self.quotes.contains_key(self.speakers.key(&message.handle_id)) {
            // The retracted words may be what identifies a number as a code, so credentials are found in the full text and
            // removed as well.
            cut.extend(credentials(&message.content));
        }
        cut.sort_by_key(|bytes| (bytes.start, bytes.end));
        let mut text = String::new();
        let mut at = 0;
        for bytes in cut {
            if bytes.start >= at {
                text.push_str(&message.content[at..bytes.start]);
                text.push_str(LEFT_OUT);
            }
            at = at.max(bytes.end);
        }
        text.push_str(&message.content[at..]);
        if !self.quotes.contains_key(self.speakers.key(&message.handle_id)) {
            return text;
        }
        let sentences = text.split_inclusive(SENTENCE_ENDS);
        sentences.map(|one| if self.says_again(&message.handle_id, &bare(one)) { LEFT_OUT } else { one }).collect()
    }

    /// A conversation summary without the sentences that contain retracted words.
    pub(crate) fn summary_left(&self, conversation: &ConversationId, summary: &str) -> String {
        // A summary does not say who is quoted in each sentence, so words retracted elsewhere count regardless of the
        // speaker.
        let here = self.by_conversation.get(conversation).into_iter().flatten();
        let quotes: BTreeSet<&String> = here.chain(self.quotes.values().flatten()).collect();
        if quotes.is_empty() {
            return summary.to_owned();
        }
        let kept = summary.split_inclusive(SENTENCE_ENDS).filter(|sentence| {
            let words = bare(sentence);
            !quotes.iter().any(|quote| say_the_same(&words, quote))
        });
        kept.collect::<String>().trim().to_owned()
    }
}

/// Minimum length, in characters, of a word that shows that a title names the subject of a retracted statement.
const TITLE_WORD_CHARS_MIN: usize = 4;

/// Characters that end a sentence; precise enough for leaving sentences out.
const SENTENCE_ENDS: [char; 5] = ['.', '!', '?', '\n', '…'];

/// Whether one of `words` and `quote` contains the other, and the shorter one is more than a fragment.
fn say_the_same(words: &str, quote: &str) -> bool {
    holds(words, quote) || words.split(' ').count() >= WORDS_TOLD_MIN && holds(quote, words)
}

/// Whether `words` occur in `text` as whole words.
fn holds(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let is_edge = |c: Option<char>| c.is_none_or(|c| c == ' ');
        is_edge(text[..at].chars().next_back()) && is_edge(text[at + words.len()..].chars().next())
    })
}

/// Topic texts as they may be served: without retracted lines.
pub struct TopicTexts<'t> {
    tx: &'t ReadTx<'t>,
    taken: TakenBack,
}

impl<'t> TopicTexts<'t> {
    /// Texts as of this snapshot.
    pub fn new(tx: &'t ReadTx<'t>) -> StoreResult<Self> {
        Ok(Self { tx, taken: TakenBack::read(tx, None)? })
    }

    /// The lines of a topic version that may be served.
    pub fn lines(&self, version: &TopicVersionId) -> StoreResult<Vec<TopicLineRow>> {
        self.taken.lines_left(self.tx, self.tx.topics().lines(version)?)
    }
}

/// Whether a line describes a task that was settled later. A topic's text is made once, and the task may be settled after
/// that.
fn is_done(tx: &ReadTx<'_>, line: &TopicLineRow) -> StoreResult<bool> {
    if line.section != Section::Task.name() {
        return Ok(false);
    }
    let Some(message) = tx.log().interaction(&line.place.interaction)? else { return Ok(false) };
    let is_this = |promise: &StoredCommitment| {
        promise.place.interaction_id == line.place.interaction
            && promise.place.start < line.place.span.end()
            && line.place.span.start() < promise.place.end
    };
    Ok(commitments_of(tx, &message.conversation_id)?.iter().any(|promise| is_this(promise) && !promise.is_open()))
}

/// Minimum number of words in a recognizable quotation; shorter ones occur in many sentences.
const WORDS_TOLD_MIN: usize = 3;

/// Only the words, lowercase and without punctuation.
fn bare(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::readable_messages::owners_row;

    fn place(start: u32, end: u32) -> EvidenceSpan {
        let interaction = InteractionId::from_uuid(uuid::Uuid::nil());
        EvidenceSpan { interaction, span: Span::new(start, end).unwrap() }
    }

    #[test]
    fn of_the_same_words_what_says_the_same_goes() {
        let check = |content: &str, instead: Option<&str>, statement: &str, place_of: (u32, u32), expect: bool| {
            let mut taken = TakenBack::default();
            let stretch = Stretch { span: place(10, 40).span, content: content.to_owned(), instead: instead.map(str::to_owned) };
            taken.stretches.insert(place(10, 40).interaction, vec![stretch]);
            assert_eq!(taken.covers_statement(statement, [&place(place_of.0, place_of.1)]), expect, "{statement:?} {place_of:?}");
        };
        let short = "User prefers short answers";
        check(short, None, "Prefers short answers", (10, 40), true);
        check(short, None, "Prefers short answers", (20, 60), true);
        check(short, None, "Prefers short answers", (40, 60), false);
        check(short, None, "Prefers French", (10, 40), false);
        check(short, Some("User prefers long answers"), "Prefers short answers", (10, 40), true);
        check(short, Some("User prefers long answers"), "Prefers long answers", (10, 40), false);
    }

    #[test]
    fn what_is_left_of_a_message_holds_no_code_although_the_words_went_that_told_so() {
        let message = owners_row(0, "");
        let row = |content: &str| InteractionRow { content: content.to_owned(), ..message.clone() };
        let taken = |content: &str| {
            let mut taken = TakenBack::default();
            let stretch = Stretch { span: place(0, 14).span, content: content.to_owned(), instead: None };
            taken.stretches.insert(message.id.clone(), vec![stretch]);
            taken
        };
        let left = taken("The alarm code").text_left(&row("The alarm code is 4417, since May."));
        assert!(!left.contains("4417") && left.contains("since May"), "{left}");
        let left = taken("The alarm bell").text_left(&row("The alarm bell is loud, since May."));
        assert!(left.contains("is loud, since May"), "control: {left}");
        assert_eq!(
            TakenBack::default().text_left(&row("The alarm code is 4417")),
            "The alarm code is 4417",
            "masked where it is served"
        );
    }

    #[test]
    fn a_text_is_compared_by_its_words() {
        assert_eq!(bare("  I live, \"happily\", in Łódź!"), "i live happily in łódź");
    }
}
