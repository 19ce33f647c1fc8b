//! A population across five channels, as Keepsake JSONL, with labels that say which handles belong to one person.
//!
//! The same lines can be imported with `keepsake import`, processed by the queue and checked with `keepsake links`. A complete
//! build is thus measured with the same labels as the rules alone. All people are invented. The same seed gives the same bytes.

mod phrases;

use std::fmt::Write as _;

use serde_json::json;

use crate::exports::Dice;
pub use phrases::Wording;
use phrases::{EMAIL, MATRIX, OTHERS_EMAIL, OTHERS_HANDLE, PHONE, Phrases, SIMPLEX, TALK};

/// Why a pair of handles has its label: a true pair, or a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// True: one handle states the other's address as its own, or signs with it.
    Email,
    /// True: the same phone number, as a handle or in a message.
    Phone,
    /// True: one handle states the other as its own.
    Declared,
    /// True: the same full name among the same people.
    Name,
    /// True: the same rare words, without a name.
    Terminology,
    /// Trap: the same first name.
    FirstName,
    /// Trap: the same full name in different groups of people.
    FullName,
    /// Trap: the same local part of an address, on another server.
    LocalPart,
    /// Trap: roles, programs and "Speaker 1".
    Role,
    /// Trap: one switchboard number in several signatures.
    Switchboard,
    /// Trap: another person's address, mentioned or quoted.
    OthersAddress,
    /// Trap: another person's handle, mentioned or quoted.
    OthersHandle,
    /// Trap: people with the same name who talk to each other.
    Talking,
    /// Trap: a name with look-alike letters among the same people.
    LookAlike,
}

impl PairKind {
    /// Whether the two handles belong to one person.
    pub fn is_true(self) -> bool {
        self <= Self::Terminology
    }
}

/// A handle in the format of `links --json`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// Channel type.
    pub channel: String,
    /// The handle.
    pub handle: String,
}

/// A generated population.
#[derive(Debug, Default)]
pub struct Population {
    /// One message per line, ordered by time.
    pub lines: Vec<String>,
    /// The number of the person behind each handle.
    pub bearers: Vec<(Handle, usize)>,
    /// The labeled pairs.
    pub pairs: Vec<(PairKind, Handle, Handle)>,
}

struct Build {
    dice: Dice,
    wording: Wording,
    out: Population,
    minute: u64,
    message: usize,
    person: usize,
}

/// A person being generated.
#[derive(Clone)]
struct Person {
    number: usize,
    first: &'static str,
    last: &'static str,
    word: String,
}

/// A group of people with a project, its words and its rooms.
struct Circle {
    number: usize,
    project: String,
    words: [String; 3],
}

/// The owner's display name; pass it as `--me`.
pub const OWNER: &str = "Robin Vale";

/// Generates a population of about `people` people, determined by `seed`.
pub fn population(people: usize, seed: u64, wording: Wording) -> Population {
    let mut build = Build { dice: Dice(seed), wording, out: Population::default(), minute: 0, message: 0, person: 0 };
    let circles = people.div_ceil(CIRCLE).max(4);
    let mut namesakes = Vec::new();
    for number in 0..circles {
        build.circle(number, &mut namesakes);
    }
    build.offices();
    build.roles();
    build.out
}

/// Number of people in a group.
const CIRCLE: usize = 6;

