//! The model calls of one derivation, each with one window of messages.

use crate::profile::rules::{ASK_OCCASIONS_MIN, ASKS_MIN};
pub use crate::profile::rules::{CALLS_MAX, WINDOW_CHARS_MAX};
use std::collections::HashMap;

use keepsake_domain::{Gate, InteractionId, ProfileType};
use keepsake_prompt::scrub::{ScrubSession, Scrubber};
use keepsake_prompt::{
    Call, CallError, Calls, ContextLength, LINE_CHARS, Line, Outcome, PromptFile, PromptText, Speaker as Role, Transcript,
    Waiting, WordingError,
};

use super::read::{self, Back, ModelFindings};
use crate::Speaker;
use crate::gap::GAP_OCCASIONS_MIN;
use crate::profile::entry::{Finding, ProfileInput};
use crate::profile::facets;
use crate::text::{Read, read, same_topic};
use crate::utterance::occasions;

/// The prompt. Raise the version with every change to the wording or the reply format.
pub const PROFILE: PromptFile =
    PromptFile { name: "profile", version: 1, wording: include_str!("../../../prompts/profile.md"), reply_tokens_max: 2_000 };

/// A derivation as a sequence of calls.
pub struct ProfileTask<'a> {
    input: ProfileInput<'a>,
    all: Vec<Read<'a>>,
    positions: HashMap<&'a InteractionId, usize>,
    session: ScrubSession,
    waiting: Waiting<Transcript>,
    found: ModelFindings,
}

impl<'a> ProfileTask<'a> {
    /// Prepares a derivation from all of `input`. Makes no call if the entity said nothing.
    pub fn new(input: ProfileInput<'a>, scrubber: &Scrubber) -> Result<Self, WordingError> {
        Self::of_news(input, scrubber, &|_| true, ContextLength::default())
    }

    /// Prepares a derivation from only the new messages in `input`, with the messages around them. Windows in which the entity
    /// says nothing new are left out.
    pub fn of_news(
        input: ProfileInput<'a>,
        scrubber: &Scrubber,
        is_new: &dyn Fn(&InteractionId) -> bool,
        length: ContextLength,
    ) -> Result<Self, WordingError> {
        let all = read(input.utterances);
        let positions = input.utterances.iter().enumerate().map(|(at, said)| (said.interaction, at)).collect();
        let mut task = Self {
            input,
            positions,
            session: ScrubSession::new(),
            waiting: Waiting::default(),
            found: ModelFindings::default(),
            all,
        };
        let windows = windows(&task.all, is_new, length.material_chars(&PROFILE, WINDOW_CHARS_MAX));
        task.found.shown = windows.iter().flatten().map(|at| task.all[*at].said.interaction.clone()).collect();
        task.found.left_out = task.all.len() - task.found.shown.len();
        let facets = known_facets();
        for window in windows {
            let lines: Vec<Line<'_>> = window
                .iter()
                .map(|at| {
                    let said = task.all[*at].said;
                    // Names say nothing about how someone wants to be treated, so none are sent to the model.
                    let speaker = match said.speaker {
                        Speaker::Entity => Role::Owner,
                        Speaker::Assistant => Role::Assistant,
                        Speaker::Owner | Speaker::Other => Role::Person("somebody"),
                    };
                    Line { message: *at, speaker, text: said.text, time: said.time }
                })
                .collect();
            let transcript = Transcript::new(scrubber, &mut task.session, &lines);
            if transcript.has_owner() {
                let prompt = PROFILE.fill_for(
                    length,
                    &[("facets", &facets)],
                    &[("transcript", transcript.text())],
                    read::reply_schema(),
                )?;
                task.waiting.push(prompt, transcript);
            }
        }
        Ok(task)
    }

    /// The messages that are shown to the model.
    pub fn shown(&self) -> &[InteractionId] {
        &self.found.shown
    }
}

