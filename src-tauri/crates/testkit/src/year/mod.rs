//! A generated year of messages of any size: rooms, direct messages, mails, meetings and sessions with agents. It contains the
//! statements from which memories are made, often repeated but seldom in the same words.
//!
//! People talk about projects with their own vocabulary, make promises, ask questions, chat, and sometimes say something about
//! themselves. The owner repeats some facts, revises others as life changes, and tells agents how to answer. Some sessions use
//! tools, partly in recurring sequences. Some conversations are excluded. The same seed gives the same year. All people in it are
//! invented.
//!
//! Not here: what should be derived from the year. The tests decide that.

mod words;

use keepsake_domain::{DAY_MS, MINUTE_MS, Message, Timestamp};

use crate::exports::Dice;
use crate::{Conversation, ToolSession};
use words::*;

/// The owner of every generated year.
pub const OWNER: &str = "Mara Lind";

/// The size of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YearSize {
    /// Total number of messages. The last conversation may exceed it.
    pub messages: usize,
    /// Number of sessions with agents, included in the messages.
    pub sessions: usize,
    /// Number of people besides the owner, at most 30.
    pub people: usize,
    /// Number of agents, at most 5.
    pub agents: usize,
}

impl YearSize {
    /// The year of a busy person.
    pub const WHOLE: Self = Self { messages: 50_000, sessions: 400, people: 30, agents: 5 };

    /// A year that tests can process repeatedly, with some content of every kind.
    pub const SMALL: Self = Self { messages: 360, sessions: 14, people: 6, agents: 3 };
}

/// A year of messages.
#[derive(Debug, Clone)]
pub struct Year {
    /// The conversations, ordered by start time. Each contains at least one message.
    pub conversations: Vec<Vec<Message>>,
    /// Names of the agents.
    pub agents: Vec<&'static str>,
    /// Names of the people.
    pub people: Vec<String>,
}

/// A word that occurs only in excluded conversations.
pub const OFF_THE_RECORD: &str = "Nightjar";

struct Making {
    dice: Dice,
    size: YearSize,
    people: Vec<String>,
    /// The beginning of the year.
    begin: Timestamp,
    /// Number of messages generated so far.
    made: usize,
    /// How often the owner has stated something about themselves; determines the next statement.
    told: usize,
}

/// The setting of a conversation.
struct Place {
    room: Conversation,
    /// Indices of the people there.
    with: Vec<usize>,
    project: usize,
    is_private: bool,
}

/// Percentages of the messages outside sessions, by kind of conversation.
const SHARES: [(Kind, usize); 4] = [(Kind::Room, 35), (Kind::Direct, 38), (Kind::Mail, 9), (Kind::Meeting, 18)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Room,
    Direct,
    Mail,
    Meeting,
}

/// Average number of messages in a session with an agent, including tool use.
const SESSION_MESSAGES: usize = 30;

/// Number of sessions with tools in the last two weeks.
const RECENT_TOOL_SESSIONS: usize = 16;

impl Year {
    /// The year that ends at `end`, determined by `seed`.
    pub fn until(end: Timestamp, seed: u64, size: YearSize) -> Self {
        let people = (0..size.people.min(FIRST.len())).map(|at| format!("{} {}", FIRST[at], LAST[at])).collect();
        let begin = end.plus_ms(-365 * DAY_MS);
        let mut making = Making { dice: Dice(seed), size, people, begin, made: 0, told: 0 };
        let agents: Vec<&'static str> = AGENTS[..size.agents.clamp(1, AGENTS.len())].to_vec();
        let mut conversations: Vec<Vec<Message>> = Vec::new();
        for at in 0..size.sessions {
            conversations.push(making.session(at, agents[at % agents.len()]));
        }
        let rest = size.messages.saturating_sub(making.made);
        for (kind, percent) in SHARES {
            conversations.extend(making.places(kind, rest * percent / 100));
        }
        conversations.retain(|messages| !messages.is_empty());
        conversations.sort_by(|a, b| (a[0].time, &a[0].source.conversation).cmp(&(b[0].time, &b[0].source.conversation)));
        Self { conversations, agents, people: making.people }
    }

    /// Total number of messages.
    pub fn messages(&self) -> usize {
        self.conversations.iter().map(Vec::len).sum()
    }
}