impl Build {
    fn circle(&mut self, number: usize, namesakes: &mut Vec<(Person, Handle)>) {
        let coined = |dice: &mut Dice| {
            let (a, b, c) = (dice.pick(SYLLABLES), dice.pick(SYLLABLES), dice.pick(SYLLABLES));
            format!("{a}{b}{c}")
        };
        let project = capital(&coined(&mut self.dice));
        let words = [coined(&mut self.dice), coined(&mut self.dice), coined(&mut self.dice)];
        let circle = Circle { number, project, words };
        let people: Vec<Person> = (0..CIRCLE).map(|_| self.person()).collect();
        let matrix: Vec<Handle> = people.iter().map(|person| self.matrix(person)).collect();
        let mails: Vec<Handle> = people
            .iter()
            .map(|person| handle("email", &format!("{}@{}.example", person.word, person.last.to_lowercase())))
            .collect();
        for (person, handle) in people.iter().zip(&matrix).chain(people.iter().zip(&mails)) {
            self.out.bearers.push((handle.clone(), person.number));
        }
        let full = |person: &Person| format!("{} {}", person.first, person.last);

        // Person 0 states their own e-mail address in a message, person 1 a phone number, and person 2 a handle. Person 3 has
        // the same name on both channels, among the same people. Persons 4 and 5 are companions.
        let room = format!("matrix-{number}");
        let thread = format!("mail-{number}");
        for round in 0..5 {
            for (at, person) in people.iter().enumerate() {
                let name = if at < 3 { person.first.to_owned() } else { full(person) };
                let text = self.talk(&circle);
                self.say(&room, &matrix[at], &name, "person", &text);
                if round < 4 && at >= 3 {
                    let text = self.talk(&circle);
                    self.say(&thread, &mails[at], &full(person), "person", &text);
                }
            }
        }
        for at in 3..CIRCLE {
            self.label(PairKind::Name, &matrix[at], &mails[at]);
        }
        let own = format!("mail-own-{number}");
        for at in 0..3 {
            let text = self.talk(&circle);
            self.say(&format!("{own}-{at}"), &mails[at], &full(&people[at]), "person", &text);
            let text = self.talk(&circle);
            self.say(&format!("{own}-{at}"), &handle("email", "robin@vale.example"), OWNER, "owner", &text);
        }
        self.email(&room, &people[0], &matrix[0], &mails[0]);
        self.phone(number, &people[1], &matrix[1], &room);
        self.declared(number, &people[2], &matrix[2], &mails[2]);
        self.terminology(number);
        self.traps(&circle, &people, &matrix, &mails, &room, namesakes);
    }

    fn email(&mut self, room: &str, person: &Person, matrix: &Handle, mail: &Handle) {
        if self.dice.below(4) == 0 {
            // Add a meeting in which the address is mentioned.
            let meeting = handle("meeting", &format!("{} {}", person.first, person.last));
            self.out.bearers.push((meeting.clone(), person.number));
            let text = self.phrase(EMAIL).replace("{E}", &mail.handle);
            self.say(&format!("meeting-{}", person.number), &meeting, &meeting.handle.clone(), "person", &text);
            self.label(PairKind::Email, &meeting, mail);
        } else {
            let text = self.phrase(EMAIL).replace("{E}", &self.disguised(&mail.handle));
            self.say(room, matrix, person.first, "person", &text);
            self.label(PairKind::Email, matrix, mail);
        }
    }

    fn phone(&mut self, circle: usize, person: &Person, matrix: &Handle, room: &str) {
        let digits = 1_000_000 + self.dice.below(8_999_999);
        let shown = format!("+49 171 {digits}");
        let phone = handle("whatsapp", &shown);
        self.out.bearers.push((phone.clone(), person.number));
        let text = self.talk_plain();
        self.say(&format!("wa-{circle}"), &phone, person.first, "person", &text);
        match circle % 3 {
            0 => {
                let signal = handle("signal", &format!("+49171{digits}"));
                self.out.bearers.push((signal.clone(), person.number));
                let text = self.talk_plain();
                self.say(&format!("signal-{circle}"), &signal, &person.word.clone(), "person", &text);
                self.label(PairKind::Phone, &phone, &signal);
            }
            1 => {
                let spelt =
                    [shown.clone(), format!("0171 {digits}"), format!("+49 (0)171-{digits}"), format!("0049 171 {digits}")];
                let spelt = &spelt[self.dice.below(4) as usize];
                let text = self.phrase(PHONE).replace("{P}", spelt);
                self.say(room, matrix, person.first, "person", &text);
                self.label(PairKind::Phone, matrix, &phone);
            }
            _ => {
                let mail = handle("email", &format!("{}@post{circle}.example", person.word));
                self.out.bearers.push((mail.clone(), person.number));
                let name = format!("{} {}", person.first, person.last);
                let closing =
                    ["Best regards,", "Viele Grüße", "Cheers,", "Cordialement,", "Saludos,", "--"][self.dice.below(6) as usize];
                let text = format!("See the notes below.\n\n{closing}\n{name}\nMobile: {shown}");
                self.say(&format!("mail-sig-{circle}"), &mail, &name, "person", &text);
                self.label(PairKind::Phone, &mail, &phone);
            }
        }
    }

    fn declared(&mut self, circle: usize, person: &Person, matrix: &Handle, mail: &Handle) {
        if circle.is_multiple_of(2) {
            let text = self.phrase(MATRIX).replace("{H}", &matrix.handle).replace("{F}", person.first);
            let name = format!("{} {}", person.first, person.last);
            self.say(&format!("mail-own-{circle}-2"), mail, &name, "person", &text);
            self.label(PairKind::Declared, matrix, mail);
        } else {
            let simplex = handle("simplex", &format!("{}_{}", person.word, self.dice.below(90) + 10));
            self.out.bearers.push((simplex.clone(), person.number));
            let text = self.talk_plain();
            self.say(&format!("simplex-{circle}"), &simplex, &simplex.handle.clone(), "person", &text);
            let text = self.phrase(SIMPLEX).replace("{H}", &simplex.handle);
            self.say(&format!("matrix-{circle}"), matrix, person.first, "person", &text);
            self.label(PairKind::Declared, matrix, &simplex);
        }
    }

