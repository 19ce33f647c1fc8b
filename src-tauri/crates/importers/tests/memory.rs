//! Tests that a file of any size is read within 256 MiB, for every format that is read as a stream or row by row. Runs in its
//! own process, because the kernel counts the memory of a process as a whole.
//!
//! By default, each file has a few megabytes, so that all are read in seconds. `make soak` gives each file the gigabyte for
//! which the limit is meant (`KEEPSAKE_HUGE_MB`), and `KEEPSAKE_HUGE_KIND` selects a single kind or file.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic, its set-up included")]
#![allow(clippy::print_stdout, reason = "the long form prints its figures")]

use std::path::Path;
use std::time::Instant;

use keepsake_domain::Timestamp;
use keepsake_importers::{ImportOptions, Read, Sink, Stop, read_path, sniff};
use keepsake_testkit::sources::{DATABASES, OTHERS, SOURCES};

/// The most memory that reading a file may take.
const AIM_MIB: u64 = 256;

/// The size of each file, unless the environment says otherwise.
const SIZE_MB: u64 = 6;

/// Approximate average size of a generated message with its frame.
const MESSAGE_BYTES: u64 = 350;

/// How many times smaller than the file the sample is that gives the real average, and the minimum number of messages in it.
const SAMPLE_PART: u64 = 100;
const SAMPLE_MIN: u64 = 2_000;

#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        self.0 += u64::from(matches!(read, Read::Message(_)));
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

fn size_of(path: &Path) -> u64 {
    let metadata = std::fs::metadata(path).unwrap();
    if !metadata.is_dir() {
        return metadata.len();
    }
    std::fs::read_dir(path).unwrap().map(|entry| size_of(&entry.unwrap().path())).sum()
}

/// Resets the peak memory. Without `/proc` nothing can be measured, and the files are only read.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib: u64 = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib / 1024)
}

#[test]
fn a_file_of_any_size_is_read_whole_and_within_its_memory() {
    let size = std::env::var("KEEPSAKE_HUGE_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(SIZE_MB) * 1_000_000;
    let only = std::env::var("KEEPSAKE_HUGE_KIND").ok();
    let sources = SOURCES.iter().chain(&OTHERS).chain(&DATABASES).enumerate();
    let wanted = sources.filter(|(_, source)| only.as_deref().is_none_or(|only| only == source.kind || only == source.name));
    for (at, source) in wanted {
        let folder = tempfile::tempdir().unwrap();
        // Frames differ in size, so a small sample shows how many messages are needed.
        let few = (size / MESSAGE_BYTES / SAMPLE_PART).max(SAMPLE_MIN);
        let sample = source.write(folder.path(), few as usize, at as u64).unwrap();
        let messages = few * size / size_of(&sample) + 1;
        std::fs::remove_dir_all(folder.path().join(source.kind)).unwrap();
        let path = source.write(folder.path(), messages as usize, at as u64).unwrap();
        assert_eq!(sniff(&path).unwrap().name(), source.kind);
        forget_peak();
        let began = Instant::now();
        let mut count = Count::default();
        let options = ImportOptions { me: source.me.map(str::to_owned), ..ImportOptions::new(Timestamp(1_767_225_600_000)) };
        let report = read_path(&path, &options, &mut count).unwrap();
        // Besides its messages, a file may have a line that says what it is.
        assert!(count.0 == messages && report.skipped <= 1, "{}: {} of {messages}", source.name, count.0);
        let Some(peak) = peak_mib() else { continue };
        let (megabytes, seconds) = (size_of(&path) / 1_000_000, began.elapsed().as_secs_f64());
        println!(
            "{:12} {:28} {megabytes:5} MB, {messages:8} messages in {seconds:6.1} s; peak memory {peak} MiB",
            source.kind, source.name
        );
        assert!(peak <= AIM_MIB, "{}: {peak} MiB", source.name);
    }
}
