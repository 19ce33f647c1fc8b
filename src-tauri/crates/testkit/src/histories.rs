//! Generated histories in which a unique word identifies every statement. A history records which statements were made, where
//! and how often. A test can therefore check whether a statement is served and whether anything else has changed.
//!
//! All people in them are invented. The same seed gives the same history. Not here: how the histories are processed.

use keepsake_domain::{DAY_MS, Message, Timestamp};

use crate::exports::Dice;
use crate::{Conversation, MONDAY_TEN};

/// Different wordings of one statement by the owner; `{}` stands for the word that identifies it.
struct Pattern {
    said: &'static [&'static str],
    words: &'static [&'static str],
}

/// Each pattern is used at most once per history, so that no statement replaces another.
const PATTERNS: &[Pattern] = &[
    Pattern {
        said: &["I live in {}.", "I live in {}, close to the canal.", "By the way, I live in {}."],
        words: &["Utrecht", "Rotterdam", "Porto", "Leeds", "Seattle", "Lima", "Graz", "Turku"],
    },
    Pattern {
        said: &["I play the {}.", "I play the {} on Sundays.", "You know that I play the {}."],
        words: &["cello", "oboe", "harp", "accordion", "trumpet", "banjo"],
    },
    Pattern {
        said: &["I'm allergic to {}.", "I am allergic to {}."],
        words: &["hazelnuts", "shellfish", "penicillin", "lupins", "sesame"],
    },
    Pattern {
        said: &["I have a dog named {}.", "I have a dog named {} at home."],
        words: &["Biscuit", "Rufus", "Pepper", "Waffles", "Bruno"],
    },
    Pattern {
        said: &["I work as a {}.", "I work as a {} in a small firm."],
        words: &["carpenter", "radiologist", "translator", "surveyor", "baker"],
    },
    Pattern {
        said: &["My sister is called {}.", "My sister's name is {}."],
        words: &["Ottilie", "Henrike", "Yolanda", "Ingrid"],
    },
    Pattern {
        said: &["I love {}.", "I really love {}."],
        words: &["birdwatching", "woodcarving", "orienteering", "snorkelling"],
    },
    Pattern {
        said: &["I want to learn {}.", "I want to learn {} this year."],
        words: &["welding", "Hungarian", "calligraphy", "beekeeping"],
    },
    Pattern {
        said: &["Please answer in {}.", "From now on please answer in {}."],
        words: &["French", "Spanish", "Italian", "Polish"],
    },
];

/// Other lines around the statements, so that topics form and other messages remain when a statement is removed.
const TALK: &[&[&str]] = &[
    &[
        "owner Mara: The water pump at the well makes no sound when I press the switch.",
        "person Ana: Did you look at the fuse of the water pump in the shed?",
        "owner Mara: The fuse is fine, the pump gets 230 volts at the socket.",
        "person Ana: Then the capacitor of the pump is broken, a new capacitor costs twelve euros.",
        "owner Mara: We decided to try a new capacitor before we buy a new pump.",
        "person Ana: I ordered a capacitor for the pump with 16 microfarad.",
    ],
    &[
        "owner Mara: The flights in May cost 180 each with the morning flight.",
        "person Ana: The guesthouse with the garden still has a room for five nights.",
        "owner Mara: I booked the morning flight and reserved the guesthouse.",
        "person Ana: We need tickets for the tile museum, they sell out.",
        "owner Mara: The tile museum is closed on Mondays, so I took tickets for Friday.",
    ],
    &[
        "owner Mara: The backup of the photo archive takes nine hours on the old disk.",
        "person Ana: The new disk for the photo archive arrives on Thursday.",
        "owner Mara: We decided to copy the photo archive by year and check each folder.",
        "person Ana: The folder of 2019 in the photo archive has broken files.",
    ],
];

/// A statement by the owner about themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The word that identifies the statement; it occurs nowhere else.
    pub word: &'static str,
    /// Another word of the same kind that does not occur in the history.
    pub instead: &'static str,
    /// Indices of the conversations in which it was said.
    pub places: Vec<usize>,
}

