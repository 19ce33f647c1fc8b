//! What handles have in common besides their names: the people they talk with, and words that few others use.
//!
//! Both indexes skip entries shared by many handles. The cost of comparing a pair therefore depends on the entries that the two
//! handles share, not on the total number of entries.

use crate::identity::rules::{
    CIRCLE_MAX, TERM_CHARS_MAX, TERM_CHARS_MIN, TERM_HOLDERS_MAX, TERM_HOLDERS_SMALL, TERM_SHARE, WORDS_READ_MAX,
};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use keepsake_domain::{ConversationId, Span, Timestamp};

use super::words::{is_invisible, words};

words! {
    /// Frequent words in the supported languages. Less frequent common words are excluded by the number of handles that use them.
    COMMON = "
        about above after again against all also always another anyone around because been before being between both but came come
        could does doing done down each even ever every few find first from gave going gone good great have having hello here
        hers herself himself into itself just keep kind know last later least less like little long look made make many maybe
        might mine more most much must need never next nothing once only other ours over please quite rather really right said
        same seems several shall should since some something soon still such sure take than thank thanks that their them then
        there these they thing things think this those though through thus today together told tomorrow tonight took under until
        upon very want week well were what when where whether which while will with within without work would year yes yesterday
        your yours monday tuesday wednesday thursday friday saturday sunday january february march april june july august
        september october november december morning afternoon evening regards best
        aber alle auch beim bitte danke dann denn doch durch eine einen einer etwas ganz gerade haben hallo heute hier immer
        jetzt kann kein keine mehr mein meine muss nach nicht noch oder schon sehr sein seine sich sind über unter viel vielen
        vielleicht vom wann warum weil wenn werden wieder wird wurde morgen gestern gruß grüße
        avec bien bonjour cette dans demain elle encore être fait leur mais merci même nous plus pour quand sont sous tout très
        vous cordialement
        algo ahora aquí bien como cuando donde ella ellos entre esta este estoy gracias hasta hola mañana mucho nada para pero
        porque puede saludos siempre sobre también tengo todo
        https http com org
    ";
}

/// A handle's first use of a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstUse {
    pub(super) handle: u32,
    pub(super) message: u32,
    pub(super) span: Span,
}

#[derive(Debug, Default)]
struct Term {
    holders: Vec<FirstUse>,
    is_everywhere: bool,
    is_name: bool,
}

/// The words used by each handle.
#[derive(Debug, Default)]
pub(super) struct Terms {
    index: HashMap<Box<str>, u32>,
    terms: Vec<Term>,
}

/// A rare word, ready for comparison.
#[derive(Debug, Clone)]
pub(super) struct RareTerm {
    pub(super) word: String,
    /// True if it is written like a name, an identifier or a compound, as project names are.
    pub(super) is_name: bool,
    pub(super) holders: Vec<FirstUse>,
}

impl Terms {
    /// Reads the words of a sentence in `handle`'s own words. The sentence starts at code point `offset` of message `message`.
    pub(super) fn read(&mut self, handle: u32, message: u32, sentence: &str, offset: u32) {
        let mut word = String::new();
        let mut begin = offset;
        let (mut capitals, mut inner_mark, mut digits, mut is_first, mut count) = (0usize, false, 0usize, true, 0usize);
        for (position, c) in (offset..).zip(sentence.chars().chain([' '])) {
            let is_part = c.is_alphanumeric() || (!word.is_empty() && matches!(c, '-' | '_'));
            if is_part {
                if word.is_empty() {
                    begin = position;
                }
                capitals += usize::from(c.is_uppercase());
                inner_mark |= matches!(c, '-' | '_') || (c.is_uppercase() && !word.is_empty());
                digits += usize::from(c.is_ascii_digit());
                word.extend(c.to_lowercase());
            } else if !is_invisible(c) && !word.is_empty() {
                let shown = word.trim_end_matches(['-', '_']);
                let chars = shown.chars().count();
                let is_word = (TERM_CHARS_MIN..=TERM_CHARS_MAX).contains(&chars) && digits * 2 < chars && !COMMON.contains(shown);
                if is_word {
                    let is_name = (capitals > 0 && !is_first) || inner_mark || digits > 0;
                    self.add(shown, is_name, handle, message, begin, chars as u32);
                }
                is_first = false;
                count += 1;
                (capitals, inner_mark, digits) = (0, false, 0);
                word.clear();
                if count >= WORDS_READ_MAX {
                    return;
                }
            }
        }
    }