    /// Adds two handles without a name that share rare words.
    fn terminology(&mut self, circle: usize) {
        if !circle.is_multiple_of(4) {
            return;
        }
        let person = self.person();
        let words: Vec<String> = (0..7)
            .map(|_| format!("{}{}-{}", self.dice.pick(SYLLABLES), self.dice.pick(SYLLABLES), self.dice.below(90) + 10))
            .collect();
        let (a, b) =
            (handle("simplex", &format!("fox{}", person.number)), handle("email", &format!("x{}@nym.example", person.number)));
        for one in [&a, &b] {
            self.out.bearers.push((one.clone(), person.number));
            for pair in words.windows(2) {
                let text = format!("The {} still needs {} before the release", pair[0], pair[1]);
                self.say(&format!("{}-own-{}", one.channel, person.number), one, &one.handle.clone(), "person", &text);
            }
        }
        self.label(PairKind::Terminology, &a, &b);
    }

    fn traps(
        &mut self,
        circle: &Circle,
        people: &[Person],
        matrix: &[Handle],
        mails: &[Handle],
        room: &str,
        namesakes: &mut Vec<(Person, Handle)>,
    ) {
        let number = circle.number;
        // The same first name, in another place and on another channel.
        let twin = Person { number: self.next_person(), first: people[4].first, last: self.dice.pick(LAST), word: self.word() };
        let other = handle("whatsapp", &format!("+43 660 {}", 1_000_000 + self.dice.below(8_999_999)));
        self.out.bearers.push((other.clone(), twin.number));
        let text = self.talk_plain();
        self.say(&format!("wa-twin-{number}"), &other, twin.first, "person", &text);
        self.label(PairKind::FirstName, &matrix[4], &other);

        // The same full name in an unrelated group.
        if let Some((person, known)) = namesakes.pop() {
            let double = handle("simplex", &format!("{}{}", person.word, self.dice.below(1000)));
            let bearer = self.next_person();
            self.out.bearers.push((double.clone(), bearer));
            let name = format!("{} {}", person.first, person.last);
            for _ in 0..4 {
                let text = self.talk_plain();
                self.say(&format!("simplex-double-{number}"), &double, &name, "person", &text);
            }
            self.label(PairKind::FullName, &known, &double);
        } else {
            namesakes.push((people[5].clone(), matrix[5].clone()));
        }

        // The same local part on another server.
        let copy = handle("email", &format!("{}@copy{number}.example", people[3].word));
        let bearer = self.next_person();
        self.out.bearers.push((copy.clone(), bearer));
        let text = self.talk_plain();
        let name = format!("{} {}", self.dice.pick(FIRST), self.dice.pick(LAST));
        self.say(&format!("mail-copy-{number}"), &copy, &name, "person", &text);
        self.label(PairKind::LocalPart, &matrix[3], &copy);

        // Another person's address and handle.
        let others = format!("{} {}", people[3].first, people[3].last);
        let text = self.phrase(OTHERS_EMAIL).replace("{N}", &others).replace("{E}", &mails[3].handle);
        self.say(room, &matrix[5], &format!("{} {}", people[5].first, people[5].last), "person", &text);
        self.label(PairKind::OthersAddress, &matrix[5], &mails[3]);
        let text = self.phrase(OTHERS_HANDLE).replace("{N}", &others).replace("{H}", &matrix[3].handle);
        self.say(&format!("mail-{number}"), &mails[4], &format!("{} {}", people[4].first, people[4].last), "person", &text);
        self.label(PairKind::OthersHandle, &mails[4], &matrix[3]);

        // Two people with the same name who talk to each other, and an imitation of another person.
        let double = handle("matrix", &format!("@{}.two:hs{number}.example", people[4].word));
        let bearer = self.next_person();
        self.out.bearers.push((double.clone(), bearer));
        let imitation = handle("simplex", &format!("{}.real", people[3].word));
        let imitator = self.next_person();
        self.out.bearers.push((imitation.clone(), imitator));
        for _ in 0..3 {
            let text = self.talk(circle);
            self.say(room, &matrix[4], &format!("{} {}", people[4].first, people[4].last), "person", &text);
            let text = self.talk(circle);
            self.say(room, &double, &format!("{} {}", people[4].first, people[4].last), "person", &text);
            let text = self.talk(circle);
            self.say(&format!("simplex-im-{number}"), &imitation, &look_alike(&others), "person", &text);
        }
        self.label(PairKind::Talking, &matrix[4], &double);
        self.label(PairKind::LookAlike, &matrix[3], &imitation);
    }