/// Conversations, and the statements in them.
#[derive(Debug, Clone)]
pub struct History {
    /// The conversations; each contains at least one message.
    pub conversations: Vec<Vec<Message>>,
    /// The statements.
    pub said: Vec<Said>,
}

/// Number of conversations in a history.
const CONVERSATIONS: usize = 4;

/// Minimum and maximum number of statements.
const STATEMENTS: (u64, u64) = (3, 6);

impl History {
    /// The history for a seed.
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let mut lines: Vec<Vec<String>> = (0..CONVERSATIONS)
            .map(|at| {
                TALK[(at + dice.below(TALK.len() as u64) as usize) % TALK.len()].iter().map(|line| (*line).to_owned()).collect()
            })
            .collect();
        let mut patterns: Vec<&Pattern> = PATTERNS.iter().collect();
        let mut said = Vec::new();
        for _ in 0..STATEMENTS.0 + dice.below(STATEMENTS.1 - STATEMENTS.0 + 1) {
            let pattern = patterns.remove(dice.below(patterns.len() as u64) as usize);
            let at = dice.below(pattern.words.len() as u64) as usize;
            let (word, instead) = (pattern.words[at], pattern.words[(at + 1) % pattern.words.len()]);
            let mut places: Vec<usize> = Vec::new();
            // Make the statement one to three times, often in exactly the same words, as people do.
            for _ in 0..=dice.below(3) {
                let place = dice.below(CONVERSATIONS as u64) as usize;
                let way = if dice.below(2) == 0 { 0 } else { dice.below(pattern.said.len() as u64) as usize };
                let line = format!("owner Mara: {}", pattern.said[way].replace("{}", word));
                let conversation = &mut lines[place];
                conversation.insert(dice.below(conversation.len() as u64 + 1) as usize, line);
                places.push(place);
            }
            said.push(Said { word, instead, places });
        }
        let conversations = lines.iter().enumerate().map(|(at, lines)| talk(seed, at, lines)).collect();
        Self { conversations, said }
    }

    /// The same messages with other conversation ids, as in another export.
    #[must_use]
    pub fn exported_again(&self) -> Vec<Vec<Message>> {
        let again = |messages: &Vec<Message>| {
            let mut messages = messages.clone();
            for message in &mut messages {
                message.source.conversation.push_str("-again");
            }
            messages
        };
        self.conversations.iter().map(again).collect()
    }
}

/// The first conversation is public, the second is with one person, and the others are with an assistant.
fn talk(seed: u64, at: usize, lines: &[String]) -> Vec<Message> {
    let id = format!("h{seed}-{at}");
    let conversation = match at {
        0 => Conversation::new(&id).channel("matrix", &id).public(),
        1 => Conversation::new(&id).channel("matrix", &id),
        _ => Conversation::new(&id),
    };
    let mut messages = conversation.messages(&lines.join("\n"));
    for message in &mut messages {
        message.time = Timestamp(message.time.0 + at as i64 * DAY_MS);
    }
    debug_assert!(messages.first().is_some_and(|first| first.time >= MONDAY_TEN));
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_known_by_a_word_that_stands_nowhere_else() {
        for seed in 0..50 {
            let history = History::of(seed);
            for said in &history.said {
                for (at, conversation) in history.conversations.iter().enumerate() {
                    let stands = conversation.iter().any(|message| message.text.contains(said.word));
                    assert_eq!(stands, said.places.contains(&at), "seed {seed}: {}", said.word);
                    assert!(
                        !conversation.iter().any(|message| message.text.contains(said.instead)),
                        "seed {seed}: {}",
                        said.instead
                    );
                }
            }
        }
        let texts = |seed| History::of(seed).conversations.concat().into_iter().map(|message| message.text).collect::<Vec<_>>();
        assert_eq!(texts(7), texts(7), "the same seed gives the same history");
        assert_ne!(texts(7), texts(8));
    }
}
