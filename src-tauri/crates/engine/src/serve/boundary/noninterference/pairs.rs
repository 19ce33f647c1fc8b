//! Generates pairs of stores from a seed: what is said in which room, and what the person decides about it.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher as _;

use keepsake_domain::{Author, ChannelHandle, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty};
use keepsake_testkit::MONDAY_TEN;

use super::rooms::{Observer, Room};

const STATEMENTS: [&str; 26] = [
    "I live in Utrecht.", "I'm allergic to hazelnuts.", "I play the cello.", "I prefer short answers.", "I work as a nurse.",
    "My sister Emma is a teacher.", "I moved to Porto in May.", "I speak Portuguese and Dutch.",
    "I want to learn sailing this year.", "I always drink tea in the morning.", "I have two cats.", "I grew up in Leeds.",
    "I use Linux on my laptop.", "I'm learning Rust.", "I never eat meat.", "I studied biology in Ghent.",
    "Please keep it short.", "Please always be thorough.", "I expect detailed answers.", "I prefer bullet points.",
    "No bullet points, please.", "What's the deployment status?", "I'll send you the plan by Friday.",
    "I'll bring the lamps on Saturday.", EXPORT, EXPORT,
];

/// A request that the assistant cannot fulfill.
const EXPORT: &str = "Can you export my notes?";

/// Index of the first statement that is a wish, a promise or an unmet request.
const WISHES_FROM: usize = 16;

pub(super) const SECRETS: [&str; 8] =
    ["zanzibar", "quokka", "obsidian", "marzipan", "tamarind", "periwinkle", "halcyon", "umbra"];

/// A small random generator that depends only on its seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(parts: impl std::hash::Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        Self(hasher.finish() | 1)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// One imported conversation, and what the person does with the proposals from it.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) number: u64,
    pub(super) room: Room,
    pub(super) lines: Vec<(Option<usize>, String)>,
    pub(super) reject: bool,
    pub(super) share: bool,
}

fn line(dice: &mut Dice, secret: Option<&str>) -> String {
    // Wishes are more frequent than other statements, because a profile entry needs the same wish in several places.
    let statement = *if dice.chance(40) { dice.pick(&STATEMENTS[WISHES_FROM..]) } else { dice.pick(&STATEMENTS) };
    match secret {
        // Sometimes the same words as in the open part, so that the hidden statement could absorb the open one.
        Some(_) if dice.chance(40) => statement.to_owned(),
        Some(secret) => format!("{statement} The word is {secret}. I love {secret}."),
        None => statement.to_owned(),
    }
}

fn step(dice: &mut Dice, number: u64, room: Room, secret: Option<&str>) -> Step {
    let others = room.others().len();
    let lines = (0..1 + dice.below(3))
        .map(|_| {
            let speaker = if others == 0 || dice.chance(60) { None } else { Some(dice.below(others)) };
            (speaker, line(dice, secret))
        })
        .collect();
    Step { number, room, lines, reject: dice.chance(10), share: false }
}

/// A pair of stores, as one list of steps each. Open steps are the same in both; hidden steps differ.
pub(super) struct Pair {
    pub(super) observer: Observer,
    pub(super) is_mail_linked: bool,
    /// Whether the person merges an open memory into a hidden one, in both stores.
    pub(super) merges: bool,
    pub(super) has_vectors: bool,
    /// Whether profiles are derived once before the last conversations are imported, and again after.
    pub(super) derives_twice: bool,
    /// See [`Room::is_one_thread`].
    pub(super) has_threads: bool,
    pub(super) steps: [Vec<Step>; 2],
}

pub(super) fn pair(seed: u64) -> Pair {
    let mut dice = Dice::of(seed);
    let observer = *dice.pick(&Observer::ALL);
    let is_mail_linked = dice.chance(50);
    let hidden_rooms = observer.hidden(is_mail_linked);
    let open_rooms: Vec<Room> = Room::ALL.into_iter().filter(|room| !hidden_rooms.contains(room)).collect();
    // The owner knows the same people in both stores; only what was said differs.
    let greeting = |number, room: Room| Step {
        number,
        room,
        lines: [None].into_iter().chain((0..room.others().len()).map(Some)).map(|who| (who, "Hello.".to_owned())).collect(),
        reject: false,
        share: false,
    };
    let greetings = vec![greeting(0, Room::Public), greeting(1, Room::Mail), greeting(2, Room::Both), greeting(3, Room::Chat)];
    let mut steps = [greetings.clone(), greetings];
    for number in 4..9 + dice.below(3) as u64 {
        if dice.chance(55) {
            let room = *dice.pick(&open_rooms);
            let mut open = step(&mut dice, number, room, None);
            open.share = dice.chance(10);
            steps.iter_mut().for_each(|list| list.push(open.clone()));
        } else {
            let room = *dice.pick(&hidden_rooms);
            for (side, list) in steps.iter_mut().enumerate() {
                let mut own = Dice::of((seed, number, side));
                // The second store may have no step here.
                if side == 0 || own.chance(75) {
                    let secret = SECRETS[(own.below(4)) * 2 + side];
                    list.push(Step { reject: false, ..step(&mut own, number, room, Some(secret)) });
                }
            }
        }
    }
    Pair {
        observer,
        is_mail_linked,
        merges: dice.chance(40),
        has_vectors: seed.is_multiple_of(4),
        derives_twice: seed % 4 == 1,
        has_threads: seed % 4 >= 2,
        steps,
    }
}

pub(super) fn messages(step: &Step, has_threads: bool) -> Vec<Message> {
    let (channel_type, channel_id) = step.room.channel();
    let conversation = format!("{channel_id}-{}", if step.room.is_one_thread(has_threads) { 0 } else { step.number });
    let spoken = step.lines.iter().map(|(speaker, text)| {
        let (name, handle, role) = match speaker {
            None => ("Mara", "mara", Role::Owner),
            Some(which) => {
                let (name, handle) = step.room.others()[*which];
                (name, handle, Role::Person)
            }
        };
        (name, handle, role, text.as_str())
    });
    let is_refused = step.lines.iter().any(|(_, text)| text.contains(EXPORT));
    let answer = if is_refused { "Sorry, I can't export your notes." } else { "I noted that." };
    // The owner's assistant always speaks, so that every conversation is a session. It also speaks in rooms where nobody else
    // has spoken yet; such a room must not be treated as one where the owner is alone.
    spoken
        .chain([("Nova", "nova", Role::Assistant, answer)])
        .enumerate()
        .map(|(index, (name, handle, role, text))| Message {
            source: SourceRef {
                kind: SourceKind::KeepsakeJsonl,
                conversation: conversation.clone(),
                message: format!("{}-{index}", step.number),
            },
            conversation_title: Some(format!("Room {channel_id}")),
            channel_type: channel_type.to_owned(),
            channel_id: channel_id.to_owned(),
            visibility: step.room.visibility(),
            is_private: step.room.is_off_record(),
            time: MONDAY_TEN.plus_ms((step.number as i64 * 100 + index as i64) * 60_000),
            time_certainty: TimeCertainty::Exact,
            author: Author {
                name: name.to_owned(),
                handle: ChannelHandle { channel: step.room.network().to_owned(), handle: handle.to_owned() },
                role,
            },
            text: text.to_owned(),
            message_type: MessageType::Text,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: Metadata::new(),
        })
        .collect()
}