    /// Adds offices in which all signatures contain the same phone number.
    fn offices(&mut self) {
        for office in 0..4 {
            let number = format!("+49 30 9018{:04}", self.dice.below(10_000));
            let mut staff: Vec<Handle> = Vec::new();
            for desk in 0..5 {
                let person = self.person();
                let mail = handle("email", &format!("{}@office{office}.example", person.word));
                self.out.bearers.push((mail.clone(), person.number));
                let name = format!("{} {}", person.first, person.last);
                let text =
                    format!("Please find it attached.\n\nBest regards,\n{name}\nTel. {number}\ninfo@office{office}.example");
                self.say(&format!("mail-office-{office}-{desk}"), &mail, &name, "person", &text);
                for other in &staff {
                    self.out.pairs.push((PairKind::Switchboard, other.clone(), mail.clone()));
                }
                staff.push(mail);
            }
        }
    }

    /// Adds handles that belong to nobody in particular, such as roles and programs.
    fn roles(&mut self) {
        let rows: [(&str, &str, &str, &str, &str, &str); 6] = [
            ("matrix", "@support:acme.example", "Support", "email", "support@acme.example", "Support"),
            ("matrix", "@deploybot:acme.example", "deploybot", "email", "deploybot@acme.example", "Deploy Bot"),
            ("meeting", "Speaker 1", "Speaker 1", "whatsapp", "Speaker 1", "Speaker 1"),
            ("meeting", "Unknown", "Unknown", "simplex", "Unknown", "Unknown"),
            ("email", "noreply@acme.example", "Acme", "matrix", "@noreply:acme.example", "Acme"),
            ("email", "sales@acme.example", "Sales", "whatsapp", "Sales", "Sales"),
        ];
        for (index, (channel_a, a, name_a, channel_b, b, name_b)) in rows.into_iter().enumerate() {
            let (a, b) = (handle(channel_a, a), handle(channel_b, b));
            for (one, name) in [(&a, name_a), (&b, name_b)] {
                let bearer = self.next_person();
                self.out.bearers.push((one.clone(), bearer));
                self.say(
                    &format!("role-{index}-{}", one.channel),
                    one,
                    name,
                    "person",
                    "You can reach me at info@acme.example or +49 30 901820.",
                );
            }
            self.label(PairKind::Role, &a, &b);
        }
    }

    fn person(&mut self) -> Person {
        let number = self.next_person();
        Person { number, first: self.dice.pick(FIRST), last: self.dice.pick(LAST), word: self.word() }
    }

    fn next_person(&mut self) -> usize {
        self.person += 1;
        self.person
    }

    /// A word for an address, unique to this person.
    fn word(&mut self) -> String {
        format!("{}{}{}", self.dice.pick(SYLLABLES), self.dice.pick(SYLLABLES), self.person)
    }

    fn matrix(&mut self, person: &Person) -> Handle {
        handle("matrix", &format!("@{}:hs{}.example", person.word, self.dice.below(7)))
    }

    fn talk(&mut self, circle: &Circle) -> String {
        let word = circle.words[self.dice.below(3) as usize].clone();
        self.dice.pick(TALK).replace("{J}", &circle.project).replace("{K}", &word)
    }

    fn talk_plain(&mut self) -> String {
        self.dice.pick(TALK).replace("{J}", "the house").replace("{K}", "roof")
    }

    /// Sometimes obfuscates an address, as people do to hide it from machines.
    fn disguised(&mut self, address: &str) -> String {
        match self.dice.below(5) {
            0 => address.replace('@', " (at) ").replace('.', " (dot) "),
            1 => address.to_uppercase(),
            _ => address.to_owned(),
        }
    }

    fn phrase(&mut self, (known, held_out): Phrases) -> String {
        let from = match self.wording {
            Wording::Known => known,
            Wording::HeldOut => held_out,
        };
        self.dice.pick(from).to_owned()
    }

    fn label(&mut self, kind: PairKind, a: &Handle, b: &Handle) {
        self.out.pairs.push((kind, a.clone(), b.clone()));
    }