/// The newest messages in windows that fit, oldest window first. Only windows with something new from the entity are kept. A
/// message is never split, because a cut could leave half of a sensitive value, which might not be masked.
fn windows(all: &[Read<'_>], is_new: &dyn Fn(&InteractionId) -> bool, chars_max: usize) -> Vec<Vec<usize>> {
    let length = |at: usize| all[at].said.text.chars().count() + LINE_CHARS;
    let mut windows: Vec<Vec<usize>> = vec![Vec::new()];
    let mut total = 0;
    for at in (0..all.len()).rev().filter(|at| length(*at) <= chars_max) {
        if total + length(at) > chars_max {
            windows.push(Vec::new());
            total = 0;
        }
        total += length(at);
        if let Some(window) = windows.last_mut() {
            window.push(at);
        }
    }
    let is_news = |at: &usize| all[*at].said.speaker == Speaker::Entity && is_new(all[*at].said.interaction);
    windows.retain(|window| window.iter().any(is_news));
    windows.truncate(CALLS_MAX);
    windows.iter_mut().for_each(|window| window.reverse());
    windows.reverse();
    windows
}

/// The prompt lines that name the known facets.
fn known_facets() -> PromptText {
    let mut text = PromptText::default();
    for (n, facet) in facets::closed_facets().enumerate() {
        text.push(&PromptText::fixed(if n == 0 { "- \"" } else { "\n- \"" }));
        text.push(&PromptText::fixed(facet));
        text.push(&PromptText::fixed("\": "));
        for (n, (value, _)) in facets::closed_values(facet).iter().enumerate() {
            text.push(&PromptText::fixed(if n == 0 { "\"" } else { ", \"" }));
            text.push(&PromptText::fixed(value));
            text.push(&PromptText::fixed("\""));
        }
    }
    text
}

impl Calls for ProfileTask<'_> {
    type Found = ModelFindings;

    fn next(&self) -> Option<Call<'_>> {
        self.waiting.next()
    }

    fn feed(&mut self, reply: &str) -> Result<(), CallError> {
        let transcript = self.waiting.open()?;
        let back = Back { input: &self.input, all: &self.all, positions: &self.positions, session: &self.session, transcript };
        let read = back.read(reply, &mut self.found);
        self.waiting.settle(read)
    }

    fn finish(mut self) -> Outcome<ModelFindings> {
        std::mem::take(&mut self.waiting).finish(|| {
            self.drop_one_offs();
            self.found
        })
    }
}

impl ProfileTask<'_> {
    /// Drops entries that require repetition but occur too rarely in all calls together, by the thresholds of the built-in rules.
    /// Entries on the same topic get the same name.
    fn drop_one_offs(&mut self) {
        let mut findings = std::mem::take(&mut self.found.findings);
        findings.sort_by(|a, b| (a.time, &a.place, a).cmp(&(b.time, &b.place, b)));
        let mut clusters: Vec<Vec<Finding>> = Vec::new();
        for finding in findings {
            if !matches!(finding.profile_type, ProfileType::Needs | ProfileType::Gaps) {
                self.found.findings.push(finding);
                continue;
            }
            let topic = |finding: &Finding| finding.facet.detail().unwrap_or("").to_owned();
            let same = clusters.iter_mut().find(|known| {
                known[0].profile_type == finding.profile_type
                    && same_topic(&topic(&known[0]), &topic(&finding), self.input.similarity)
            });
            match same {
                Some(known) if known.iter().any(|other| other.place.interaction == finding.place.interaction) => {}
                Some(known) => {
                    let named = Finding {
                        facet: known[0].facet.clone(),
                        fingerprint: known[0].fingerprint.clone(),
                        content: known[0].content.clone(),
                        ..finding
                    };
                    known.push(named);
                }
                None => clusters.push(vec![finding]),
            }
        }
        for cluster in clusters {
            let (count_min, occasions_min) = match cluster[0].profile_type {
                ProfileType::Needs => (ASKS_MIN, ASK_OCCASIONS_MIN),
                _ => (GAP_OCCASIONS_MIN, GAP_OCCASIONS_MIN),
            };
            let on = occasions(cluster.iter().map(|finding| (&finding.conversation, finding.time)));
            if cluster.len() >= count_min && on >= occasions_min {
                self.found.findings.extend(cluster);
                continue;
            }
            let reason = "It came up too rarely to be a need or a gap.".to_owned();
            let stop = read::stop(Gate::Ephemeral, &self.input, cluster[0].content.clone(), reason, Vec::new());
            self.found.stops.push(stop);
        }
    }
}