impl Making {
    fn pick<'w>(&mut self, from: &[&'w str]) -> &'w str {
        from[self.dice.below(from.len() as u64) as usize]
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.dice.below(count) == 0
    }

    /// Fills in the slots of `template` for a project.
    fn fill(&mut self, template: &str, project: usize) -> String {
        let project = &PROJECTS[project % PROJECTS.len()];
        let mut out = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (slot, tail) = after.split_once('}').unwrap_or((after, ""));
            out.push_str(before);
            match slot {
                "project" => out.push_str(project.name),
                "thing" => out.push_str(self.pick(project.things)),
                "part" => out.push_str(self.pick(project.parts)),
                "tool" => out.push_str(self.pick(project.tools)),
                "site" => out.push_str(self.pick(project.sites)),
                "day" => out.push_str(self.pick(DAYS)),
                "hour" => out.push_str(self.pick(HOURS)),
                "place" => out.push_str(self.pick(PLACES)),
                "food" => out.push_str(self.pick(FOODS)),
                "job" => out.push_str(self.pick(JOBS)),
                "child" => out.push_str(self.pick(CHILDREN)),
                "n" => out.push_str(&(2 + self.dice.below(58)).to_string()),
                _ => {
                    let at = self.dice.below(self.people.len() as u64) as usize;
                    out.push_str(self.people[at].split(' ').next().unwrap_or(""));
                }
            }
            rest = tail;
        }
        out.push_str(rest);
        // Capitalize the first letter, because a template may begin with a slot that is filled in lower case.
        let mut chars = out.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    }

    /// The owner's next statement about themselves: a fact in one of its wordings, or sometimes a fact that changes during the
    /// year.
    fn own_fact(&mut self, is_later: bool) -> String {
        self.told += 1;
        let at = self.told;
        if at.is_multiple_of(7) {
            let (before, since) = CHANGES[at / 7 % CHANGES.len()];
            return self.pick(if is_later { since } else { before }).to_owned();
        }
        self.pick(OWN_FACTS[at % OWN_FACTS.len()]).to_owned()
    }

    /// Percentage of lines in which speakers talk about themselves. It is higher in a small year, so that there are enough such
    /// lines.
    fn about_self_percent(&self) -> u64 {
        if self.size.messages < 2_000 { 16 } else { 4 }
    }

    /// A line by the owner or another person, usually about a project.
    fn talk(&mut self, project: usize, is_owner: bool, is_later: bool) -> String {
        let is_about_self = self.dice.below(100) < self.about_self_percent();
        if is_about_self && is_owner {
            return self.own_fact(is_later);
        }
        let template = match self.dice.below(100) {
            _ if is_about_self => self.pick(OTHERS_FACTS),
            0..=27 => self.pick(WORK),
            28..=38 => self.pick(QUESTIONS),
            39..=42 => self.pick(DECISIONS),
            43..=48 => self.pick(PROMISES),
            49..=51 => self.pick(DONE),
            52..=76 => self.pick(REPLIES),
            _ => self.pick(SMALL_TALK),
        };
        let mut text = self.fill(template, project);
        // Sometimes add a second sentence about the same subject, as people do.
        if self.one_in(6) {
            let template = if self.one_in(2) { self.pick(WORK) } else { self.pick(QUESTIONS) };
            text.push(' ');
            text.push_str(&self.fill(template, project));
        }
        text
    }

    /// A time on the given day of the year, during waking hours.
    fn moment(&mut self, day: u64) -> i64 {
        self.begin.0 + day as i64 * DAY_MS + (8 * 60 + self.dice.below(12 * 60)) as i64 * MINUTE_MS
    }

    /// Conversations of this kind with about this many messages.
    fn places(&mut self, kind: Kind, messages: usize) -> Vec<Vec<Message>> {
        let people = self.people.len();
        // Rooms and direct chats last all year. A mail thread or a meeting lasts days at most.
        let count = match kind {
            Kind::Room => (people / 2).clamp(2, 12),
            Kind::Direct => people,
            Kind::Mail => (messages / 7).max(1),
            Kind::Meeting => (messages / 50).max(1),
        };
        let each = (messages / count).max(1);
        (0..count)
            .map(|at| {
                let place = self.place(kind, at);
                match kind {
                    Kind::Room | Kind::Direct => self.lasting(&place, each),
                    Kind::Mail => self.thread(&place, each, 5 * 60),
                    Kind::Meeting => self.thread(&place, each, 1),
                }
            })
            .collect()
    }

    fn place(&mut self, kind: Kind, at: usize) -> Place {
        let people = self.people.len();
        let project = match kind {
            Kind::Room | Kind::Direct => at,
            _ => self.dice.below(PROJECTS.len() as u64) as usize,
        };
        let around = |from: usize, count: usize| (from..from + count).map(|at| at % people).collect::<Vec<_>>();
        let (room, with) = match kind {
            // Every third room is private.
            Kind::Room => {
                let id = format!("!room{at}:example.org");
                let room = Conversation::new(&id).channel("matrix", &id).title(PROJECTS[at % PROJECTS.len()].name);
                let size = (2 + at % 5).min(people);
                (if at % 3 == 2 { room } else { room.public() }, around(at * 2, size))
            }
            Kind::Direct => {
                let id = format!("dm-{at}");
                (Conversation::new(&id).channel("whatsapp", &id).title(&self.people[at]), vec![at])
            }
            Kind::Mail => {
                let with = around(self.dice.below(people as u64) as usize, 1 + at % 2);
                let subject = PROJECTS[project].things[at % 4];
                let id = format!("mail-{at}");
                (Conversation::new(&id).channel("email", &id).title(&format!("Re: {subject}")), with)
            }
            Kind::Meeting => {
                let with = around(self.dice.below(people as u64) as usize, (2 + at % 3).min(people));
                let id = format!("meeting-{at}");
                (Conversation::new(&id).channel("meeting", &id).title(&format!("{} sync", PROJECTS[project].name)), with)
            }
        };
        // Some conversations are excluded.
        let is_private = matches!(kind, Kind::Direct) && at % 9 == 4 || matches!(kind, Kind::Meeting) && at % 20 == 7;
        Place { room: if is_private { room.private() } else { room }, with, project, is_private }
    }

    /// Messages of a room or chat that is used all year.
    fn lasting(&mut self, place: &Place, messages: usize) -> Vec<Message> {
        let mut all = Vec::new();
        let mut lines = Vec::new();
        let bursts = (messages / 14).max(1);
        for burst in 0..bursts {
            // Bursts are in chronological order, with gaps of days in between.
            let day = (burst as u64 * 360) / bursts as u64 + self.dice.below(3);
            let mut at = self.moment(day);
            // The subject changes over the year.
            let project = place.project + day as usize / 120 * 5;
            let count = (messages / bursts).max(1) as u64;
            for _ in 0..count / 2 + 1 + self.dice.below(count) {
                lines.push((at, self.line(place, project, day > 180)));
                at += (1 + self.dice.below(9)) as i64 * MINUTE_MS / 2;
            }
        }
        lines.sort_by_key(|(at, _)| *at);
        self.put(place, &mut all, lines);
        all
    }

    /// Messages of a mail thread or meeting, at most `apart_minutes` apart.
    fn thread(&mut self, place: &Place, messages: usize, apart_minutes: u64) -> Vec<Message> {
        let day = self.dice.below(360);
        let mut at = self.moment(day);
        let mut lines = Vec::new();
        for _ in 0..messages / 2 + 1 + self.dice.below(messages as u64) as usize {
            lines.push((at, self.line(place, place.project, day > 180)));
            at += (1 + self.dice.below(apart_minutes)) as i64 * MINUTE_MS;
        }
        let mut all = Vec::new();
        self.put(place, &mut all, lines);
        all
    }

    /// A line in fixture format: `role name: text`.
    fn line(&mut self, place: &Place, project: usize, is_later: bool) -> String {
        let is_owner = self.dice.below(place.with.len() as u64 + 1) == 0;
        let mut text = self.talk(project, is_owner, is_later);
        if place.is_private && self.one_in(3) {
            text = format!("{text} And not a word about {OFF_THE_RECORD}.");
        }
        if is_owner {
            return format!("owner {OWNER}: {text}");
        }
        let at = place.with[self.dice.below(place.with.len() as u64) as usize];
        format!("person {}: {text}", self.people[at])
    }

    fn put(&mut self, place: &Place, all: &mut Vec<Message>, lines: Vec<(i64, String)>) {
        let text: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        let mut messages = place.room.messages(&text.join("\n"));
        for (message, (at, _)) in messages.iter_mut().zip(&lines) {
            message.time = Timestamp(*at);
        }
        self.made += messages.len();
        all.extend(messages);
    }

    /// A session with an agent: a chat, or work with tools if the agent has tools.
    fn session(&mut self, at: usize, agent: &'static str) -> Vec<Message> {
        let sessions = self.size.sessions as u64;
        let all_year = (at as u64 * 364) / sessions;
        // Playbook detection covers only the last two weeks, so more of the sessions with tools fall into that period.
        let is_recent = agent == AGENTS[0] && at + RECENT_TOOL_SESSIONS * self.size.agents >= self.size.sessions;
        let day = if is_recent { 352 + at as u64 % 12 } else { all_year };
        let began = self.moment(day).min(self.begin.0 + 365 * DAY_MS - 3 * 60 * MINUTE_MS);
        let project = self.dice.below(PROJECTS.len() as u64) as usize;
        let is_later = day > 180;
        let messages = if agent == AGENTS[0] {
            self.work_with_tools(at, began, project)
        } else {
            self.chat(at, agent, began, project, is_later)
        };
        self.made += messages.len();
        messages
    }

    fn chat(&mut self, at: usize, agent: &str, began: i64, project: usize, is_later: bool) -> Vec<Message> {
        let id = format!("chat-{at}");
        // Usually the owner talks to the agent, and sometimes another person does.
        let (who, channel) = if at % 6 == 5 {
            let person = &self.people[at / 6 % self.people.len()];
            (format!("person {person}"), "matrix")
        } else {
            (format!("owner {OWNER}"), "chat")
        };
        let is_owner = who.starts_with("owner");
        let is_private = at % 40 == 11;
        let base = Conversation::new(&id).channel(channel, &id).title(PROJECTS[project].name);
        let base = if is_private { base.private() } else { base };
        let mut lines: Vec<String> = Vec::new();
        let turns = 2 + self.dice.below(SESSION_MESSAGES as u64) as usize * self.size.messages.min(10_000) / 10_000;
        for turn in 0..turns.max(4) {
            let mut text = match (turn, self.dice.below(10)) {
                (0, 0..=2) => self.fill(STANDING_ASKS[at % STANDING_ASKS.len()], project),
                (0, _) => {
                    let ask = self.pick(TO_AGENT);
                    self.fill(ask, project)
                }
                (_, 0..=3) => {
                    let ask = self.pick(TO_AGENT);
                    self.fill(ask, project)
                }
                _ => {
                    let after = self.pick(AFTER);
                    self.fill(after, project)
                }
            };
            if is_private {
                text = format!("{text} This stays between us, it is about {OFF_THE_RECORD}.");
            } else if is_owner && self.one_in(9) {
                text = format!("{text} {}", self.own_fact(is_later));
            } else if is_owner && self.one_in(5) {
                let wish = OWN_WISHES[self.dice.below(OWN_WISHES.len() as u64) as usize];
                text = format!("{text} {}", self.pick(wish));
            } else if !is_owner && self.one_in(4) {
                let fact = self.pick(OTHERS_FACTS);
                text = format!("{text} {}", self.fill(fact, project));
            }
            lines.push(format!("{who}: {text}"));
            let answer = if text.contains("calendar") { self.pick(CANNOT) } else { self.pick(ANSWERS) };
            lines.push(format!("assistant {agent}: {}", self.fill(answer, project)));
        }
        let mut messages = base.messages(&lines.join("\n"));
        for (number, message) in messages.iter_mut().enumerate() {
            message.time = Timestamp(began + number as i64 * MINUTE_MS);
        }
        messages
    }

    fn work_with_tools(&mut self, at: usize, began: i64, project: usize) -> Vec<Message> {
        let id = format!("tools-{at}");
        // Every second session follows a recurring sequence.
        let number = at / self.size.agents.max(1);
        let script = if number.is_multiple_of(2) {
            let flow = WORKFLOWS[number / 8 % WORKFLOWS.len()];
            self.pick(flow)
        } else {
            self.pick(ERRANDS)
        };
        let folder = format!("/home/mara/{}", PROJECTS[project].name.to_lowercase().replace(' ', "-"));
        let mut messages = ToolSession { id: &id, began: Timestamp(began), folder: &folder, script }.messages();
        for message in &mut messages {
            if message.author.name == "User" {
                OWNER.clone_into(&mut message.author.name);
                OWNER.clone_into(&mut message.author.handle.handle);
            }
        }
        let last = messages.last().map_or(Timestamp(began), |message| message.time);
        let (ask, answer) = (self.pick(TO_AGENT), self.pick(ANSWERS));
        let (ask, answer) = (self.fill(ask, project), self.fill(answer, project));
        let after = if number.is_multiple_of(3) { self.pick(&["That still fails.", "Hm, no."]) } else { "Thanks, that works." };
        if let [first, second, ..] = &mut messages[..] {
            first.text = ask;
            second.text = answer;
            let (mut thanks, mut bye) = (first.clone(), second.clone());
            for (message, name, text, minutes) in
                [(&mut thanks, "after", after.to_owned(), 2), (&mut bye, "end", "Noted.".to_owned(), 3)]
            {
                message.source.message = format!("{id}-{name}");
                message.time = last.plus_ms(minutes * MINUTE_MS);
                message.text = text;
            }
            messages.extend([thanks, bye]);
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use keepsake_domain::{MessageType, Role};

    use super::*;
    use crate::MONDAY_TEN;

    fn names(year: &Year, role: Role) -> BTreeSet<String> {
        let messages = year.conversations.iter().flatten();
        messages.filter(|message| message.author.role == role).map(|message| message.author.name.clone()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_year_and_it_is_as_large_as_it_says() {
        let check = |size: YearSize| {
            let year = Year::until(MONDAY_TEN, 3, size);
            let count = year.messages();
            assert!((size.messages * 9 / 10..=size.messages * 11 / 10).contains(&count), "{count} of {size:?}");
            let with_agents = year.conversations.iter().filter(|c| c.iter().any(|m| m.author.role == Role::Assistant)).count();
            assert_eq!(with_agents, size.sessions);
            assert_eq!(names(&year, Role::Person).len(), size.people);
            assert_eq!(names(&year, Role::Assistant).len(), size.agents);
            let mut ids: Vec<&str> = year.conversations.iter().map(|c| c[0].source.conversation.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), year.conversations.len(), "every conversation has an id of its own");
            let begin = MONDAY_TEN.plus_ms(-366 * DAY_MS);
            assert!(year.conversations.iter().flatten().all(|m| m.time > begin && m.time <= MONDAY_TEN), "within the year");
        };
        check(YearSize::SMALL);
        check(YearSize::WHOLE);
        let texts = |seed| format!("{:?}", Year::until(MONDAY_TEN, seed, YearSize::SMALL).conversations);
        assert_eq!(texts(3), texts(3));
        assert_ne!(texts(3), texts(4), "the seed matters");
    }

    #[test]
    fn people_seldom_say_a_longer_thing_twice_and_something_of_everything_is_in_it() {
        let year = Year::until(MONDAY_TEN, 3, YearSize::WHOLE);
        let mut said: BTreeMap<&str, usize> = BTreeMap::new();
        let mut long = 0;
        for message in year.conversations.iter().flatten() {
            if message.message_type == MessageType::Text && message.text.split(' ').count() > 7 {
                *said.entry(&message.text).or_default() += 1;
                long += 1;
            }
        }
        assert!(said.len() * 10 > long * 6, "{} of {long} longer messages are said in words of their own", said.len());
        let texts: Vec<&Message> = year.conversations.iter().flatten().collect();
        let count = |words: &str| texts.iter().filter(|message| message.text.contains(words)).count();
        for words in
            ["hazelnuts", "Utrecht", "Porto", "keep your answers short", "We decided to use", "I'll send you", "calendar"]
        {
            assert!(count(words) >= 3, "{words}: {}", count(words));
        }
        let is_told = |message: &&&Message| message.text.contains(OFF_THE_RECORD);
        assert!(texts.iter().filter(is_told).count() > 100);
        assert!(texts.iter().filter(is_told).all(|message| message.is_private), "and nowhere on the record");
        let tools = texts.iter().filter(|message| message.message_type == MessageType::ToolUse).count();
        assert!(tools > 200, "{tools}");
    }
}
