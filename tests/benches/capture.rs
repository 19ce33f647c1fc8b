//! `make bench`: measures the scrubber in MB/s, and the reader in messages/s and memory, on realistic text.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;

use keepsake_capture::scrub::{ScrubConfig, ScrubSession, Scrubber};
use keepsake_capture::{Conversation, Turn, is_read, propose_read};
use keepsake_domain::{Message, Offer, Timestamp};
use keepsake_engine::{Unwatched, readings};
use keepsake_importers::{ImportOptions, Read, Sink, Stop, read_path};
use keepsake_models::{default_model_dir, open_reader};
use keepsake_testkit::exports::write_chatgpt_export;

const CONVERSATIONS: usize = 500;
const MESSAGES_EACH: usize = 40;

/// Number of conversations for the reader: a few seconds of work.
const READ_CONVERSATIONS: usize = 60;

/// One in this many messages contains something sensitive, as in a busy person's mail.
const SENSITIVE_EVERY: usize = 12;

const SENSITIVE: [&str; 6] = [
    "Write to mara.lind@example.org or call +44 7700 900123 after six.",
    "The IBAN is DE89 3704 0044 0532 0130 00 and I paid 1.250,00 € on Friday.",
    "Card 4111 1111 1111 1111, expires 09/28.",
    "export API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
    "My number is 0151 23456789, my password is hunter2-Porto!",
    "Transfer $12,500 to account 12345678, sort code 20-00-00.",
];

#[derive(Default)]
struct Taken(Vec<Message>);

impl Sink for Taken {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        if let Read::Message(message) = read {
            self.0.push(message);
        }
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

fn messages() -> Result<Vec<Message>, Box<dyn std::error::Error>> {
    let file = tempfile::NamedTempFile::with_suffix(".json")?;
    write_chatgpt_export(&mut std::io::BufWriter::new(file.as_file()), CONVERSATIONS, MESSAGES_EACH, 7)?;
    let mut taken = Taken::default();
    read_path(file.path(), &ImportOptions::new(Timestamp(0)), &mut taken)?;
    Ok(taken.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let messages = messages()?;
    scrub(&messages)?;
    read(&messages)
}

/// Scrubs all messages in one session, one message at a time as the queue does.
fn scrub(messages: &[Message]) -> Result<(), Box<dyn std::error::Error>> {
    let scrubber = Scrubber::new(&ScrubConfig::default())?;
    let texts: Vec<String> = messages
        .iter()
        .enumerate()
        .map(|(index, message)| match index % SENSITIVE_EVERY {
            0 => format!("{} {}", message.text, SENSITIVE[index / SENSITIVE_EVERY % SENSITIVE.len()]),
            _ => message.text.clone(),
        })
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut session = ScrubSession::new();
    let started = Instant::now();
    let masked: usize = texts.iter().map(|text| scrubber.scrub_in(&mut session, text).masked().len()).sum();
    let mb_s = bytes as f64 / 1e6 / started.elapsed().as_secs_f64();
    println!("scrub: {mb_s:.0} MB/s over {:.1} MB of chat, {masked} places masked (aim: 20)", bytes as f64 / 1e6);
    Ok(())
}

/// Counts only the messages that the reader reads, which are those written by a person. The assistant's messages are only
/// context.
fn read(messages: &[Message]) -> Result<(), Box<dyn std::error::Error>> {
    let reader = open_reader(&default_model_dir(|name| std::env::var_os(name)))?;
    let (mut found, mut count) = (0, 0);
    let started = Instant::now();
    for conversation in messages.chunk_by(|a, b| a.source.conversation == b.source.conversation).take(READ_CONVERSATIONS) {
        let turns: Vec<Turn<'_>> = conversation
            .iter()
            .map(|message| Turn {
                id: &message.source.message,
                role: message.author.role,
                author: &message.author.name,
                speaker: &message.author.handle.handle,
                text: &message.text,
                time: message.time,
                message_type: message.message_type,
                is_branch: message.is_branch,
                thread: "",
            })
            .collect();
        count += turns.iter().filter(|turn| is_read(turn)).count();
        let readings = readings(&reader, &turns, &Unwatched)?;
        found +=
            propose_read(&Conversation { turns: &turns, owner_name: None, assistant_name: None }, &readings, Offer::default())
                .candidates
                .len();
    }
    let per_s = count as f64 / started.elapsed().as_secs_f64();
    println!("read: {per_s:.0} messages/s, {count} messages, {found} candidates (aim: 150 on two cores)");
    if let Some(peak) = peak_mb() {
        println!("read: {peak} MB of memory at most (aim: 500)");
    }
    Ok(())
}

/// Peak memory of this process in MB, if the system reports it.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}
