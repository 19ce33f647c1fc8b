//! No sensitive value known to the scrubber leaves this computer: more than two thousand planted values are sent through every
//! prompt, and searched for in all log output and in every byte that a recording server received.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::AhoCorasick;
use keepsake_domain::{Engines, Message, SourceKind};
use keepsake_engine::SessionRules;
use keepsake_testkit::Conversation;
use keepsake_testkit::scripted_server::{Answer, ScriptedServer};
use tracing_subscriber::fmt::MakeWriter;

use super::Desk;
use super::yes::{Claim, purpose, reply};

/// Number of planted values of each kind. Together there are more than two thousand.
const PER_KIND: u32 = 350;

/// A planted value. `digits` is set if its digits would be enough to reveal it.
struct Canary {
    text: String,
    digits: Option<String>,
}

fn luhn(body: &str) -> String {
    let sum: u32 = body
        .chars()
        .rev()
        .filter_map(|c| c.to_digit(10))
        .enumerate()
        .map(|(n, digit)| if n % 2 == 0 { (digit * 2) / 10 + (digit * 2) % 10 } else { digit })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

fn iban(n: u32) -> String {
    let account = format!("{:010}", 1_000_003_u64 * u64::from(n + 7));
    let bban = format!("37040044{account}");
    // "DE00" as digits after the account number: D is 13, E is 14.
    let number: u128 = format!("{bban}131400").parse().unwrap();
    format!("DE{:02}{bban}", 98 - number % 97)
}

fn canaries() -> Vec<Canary> {
    let mut out = Vec::new();
    let mut plant = |text: String, has_digits: bool| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        out.push(Canary { digits: (has_digits && digits.len() >= 8).then_some(digits), text });
    };
    for n in 0..PER_KIND {
        plant(format!("zq{n}.planted+{n}@mail{}.example.org", n % 7), false);
        plant(format!("+49 151 {:08}", 23_000_000 + n * 7_919), true);
        plant(format!("${},{:03}.{:02}", 1_000 + n, (n * 37) % 1_000, n % 100), false);
        plant(iban(n), true);
        plant(luhn(&format!("4539{:011}", 61_000_000_u64 + u64::from(n) * 104_729)), true);
        plant(format!("sk-proj-Zq{n:04}{}", "Ab3dEf7hIj9kLm2nOp5qRs8t"), false);
    }
    out
}

/// All kinds of conversations: a chat, a meeting in one pass, a meeting in parts. The values occur in texts and in names of
/// speakers.
fn conversations(canaries: &[Canary]) -> Vec<Vec<Message>> {
    let mut out = Vec::new();
    let line = |canary: &Canary| format!("I review every change twice because {} was once paid twice.", canary.text);
    for (n, chunk) in canaries.chunks(60).enumerate() {
        let mut lines = String::new();
        for (m, canary) in chunk.iter().enumerate() {
            writeln!(lines, "owner Mara: {}", line(canary)).unwrap();
            if m % 3 == 0 {
                writeln!(lines, "assistant {}: Noted: {}", canary.text.replace(' ', ""), canary.text).unwrap();
            }
            if m % 4 == 0 {
                writeln!(lines, "person {}: I wrote it down as {}", canary.text.replace(' ', ""), canary.text).unwrap();
            }
        }
        // A single agent, whose session with Mara is summarized. Agents named after a value are on the skip list.
        lines.push_str("owner Mara: That is all of it.\nassistant Nova: Noted.\n");
        let kind = if n % 2 == 0 { SourceKind::KeepsakeJsonl } else { SourceKind::Transcript };
        let channel = if n % 2 == 0 { "chat" } else { "meeting" };
        out.push(Conversation::new(&format!("c{n}")).source(kind).channel(channel, "room").title("Mara").messages(&lines));
    }
    // Too long for one pass, so it is processed as observations, which are then reduced.
    let filler = "We went through the open points and agreed on who writes which part of it until the next time. ".repeat(6);
    let mut lines = String::new();
    for canary in canaries.iter().step_by(5) {
        writeln!(lines, "owner Mara: {} {filler}", line(canary)).unwrap();
    }
    out.push(Conversation::new("long").source(SourceKind::Transcript).channel("meeting", "room").messages(&lines));
    out
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Searches for all values at the same time, in every form in which text can be sent.
struct Search<'c> {
    canaries: &'c [Canary],
    forms: AhoCorasick,
    /// The canary that each form belongs to.
    form_of: Vec<usize>,
    digits: AhoCorasick,
    digits_of: Vec<usize>,
}

impl<'c> Search<'c> {
    fn new(canaries: &'c [Canary]) -> Self {
        let url = |text: &str| -> String {
            let escaped = |b: u8| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") };
            text.bytes().map(escaped).collect()
        };
        let (mut forms, mut form_of, mut digits, mut digits_of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, canary) in canaries.iter().enumerate() {
            forms.extend([canary.text.clone(), url(&canary.text), base64(canary.text.as_bytes())]);
            form_of.extend([at; 3]);
            if let Some(number) = &canary.digits {
                digits.push(number.clone());
                digits_of.push(at);
            }
        }
        let build = |patterns| AhoCorasick::new(patterns).expect("planted values are few and short");
        Self { canaries, forms: build(forms), form_of, digits: build(digits), digits_of }
    }

