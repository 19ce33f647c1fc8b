//! Measures reading speed without the store: `cargo run --release -p keepsake-importers --example read_export -- FILE`. `--
//! generate FILE MIB` writes a test file.

use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use keepsake_domain::Timestamp;
use keepsake_importers::{ImportOptions, Read, Sink, Stop, read_path};
use keepsake_testkit::exports::write_chatgpt_export;

/// Approximate size of a generated conversation with 40 messages.
const CONVERSATION_BYTES: usize = 40_000;

#[derive(Default)]
struct Count {
    messages: u64,
    text_bytes: u64,
}

impl Sink for Count {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        if let Read::Message(message) = read {
            self.messages += 1;
            self.text_bytes += message.text.len() as u64;
        }
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["generate", file, mib] => {
            let conversations = mib.parse::<usize>()? * 1024 * 1024 / CONVERSATION_BYTES;
            let bytes = write_chatgpt_export(&mut BufWriter::new(std::fs::File::create(file)?), conversations, 40, 1)?;
            writeln!(out, "{bytes} bytes, {conversations} conversations")?;
        }
        [file] => {
            let mut count = Count::default();
            let begin = Instant::now();
            let report = read_path(Path::new(file), &ImportOptions::new(Timestamp(0)), &mut count)?;
            let seconds = begin.elapsed().as_secs_f64();
            let mib = std::fs::metadata(file)?.len() as f64 / 1024.0 / 1024.0;
            writeln!(out, "{report:?}")?;
            writeln!(
                out,
                "{} messages, {} MiB of text in {seconds:.2} s: {:.0} messages/s, {:.0} MiB/s",
                count.messages,
                count.text_bytes >> 20,
                count.messages as f64 / seconds,
                mib / seconds
            )?;
        }
        _ => return Err("give FILE, or generate FILE MIB".into()),
    }
    Ok(())
}
