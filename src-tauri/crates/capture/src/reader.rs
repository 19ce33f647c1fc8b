//! Reads one message: sentence by sentence, clause by clause, it asks who speaks, lets the frames and then the linear model
//! say what was stated, and keeps or stops each statement as its sentence allows.
//!
//! Deliberately not here: what goes beyond the message (`reconcile`), and the gates of a finished candidate (`propose`).

use keepsake_domain::{CandidateEvidence, Category, Confidence, Durability, Gate, Span, Stop, Subject};

use crate::clause::{self, Clause, Mood};
use crate::frames::{self, Around, Found, fragment, special};
use crate::parse::{self, Actor, Tense};
use crate::propose::{Draft, Turn};
use crate::sentence::{self, Sentence, Voice};
use crate::token::{Token, tokenize};
use crate::{correction, language, learned, rewrite, scene, vague, validate};

/// Reads one message.
pub(crate) struct Reader<'r, 'a> {
    pub(crate) turn: &'r Turn<'a>,
    pub(crate) index: usize,
    pub(crate) subject: Subject,
    pub(crate) is_acted: bool,
    pub(crate) assistant: &'r str,
    pub(crate) drafts: &'r mut Vec<Draft>,
    pub(crate) stops: &'r mut Vec<Stop>,
    /// The last relative or pet that a statement was about.
    pub(crate) kin: Option<(String, Category)>,
    /// The last pet mentioned, by its kind.
    pub(crate) pet: Option<String>,
    /// The sentence before was about somebody else.
    pub(crate) is_about_other: bool,
    /// The sentence before was ironic: a liking stated next belongs to it.
    pub(crate) is_after_irony: bool,
    /// The first close relative this message mentions, if only one may be meant by "he" or "she".
    pub(crate) mentioned: Option<String>,
}

/// "big fan of Friday merges too": said on top of what was said before.
fn is_added(text: &str, (start, end): (usize, usize)) -> bool {
    let after: String = text[end..].chars().take(5).collect::<String>().to_lowercase();
    let before = text[..start].trim_end().to_lowercase();
    after.trim().starts_with("too") || after.trim().starts_with("also") || before.ends_with("also") || before.ends_with("and")
}

/// "Saskia's name is Saskia": what the author's shown name says already.
fn names_by_shown_name(found: &Found, label: &str) -> bool {
    found.content.strip_prefix(&format!("{} name is ", rewrite::possessive(label))).is_some_and(|name| {
        name.split_whitespace().all(|part| label.split_whitespace().any(|known| known.eq_ignore_ascii_case(part)))
    })
}

/// The close relative that the same sentence names before the token `at`.
fn mentioned_before(tokens: &[Token], at: usize) -> Option<String> {
    (1..at).rev().find_map(|k| {
        let kin = clause::low(tokens, k);
        let own = (k.saturating_sub(2)..k).any(|j| matches!(clause::low(tokens, j), "my" | "our"));
        (own && (fits_pronoun(kin, "he") || fits_pronoun(kin, "she"))).then(|| kin.to_owned())
    })
}

/// Whether "he" or "she" may stand for the relative.
fn fits_pronoun(kin: &str, pronoun: &str) -> bool {
    match pronoun {
        "he" => matches!(kin, "boyfriend" | "husband" | "son" | "dad" | "brother" | "father" | "fiancé" | "partner"),
        _ => matches!(kin, "girlfriend" | "wife" | "daughter" | "mum" | "mom" | "sister" | "mother" | "fiancée" | "partner"),
    }
}

/// A name as one writes it: `TICKLE` becomes `Tickle`.
fn titled(name: &str) -> String {
    if name.chars().count() > 3 && name.chars().all(|c| !c.is_lowercase()) {
        name.chars().take(1).chain(name.chars().skip(1).flat_map(char::to_lowercase)).collect()
    } else {
        name.to_owned()
    }
}