    /// The canaries in a text.
    fn found(&self, text: &str) -> BTreeSet<&'c str> {
        let digits: String = text.chars().filter(|c| !c.is_ascii_whitespace() && *c != '-' && *c != '.').collect();
        let by_form = self.forms.find_overlapping_iter(text).map(|found| self.form_of[found.pattern().as_usize()]);
        let by_digits = self.digits.find_overlapping_iter(&digits).map(|found| self.digits_of[found.pattern().as_usize()]);
        by_form.chain(by_digits).map(|at| self.canaries[at].text.as_str()).collect()
    }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bytes
        .chunks_exact(3)
        .flat_map(|three| {
            let word = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
            [18, 12, 6, 0].map(|shift| char::from(ALPHABET[(word >> shift & 63) as usize]))
        })
        .collect()
}

#[test]
fn of_two_thousand_planted_values_none_reaches_a_model_or_a_log_by_any_prompt() {
    let canaries = canaries();
    assert!(canaries.len() >= 2_000, "{}", canaries.len());
    let claims = vec![Claim {
        words: "I review every change twice",
        quote: "I review every change twice",
        content: "User reviews every change twice",
        category: "preference",
    }];
    let server = ScriptedServer::start(move |request| Answer::Text(reply(request, &claims)));
    let log = Log::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).with_ansi(false).finish();
    // With only one dispatcher, the first thread that reaches a log statement decides whether it is enabled; if that thread
    // belongs to another test, the statement stays disabled.
    let _another = tracing::Dispatch::new(tracing_subscriber::registry());
    let mut sent = BTreeMap::<&str, usize>::new();
    tracing::subscriber::with_default(subscriber, || {
        let desk = Desk::with(&server, Arc::new(keepsake_engine::PluggedIn), |settings| {
            settings.engines = Engines::Both;
            settings.reply_timeout_ms = 60_000;
        });
        let named = canaries.iter().map(|canary| canary.text.replace(' ', "")).collect();
        let mut ended = Vec::new();
        desk.engine.sessions().set_rules(&SessionRules { skip_agents: named, goal_agents: Vec::new() }).unwrap();
        for messages in conversations(&canaries) {
            let id = desk.append(&messages);
            ended.push(id.clone());
            desk.work();
            desk.engine.conversations().queue_analysis(&id, true).unwrap();
            desk.work();
            // A few more messages, as from a live channel.
            let more = Conversation::new(&messages[0].source.conversation)
                .source(messages[0].source.kind)
                .channel(&messages[0].channel_type, &messages[0].channel_id)
                .messages(&format!("owner Mara: I review mail to {} twice.", canaries[0].text));
            let mut more = more;
            more[0].source.message = "later".to_owned();
            more[0].time = messages[messages.len() - 1].time.plus_ms(60_000);
            desk.append(&more);
            desk.work();
        }
        desk.clock.advance_ms(86_400_000);
        desk.engine.topics().queue().unwrap();
        desk.work();
        for id in ended {
            desk.engine.sessions().end(&id, "person").unwrap();
        }
        desk.work();
        let provider = desk.engine.models().settings().unwrap().provider.unwrap();
        desk.engine.models().try_model(&provider).unwrap();
        assert!(desk.alerts().is_empty(), "{:?}", desk.alerts());
        let (_, calls) = desk.engine.store().read(|tx| tx.model_calls().list(false, 0, 10_000)).unwrap();
        let first = Search::new(&canaries[..60]);
        assert!(calls.iter().all(|call| first.found(&call.request).is_empty()), "the list shows what was sent");
    });
    let search = Search::new(&canaries);
    for request in server.received() {
        *sent.entry(purpose(&request)).or_default() += 1;
        let text = format!("{}{}", String::from_utf8_lossy(&request.head), String::from_utf8_lossy(&request.body));
        assert_eq!(search.found(&text), BTreeSet::new(), "in a request for {}", purpose(&request));
    }
    for prompt in ["reading", "facts", "judge", "judge_facts", "observe", "reduce", "analysis", "topic", "session"] {
        assert!(sent.get(prompt).copied().unwrap_or(0) > 0, "every prompt was sent: {sent:?}");
    }
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(!logged.is_empty(), "something is logged at this level");
    assert_eq!(search.found(&logged), BTreeSet::new(), "in the log");
    assert!(!logged.contains("was once paid twice"), "no message text in the log");
}

#[test]
fn the_search_for_planted_values_finds_them_in_every_form() {
    let canaries = canaries();
    let search = Search::new(&canaries);
    let phone = canaries.iter().find(|canary| canary.text.starts_with('+')).unwrap();
    let check = |text: &str| assert!(!search.found(text).is_empty(), "{text}");
    check(&format!("call {}", phone.text));
    check(&phone.text.replace(' ', ""));
    check(&phone.text.replace(' ', "-"));
    check(&format!("q={}", canaries[0].text.replace('+', "%2B").replace('@', "%40").replace('.', "%2E")));
    check(&format!("data:{}", base64(canaries[0].text.as_bytes())));
}