    fn add(&mut self, word: &str, is_name: bool, handle: u32, message: u32, begin: u32, chars: u32) {
        let next = self.terms.len() as u32;
        let at = match self.index.get(word) {
            Some(at) => *at,
            None => {
                self.index.insert(word.into(), next);
                self.terms.push(Term::default());
                next
            }
        };
        let Some(term) = self.terms.get_mut(at as usize) else { return };
        term.is_name |= is_name;
        if term.is_everywhere || term.holders.iter().any(|holder| holder.handle == handle) {
            return;
        }
        if term.holders.len() >= TERM_HOLDERS_MAX {
            term.is_everywhere = true;
            term.holders = Vec::new();
        } else if let Ok(span) = Span::new(begin, begin + chars) {
            term.holders.push(FirstUse { handle, message, span });
        }
    }

    /// The words that at least two, but only a few, of the `handles` handles use. Parts of names, which `names` lists, are left
    /// out.
    pub(super) fn rare(self, handles: usize, names: &HashSet<String>) -> Vec<RareTerm> {
        let most = (handles / TERM_SHARE).clamp(TERM_HOLDERS_SMALL, TERM_HOLDERS_MAX);
        let mut rare: Vec<RareTerm> = self
            .index
            .into_iter()
            .filter_map(|(word, at)| {
                let term = self.terms.get(at as usize)?;
                let fits = !term.is_everywhere && (2..=most).contains(&term.holders.len()) && !names.contains(word.as_ref());
                fits.then(|| RareTerm { word: word.into(), is_name: term.is_name, holders: term.holders.clone() })
            })
            .collect();
        rare.sort_unstable_by(|a, b| a.word.cmp(&b.word));
        rare
    }
}

/// The presence of a handle in a conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Presence {
    pub(super) handle: u32,
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
    /// Its first message in the conversation, and that message's length, for display.
    pub(super) message: u32,
    pub(super) chars: u32,
}

/// Which handles write in which conversations, and which handles follow each other.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    index: HashMap<ConversationId, u32>,
    pub(super) ids: Vec<ConversationId>,
    pub(super) present: Vec<Vec<Presence>>,
    last_speaker: Vec<u32>,
    answers: HashMap<(u32, u32, u32), u32>,
}

impl Rooms {
    /// Adds one message. The messages of a conversation must be added in time order.
    pub(super) fn read(&mut self, conversation: &ConversationId, handle: u32, message: u32, chars: u32, time: Timestamp) {
        let next = self.ids.len() as u32;
        let room = *self.index.entry(conversation.clone()).or_insert_with(|| {
            self.ids.push(conversation.clone());
            next
        });
        if room == next {
            self.present.push(Vec::new());
            self.last_speaker.push(handle);
        }
        let at = room as usize;
        let before = std::mem::replace(&mut self.last_speaker[at], handle);
        if before != handle {
            *self.answers.entry((room, before.min(handle), before.max(handle))).or_default() += 1;
        }
        // Rooms above the limit are not used for comparison, and searching a list of thousands for every message would be slow.
        let present = &mut self.present[at];
        let has_place = present.len() <= CIRCLE_MAX;
        match present.iter_mut().find(|presence| presence.handle == handle) {
            Some(presence) => {
                presence.first = presence.first.min(time);
                presence.last = presence.last.max(time);
            }
            None if has_place => present.push(Presence { handle, first: time, last: time, message, chars }),
            None => {}
        }
    }

    /// The index of a conversation that has been read; `u32::MAX` for any other conversation.
    pub(super) fn number(&self, conversation: &ConversationId) -> u32 {
        self.index.get(conversation).copied().unwrap_or(u32::MAX)
    }

    /// How often these two handles followed each other in `room`.
    pub(super) fn answers(&self, room: u32, a: u32, b: u32) -> u32 {
        self.answers.get(&(room, a.min(b), a.max(b))).copied().unwrap_or(0)
    }

    /// For each of `handles` handles, the rooms in which it writes, with its position in each room's list.
    pub(super) fn of_handles(&self, handles: usize) -> Vec<Vec<(u32, u32)>> {
        let mut rooms = vec![Vec::new(); handles];
        for (room, present) in self.present.iter().enumerate() {
            for (at, presence) in present.iter().enumerate() {
                if let Some(of_handle) = rooms.get_mut(presence.handle as usize) {
                    of_handle.push((room as u32, at as u32));
                }
            }
        }
        rooms
    }
}