    fn say(&mut self, conversation: &str, by: &Handle, name: &str, role: &str, text: &str) {
        self.minute += 3 + self.dice.below(40);
        self.message += 1;
        let line = json!({
            "conversation": conversation,
            "channel_type": by.channel,
            "channel_id": conversation,
            "visibility": "private",
            "id": format!("m{}", self.message),
            "time": rfc3339(self.minute),
            "author": name,
            "author_handle": by.handle,
            "role": role,
            "text": text,
        });
        self.out.lines.push(line.to_string());
    }
}

fn handle(channel: &str, handle: &str) -> Handle {
    Handle { channel: channel.to_owned(), handle: handle.to_owned() }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The name with one of its letters "a", "e", "o" or "i" replaced with the Cyrillic look-alike.
fn look_alike(name: &str) -> String {
    ["a", "e", "o", "i"]
        .iter()
        .zip(["а", "е", "о", "і"])
        .find(|(latin, _)| name.contains(**latin))
        .map_or_else(|| name.to_owned(), |(latin, other)| name.replacen(latin, other, 1))
}

/// The time `minute` minutes after the start of 2026, in RFC 3339 format.
fn rfc3339(minute: u64) -> String {
    const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut days = minute / 1440;
    let year = 2026 + days / 365;
    days %= 365;
    let mut month = 0;
    while days >= DAYS[month] {
        days -= DAYS[month];
        month += 1;
    }
    let mut out = String::new();
    let _ = write!(out, "{year}-{:02}-{:02}T{:02}:{:02}:00Z", month + 1, days + 1, minute / 60 % 24, minute % 60);
    out
}

const FIRST: &[&str] = &[
    "Mara", "Jonas", "Ida", "Tomasz", "Adaeze", "Lena", "Ravi", "Inês", "Yuki", "Farid", "Noor", "Elif", "Bruno", "Clara",
    "Dario", "Edda", "Fynn", "Greta", "Hugo", "Iris", "Jana", "Karim", "Lotte", "Milan", "Nadia", "Oskar", "Paula", "Quentin",
    "Rosa", "Samir", "Tilda", "Ugo", "Vera", "Wanda", "Xenia", "Yann", "Zoe", "Anton", "Bela", "Carla",
];
const LAST: &[&str] = &[
    "Lind", "Berg", "Falk", "Ruiz", "Kaya", "Marsh", "Pohl", "Okafor", "Silva", "Nowak", "Haddad", "Larsen", "Moreau", "Fischer",
    "Costa", "Novak", "Tanaka", "Singh", "Keller", "Dubois", "Ferrari", "Jansen", "Kovacs", "Lopez", "Meyer", "Nilsson", "Orlov",
    "Petit", "Quist", "Romero", "Sato", "Torres", "Ulrich", "Vogel", "Weber", "Yilmaz", "Zeman", "Abel", "Brandt", "Castro",
];
const SYLLABLES: &[&str] = &[
    "ka", "lor", "mi", "ven", "to", "ras", "pel", "du", "nim", "gos", "fer", "zul", "bri", "qua", "hes", "wex", "jol", "tri",
    "sma", "ond",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_population_is_large_varied_and_repeats_by_seed() {
        let made = population(240, 1, Wording::Known);
        assert_eq!(made.lines, population(240, 1, Wording::Known).lines, "a seed decides everything");
        assert_ne!(made.lines, population(240, 2, Wording::Known).lines, "the seed matters");
        let mut people: Vec<usize> = made.bearers.iter().map(|(_, person)| *person).collect();
        people.sort_unstable();
        people.dedup();
        assert!(people.len() >= 200, "{} people", people.len());
        let mut channels: Vec<&str> = made.bearers.iter().map(|(handle, _)| handle.channel.as_str()).collect();
        channels.sort_unstable();
        channels.dedup();
        assert!(channels.len() >= 5, "{channels:?}");
        for kind in [PairKind::Email, PairKind::Phone, PairKind::Declared, PairKind::Name, PairKind::Terminology] {
            assert!(made.pairs.iter().filter(|(of, ..)| *of == kind).count() >= 10, "{kind:?}");
        }
        for (kind, a, b) in &made.pairs {
            let bearer = |handle: &Handle| made.bearers.iter().find(|(known, _)| known == handle).map(|(_, person)| *person);
            assert!(bearer(a).is_some() && bearer(b).is_some(), "{a:?} and {b:?} exist");
            assert_eq!(bearer(a) == bearer(b), kind.is_true(), "{kind:?} of {a:?} and {b:?}");
        }
        for phrases in [EMAIL, PHONE, MATRIX, SIMPLEX, OTHERS_EMAIL, OTHERS_HANDLE] {
            assert!(phrases.0.len() >= 12 && phrases.1.len() >= 12, "at least twelve wordings a kind");
        }
    }
}
