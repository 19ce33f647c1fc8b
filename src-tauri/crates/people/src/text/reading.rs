//! A whole partition, read once: which messages are a task, a scene, or somebody's own words.

use std::collections::HashMap;
use std::sync::LazyLock;

use keepsake_domain::{ConversationId, EvidenceSpan, Span};
use regex::Regex;

use keepsake_text::scene::{is_acted, leaves_scene, opens_scene};

use super::{Sentence, plain, sentences};
use crate::utterance::ordered;
use crate::{Speaker, Utterance};

/// One message with what its place in its conversation tells about it.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    /// The message.
    pub(crate) said: Utterance<'a>,
    /// What its speaker says in it; nothing in a scene. Of others than the entity and programs only behind words of the entity, to which
    /// they may be the answer: of a room of hundreds each member's profile reads a fraction.
    pub(crate) sentences: Vec<Sentence<'a>>,
    /// The entity asks for one piece of work, or goes on about one: what it says of length or language is about that piece.
    pub(crate) is_task: bool,
    /// The message before it in its conversation, if there is one: its position among all.
    pub(crate) before: Option<usize>,
}

impl Read<'_> {
    /// The place of a sentence in the log.
    pub(crate) fn place(&self, sentence: &Sentence<'_>) -> Option<EvidenceSpan> {
        let span = Span::of_bytes(self.said.text, sentence.bytes.clone()).ok()?;
        Some(EvidenceSpan { interaction: self.said.interaction.clone(), span })
    }
}

/// A request for one piece of work: "write an email to the landlord", "translate this", "make the second paragraph shorter".
static TASK: LazyLock<Regex> = LazyLock::new(|| {
    let verbs = "write|draft|compose|generate|create|prepare|produce|design|rewrite|rephrase|reword|translate|summari[sz]e|shorten|edit|proofread|polish|improve|expand|condense|convert|turn|reply to|respond to|correct|paraphrase|make|fix|finish|continue|schreib|schreibe|übersetze|formuliere|kürze|fasse|escribe|traduce|resume|écris|traduis|résume|rédige";
    let pieces = "a|an|the|this|these|that|those|my|our|his|her|their|some|another|one|two|three|\\d+|following|section|paragraph|eine?n?|die|der|das|den|diese[nsr]?|mir eine?n?|un|una|el|la|este|esta|une|le|les|cette?|mon";
    let pattern = format!(r"(?i)(?:^|[^\w'])(?:{verbs})(?: me| us| up| for me)? (?:{pieces})\b");
    Regex::new(&pattern).unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
});

/// A message of at most this many words goes on about the piece of work before it: "shorter please", "and in German".
const FOLLOW_UP_WORDS_MAX: usize = 12;

/// An answer stands within so many messages behind what it answers.
pub(crate) const ANSWERS_WITHIN: usize = 4;

/// A scene is played at one sitting: what is said after a silence as long as a night is plain talk again, though nobody ended it.
const SCENE_SILENCE_MS: i64 = 6 * 60 * 60 * 1000;

/// Reads everything, in order.
pub(crate) fn read<'a>(utterances: &[Utterance<'a>]) -> Vec<Read<'a>> {
    struct Thread {
        is_acted: bool,
        last: usize,
        /// Position of the entity's message before, and how many messages of others followed.
        own: Option<(usize, usize)>,
    }
    let mut threads: HashMap<&ConversationId, Thread> = HashMap::new();
    let mut all: Vec<Read<'a>> = Vec::with_capacity(utterances.len());
    for (at, said) in ordered(utterances).into_iter().enumerate() {
        let thread = threads.get(said.conversation);
        let before = thread.map(|thread| thread.last);
        let own = thread.and_then(|thread| thread.own);
        let is_resumed = before.is_some_and(|before| said.time.0 - all[before].said.time.0 > SCENE_SILENCE_MS);
        let was_acted = thread.is_some_and(|thread| thread.is_acted) && !is_resumed;
        let is_persons = said.speaker != Speaker::Assistant;
        let is_outside = leaves_scene(said.text);
        let in_scene = (was_acted || is_persons && opens_scene(said.text)) && !is_outside;
        let acted = in_scene || is_persons && is_acted(said.text) && !is_outside;
        let is_own = said.speaker == Speaker::Entity;
        let is_short = || plain(said.text).split(' ').count() <= FOLLOW_UP_WORDS_MAX;
        let is_task =
            is_own && (TASK.is_match(said.text) || own.is_some_and(|(own, _): (usize, usize)| all[own].is_task) && is_short());
        let may_answer = own.is_some_and(|(_, since)| since < ANSWERS_WITHIN);
        let is_heard = is_own || said.speaker == Speaker::Assistant || may_answer;
        let sentences = if acted || !is_heard { Vec::new() } else { sentences(said.text) };
        let own = if is_own { Some((at, 0)) } else { own.map(|(own, since)| (own, since + 1)) };
        threads.insert(said.conversation, Thread { is_acted: in_scene, last: at, own });
        all.push(Read { said, sentences, is_task, before });
    }
    all
}