impl Reader<'_, '_> {
    pub(crate) fn read(&mut self) {
        let text = self.turn.text;
        if language::is_plainly_foreign(text) {
            return;
        }
        let voices = scene::Voices::of(self.turn, self.is_acted);
        let mut ordered_until = 0;
        for sentence in sentence::sentences(text) {
            let words = &text[sentence.start..sentence.end];
            if scene::is_order(words) {
                // What follows an order on its line belongs to it.
                ordered_until = text[sentence.end..].find('\n').map_or(text.len(), |n| sentence.end + n);
                if sentence.voice == Voice::Quoted {
                    ordered_until = sentence.end;
                }
                continue;
            }
            let veto = if sentence.start < ordered_until {
                Some((Gate::InstructionLike, "It belongs to text that gives orders to an assistant."))
            } else {
                voices.veto(&sentence)
            };
            self.sentence(sentence, veto);
            self.is_after_irony = matches!(veto, Some((Gate::Irony, _)));
        }
    }

    fn sentence(&mut self, sentence: Sentence, veto: Option<(Gate, &'static str)>) {
        let text = self.turn.text;
        let tokens = correction::mended(tokenize(text, sentence.start, sentence.end));
        if tokens.is_empty() || self.corrects_last(&tokens) {
            return;
        }
        let label = self.label();
        for special in [
            special::opinion(text, &tokens, tokens.len(), &label),
            special::standing_wish(text, &tokens, tokens.len(), &label),
            special::wish(text, &tokens, tokens.len(), &label),
            special::stated_goal(text, &tokens, tokens.len(), &label),
            fragment::profile(text, &tokens, &label),
        ]
        .into_iter()
        .flatten()
        {
            if !sentence.is_question || special.0.family == "a standing wish" {
                self.settle(veto, Mood::Plain, special.0, (tokens[special.1].start, tokens[special.2 - 1].end));
                return;
            }
        }
        let clauses = clause::clauses(&tokens, sentence.is_question);
        let says_i = tokens.iter().any(|t| matches!(t.low.as_str(), "i" | "we" | "my"));
        let is_about_other = self.is_about_other && !says_i;
        let mut inherits = false;
        let mut kin: Option<String> = None;
        let mut last_place: Option<usize> = None;
        for (n, clause) in clauses.iter().enumerate() {
            let place_before = last_place.take();
            // Only chatter before it ("nope, still renting"): the clause opens its sentence.
            let opens = n == 0
                || clauses[..n].iter().all(|c| {
                    c.hi - c.lo <= 5
                        && (c.lo..c.hi).all(|k| {
                            !crate::lexicon::AUXILIARIES.contains(clause::low(&tokens, k))
                                && !crate::lexicon::PRONOUNS.contains(clause::low(&tokens, k))
                                && !matches!(clause::low(&tokens, k), "my" | "his" | "her" | "you" | "a" | "the")
                        })
                }) && matches!(clause.opener.as_str(), "," | "-" | "—" | "–" | ":" | ";" | "but" | "...");
            let read = self.statement(&tokens, clause, inherits, opens && !is_about_other);
            let Some((parsed, found)) = read else {
                if let (Some(at), ",") = (place_before, clause.opener.as_str())
                    && self.extend_place(&tokens, clause, at)
                {
                    continue;
                }
                if let Some((found, span)) = self.other(&tokens, clause, inherits, kin.as_deref()) {
                    let presupposes = special::is_mention(found.family);
                    let asked = matches!(clause.mood, Mood::Silent | Mood::Stopped(Gate::QuestionOrRequest, _));
                    self.settle(veto, if presupposes && asked { Mood::Plain } else { clause.mood }, found, span);
                } else if let Some((found, span)) = self.learned(&tokens, clause, inherits, opens && !is_about_other) {
                    self.settle(veto, clause.mood, found, span);
                } else if veto.is_none() && clause.mood == Mood::Plain {
                    self.stop_unread(&tokens, clause);
                }
                let own_start = clause.hi - clause.lo <= 4
                    && (clause.lo..clause.hi).any(|k| matches!(clause::low(&tokens, k), "i" | "we"))
                    && clause.mood == Mood::Plain;
                inherits =
                    (inherits && clause.hi - clause.lo <= 3 || own_start) && !matches!(clause.opener.as_str(), "who" | "which");
                continue;
            };
            // "i live in Delft, two streets behind the market": a place after a place only makes it closer.
            if parsed.actor == Actor::Dropped
                && clause.opener == ","
                && parsed.tense == Tense::Copula
                && let Some(at) = place_before
                && self.extend_place(&tokens, clause, at)
            {
                continue;
            }
            let found = if sentence.voice == Voice::SelfQuoted && found.family == "a pastime" {
                Found { category: Category::PersonalInfo, family: "a job", ..found }
            } else {
                found
            };
            // "a former sailor, left the navy in 2015" and "handing in my notice, starting a workshop" are one event each.
            let continues = parsed.actor == Actor::Dropped
                && clause.opener == ","
                && self.drafts.last().is_some_and(|d| {
                    d.message == self.index
                        && (d.found.family == "a past trade" && found.family == "a past event"
                            || d.found.family == "a past habit" && found.family == "a change"
                            || d.found.content.contains(" notice") && parsed.tense == Tense::Progressive)
                });
            if continues && veto.is_none() && clause.mood == Mood::Plain {
                let tail = rewrite::render(text, &tokens, parsed.lo, parsed.end);
                if let Some(draft) = self.drafts.last_mut() {
                    draft.found.content = format!("{}, {tail}", draft.found.content);
                }
                continue;
            }
            inherits = matches!(parsed.actor, Actor::Speaker | Actor::Dropped);

            if let Actor::Possession(lo, hi) = parsed.actor {
                let name = rewrite::join(&[&rewrite::possessive(&label), &rewrite::render(text, &tokens, lo, hi)]);
                kin = Some(name.clone());
                if found.category == Category::Relationship || found.family == "a pet" {
                    self.kin = Some((name, found.category));
                }
            } else {
                kin = None;
            }
            let is_place = found.slot.as_deref().is_some_and(|slot| matches!(slot, "home" | "job" | "workplace"));
            let from = parsed.front.map_or(parsed.lo, |(lo, _)| clause::skip_fillers(&tokens, lo, parsed.lo).min(parsed.lo));
            let before = self.drafts.len();
            self.settle(veto, clause.mood, found, (tokens[from].start, tokens[parsed.end - 1].end));
            if is_place && self.drafts.len() > before {
                last_place = Some(before);
            }
        }
        self.note_topic(&tokens, says_i);
    }

    /// "i work in sales. sorry, i meant marketing": the last word of the statement before is exchanged.
    fn corrects_last(&mut self, tokens: &[Token]) -> bool {
        /// A longer correction is a statement of its own.
        const WORDS_MAX: usize = 2;
        let at = clause::skip_fillers(tokens, 0, tokens.len());
        let Some(len) = ["i meant", "i mean", "make that"].iter().find_map(|m| clause::matches_at(tokens, at, tokens.len(), m))
        else {
            // "sorry, i meant" is skipped as a filler in part: look from the start too.
            let meant = (0..tokens.len().min(4)).find(|k| clause::low(tokens, *k) == "meant");
            return meant.is_some_and(|k| self.exchange_last(tokens, k + 1, WORDS_MAX));
        };
        self.exchange_last(tokens, at + len, WORDS_MAX)
    }

    fn exchange_last(&mut self, tokens: &[Token], from: usize, words_max: usize) -> bool {
        let end = parse::trim_end(tokens, from, tokens.len());
        let plain = from < end
            && end - from <= words_max
            && (from..end).all(|k| tokens[k].is_wordy() && !crate::lexicon::PRONOUNS.contains(clause::low(tokens, k)));
        let text = self.turn.text;
        let index = self.index;
        let Some(draft) = self.drafts.last_mut().filter(|d| plain && d.message == index) else { return false };
        let Some(cut) = draft.found.content.rfind(' ') else { return false };
        draft.found.content = format!("{} {}", &draft.found.content[..cut], rewrite::render(text, tokens, from, end));
        if let Ok(span) = Span::of_bytes(text, draft.span_start(text)..tokens[end - 1].end) {
            draft.span = span;
        }
        true
    }

    /// What the linear model takes for a statement where no frame knows the words.
    fn learned(&self, tokens: &[Token], clause: &Clause, inherits: bool, is_first: bool) -> Option<(Found, (usize, usize))> {
        if self.is_about_other || !matches!(clause.mood, Mood::Plain | Mood::Hedged) {
            return None;
        }
        let label = self.label();
        let inherits = inherits && matches!(clause.opener.as_str(), "," | "and" | "but" | "or" | "plus" | "&");
        let around = Around { text: self.turn.text, label: &label, inherits, is_first };
        let (parsed, found) = learned::statement(tokens, clause, around)?;
        Some((found, (tokens[parsed.lo].start, tokens[parsed.end - 1].end)))
    }

    /// Tells of a clause that speaks of its speaker and says nothing that any frame knows to last.
    fn stop_unread(&mut self, tokens: &[Token], clause: &Clause) {
        let Some(parsed) = parse::parse(tokens, clause, false) else { return };
        if !matches!(parsed.actor, Actor::Speaker | Actor::Possession(..)) || parsed.is_bare() {
            return;
        }
        let (gate, reason) = if frames::is_passing(&parsed) {
            (Gate::Ephemeral, "It holds for this day or hour.")
        } else {
            (Gate::Vague, "It says nothing of its speaker that is known to last.")
        };
        let label = self.label();
        let found = Found::new(
            &parsed,
            Around { text: self.turn.text, label: &label, inherits: false, is_first: false },
            Category::PersonalInfo,
            "",
        );
        self.stop(gate, reason, found, (tokens[parsed.lo].start, tokens[parsed.end - 1].end));
    }

    /// Keeps or stops a statement as its sentence and clause allow.
    fn settle(&mut self, veto: Option<(Gate, &'static str)>, mood: Mood, found: Found, span: (usize, usize)) {
        match (veto, mood) {
            (Some((gate, reason)), _) | (None, Mood::Stopped(gate, reason)) => self.stop(gate, reason, found, span),
            (None, Mood::Silent) => {}
            (None, Mood::Hedged) => self.keep(found.confidence(Confidence::INFERRED), span),
            (None, Mood::Plain) => self.keep(found, span),
        }
    }

    /// Appends "at the ferry office" to "works in Bruges".
    fn extend_place(&mut self, tokens: &[Token], clause: &Clause, draft: usize) -> bool {
        /// A longer tail is a statement of its own.
        const TAIL_WORDS_MAX: usize = 7;
        let end = parse::trim_end(tokens, clause.lo, clause.hi);
        let first = clause::low(tokens, clause.lo);
        let is_tail = end > clause.lo
            && end - clause.lo <= TAIL_WORDS_MAX
            && (matches!(first, "in" | "at" | "near" | "on" | "just" | "not" | "right")
                || matches!(clause::low(tokens, clause.lo + 1), "minutes" | "miles" | "km"));
        let says_more = (clause.lo..end).any(|k| crate::lexicon::AUXILIARIES.contains(clause::low(tokens, k)));
        if !is_tail || says_more {
            return false;
        }
        let tail = rewrite::render(self.turn.text, tokens, clause.lo, end);
        if let Some(draft) = self.drafts.get_mut(draft) {
            draft.found.content = format!("{}, {tail}", draft.found.content);
        }
        true
    }

    /// Statements whose subject is somebody named before, or that have no subject at all.
    fn other(&mut self, tokens: &[Token], clause: &Clause, inherits: bool, kin: Option<&str>) -> Option<(Found, (usize, usize))> {
        let text = self.turn.text;
        let label = self.label();
        let at = clause::skip_fillers(tokens, clause.lo, clause.hi);
        let first = clause::low(tokens, at).to_owned();
        let place = |lo: usize, hi: usize| (tokens[lo].start, tokens[hi - 1].end);
        // "my son is six and gets carsick"
        if let Some(name) =
            kin.filter(|_| matches!(clause.opener.as_str(), "and" | "," | "but") && !matches!(first.as_str(), "he" | "she"))
        {
            let parsed = parse::parse_other(tokens, clause, at)?;
            let around = Around { text, label: name, inherits: false, is_first: false };
            return frames::find(&parsed, around).map(|f| (f, place(parsed.group, parsed.end)));
        }
        // "my sister, who lives in Perth, …"
        if matches!(clause.opener.as_str(), "who" | "which") && clause.mood == Mood::Plain {
            let my = (0..clause.lo).rev().find(|k| matches!(clause::low(tokens, *k), "my" | "our"))?;
            let end = (my + 1..clause.lo)
                .rev()
                .find(|k| tokens[*k].is_wordy() && !matches!(clause::low(tokens, *k), "who" | "which"))?
                + 1;
            let name = rewrite::join(&[&rewrite::possessive(&label), &rewrite::render(text, tokens, my + 1, end)]);
            let parsed = parse::parse_other(tokens, clause, at)?;
            let around = Around { text, label: &name, inherits: false, is_first: false };
            if clause.opener == "which" {
                let runs = parsed.base == "run" && !parsed.is_bare();
                return runs.then(|| (Found::new(&parsed, around, Category::Preference, "a tool"), place(my, parsed.end)));
            }
            return frames::find(&parsed, around).map(|f| (f, place(my, parsed.end)));
        }
        // "he's a rescue greyhound", "his name is Tickle"
        if matches!(first.as_str(), "his" | "her" | "its" | "their")
            && clause::low(tokens, at + 1) == "name"
            && clause::low(tokens, at + 2) == "is"
        {
            let pet = self.pet.clone()?;
            let name = tokens.get(at + 3).filter(|t| t.is_capital && at + 3 < clause.hi)?;
            let content = format!("{label} has a {pet} named {}", titled(&text[name.start..name.end]));
            return Some((self.pet_named(content), place(at, at + 4)));
        }
        if matches!(first.as_str(), "he" | "she")
            && let Some((name, category)) = self.kin.clone()
        {
            let parsed = parse::parse_other(tokens, clause, at + 1)?;
            let around = Around { text, label: &name, inherits: false, is_first: false };
            return frames::find(&parsed, around)
                .map(|f| (Found { category, confidence: Confidence::IMPLIED, ..f }, place(at, parsed.end)));
        }
        if matches!(first.as_str(), "he" | "she")
            && let Some(kin) = self.mentioned.clone().or_else(|| mentioned_before(tokens, at))
            && fits_pronoun(&kin, &first)
        {
            let name = format!("{} {kin}", rewrite::possessive(&label));
            let parsed = parse::parse_other(tokens, clause, at + 1)?;
            let telling =
                matches!(parsed.base.as_str(), "die" | "have") || parsed.base == "be" && parsed.tense != Tense::Progressive;
            let around = Around { text, label: &name, inherits: false, is_first: false };
            return telling.then(|| frames::find(&parsed, around)).flatten().map(|f| {
                (
                    Found {
                        category: if f.category == Category::Experience { f.category } else { Category::Relationship },
                        confidence: Confidence::IMPLIED,
                        ..f
                    },
                    place(at, parsed.end),
                )
            });
        }
        // "I am 58, a baker, with three small grandsons"
        if first == "with" && inherits && clause.opener == "," {
            let has = clause::Clause { lo: at + 1, ..clause.clone() };
            let parsed = parse::having(tokens, &has)?;
            let around = Around { text, label: &label, inherits: true, is_first: false };
            return frames::having_find(&parsed, around).map(|f| (f, place(at, parsed.end)));
        }
        if self.is_about_other && !tokens.iter().any(|t| matches!(t.low.as_str(), "i" | "my")) {
            return None;
        }
        special::find(text, tokens, clause, &label).map(|(found, lo, hi)| (found, place(lo, hi)))
    }

    fn pet_named(&self, content: String) -> Found {
        Found {
            content,
            category: Category::PersonalInfo,
            confidence: Confidence::STATED,
            durability: Durability::LongTerm,
            family: "a pet's name",
            slot: Some("petname".to_owned()),
        }
    }

    /// Remembers whom the sentence was about, for the one after it.
    fn note_topic(&mut self, tokens: &[Token], says_i: bool) {
        let other = tokens.iter().any(|t| {
            matches!(
                t.low.as_str(),
                "he" | "she"
                    | "his"
                    | "her"
                    | "him"
                    | "woman"
                    | "man"
                    | "guy"
                    | "bloke"
                    | "lady"
                    | "stranger"
                    | "dude"
                    | "neighbour"
                    | "neighbor"
                    | "landlord"
                    | "biography"
            )
        });
        if other {
            self.is_about_other = true;
        } else if says_i {
            self.is_about_other = false;
        }
        // "it's in my late husband's name, he died in may": a relative only mentioned is remembered too.
        let close = tokens.windows(3).enumerate().find_map(|(k, w)| {
            let at = if matches!(w[1].low.as_str(), "late" | "older" | "little" | "younger" | "big" | "twin") { 2 } else { 1 };
            let is_close = matches!(
                w[at].low.as_str(),
                "husband"
                    | "wife"
                    | "partner"
                    | "son"
                    | "daughter"
                    | "mum"
                    | "mom"
                    | "dad"
                    | "sister"
                    | "brother"
                    | "mother"
                    | "father"
                    | "fiancé"
                    | "fiancée"
                    | "boyfriend"
                    | "girlfriend"
            );
            (matches!(w[0].low.as_str(), "my" | "our") && is_close)
                .then(|| (w[at].low.clone(), tokens[k + at + 1..].iter().any(|t| matches!(t.low.as_str(), "he" | "she"))))
        });
        if let Some((kin, _)) = close
            && self.mentioned.is_none()
        {
            self.mentioned = Some(kin);
        }
        let new_pet = tokens.windows(2).find(|w| {
            matches!(w[0].low.as_str(), "new" | "my" | "our" | "a" | "rescue") && crate::lexicon::PETS.contains(w[1].low.as_str())
        });
        if let Some(pair) = new_pet {
            let pet = pair[1].low.clone();
            let label = self.label();
            self.kin = Some((format!("{} {pet}", rewrite::possessive(&label)), Category::PersonalInfo));
            self.pet = Some(pet);
        }
    }

    fn label(&self) -> String {
        self.subject.label().to_owned()
    }

    fn statement<'t>(
        &self,
        tokens: &'t [Token],
        clause: &Clause,
        inherits: bool,
        is_first: bool,
    ) -> Option<(parse::Parsed<'t>, Found)> {
        let may_inherit = inherits && matches!(clause.opener.as_str(), "," | "and" | "but" | "or" | "plus" | "&");
        let parsed = parse::parse(tokens, clause, may_inherit)?;
        let label = self.label();
        let around = Around { text: self.turn.text, label: &label, inherits: may_inherit, is_first };
        let mut found = frames::find(&parsed, around)?;
        if found.slot.as_deref() == Some("petname") {
            let pet = self.pet.clone()?;
            let name = tokens.get(parsed.end - 1)?;
            found = self.pet_named(format!("{label} has a {pet} named {}", titled(&self.turn.text[name.start..name.end])));
        }
        let names_assistant =
            !self.assistant.is_empty() && found.family == "name" && found.content.ends_with(&format!(" {}", self.assistant));
        (!names_assistant).then_some((parsed, found))
    }

    fn keep(&mut self, found: Found, (start, end): (usize, usize)) {
        if self.is_after_irony && found.family == "a taste" && is_added(self.turn.text, (start, end)) {
            self.stop(Gate::Irony, "It goes on from an ironic sentence.", found, (start, end));
            return;
        }
        if let Some(reason) = vague::reason(self.turn.text, (start, end), &found) {
            self.stop(Gate::Vague, reason, found, (start, end));
            return;
        }
        if names_by_shown_name(&found, &self.label()) {
            self.stop(Gate::Vague, "It names the speaker as they are named already.", found, (start, end));
            return;
        }
        let Ok(span) = Span::of_bytes(self.turn.text, start..end) else { return };
        let quote = self.turn.text[start..end].to_owned();
        self.drafts.push(Draft { subject: self.subject.clone(), found, message: self.index, span, quote });
    }

    fn stop(&mut self, gate: Gate, reason: &str, found: Found, (start, end): (usize, usize)) {
        let evidence =
            Span::of_bytes(self.turn.text, start..end).ok().map(|span| CandidateEvidence { message: self.index, span });
        self.stops.push(Stop {
            gate,
            subject: self.subject.clone(),
            content: validate::shown(&found.content),
            reason: reason.to_owned(),
            evidence: evidence.into_iter().collect(),
        });
    }
}
