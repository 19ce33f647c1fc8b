//! Tests of the store's guarantees. Each test has a control that shows that the test can fail.

// Tests may panic; the library may not.
#![allow(clippy::unwrap_used)]

#[path = "store/append.rs"]
mod append;
#[path = "store/attacks.rs"]
mod attacks;
#[path = "store/backup.rs"]
mod backup;
#[path = "store/bench.rs"]
mod bench;
#[path = "store/chain.rs"]
mod chain;
#[path = "store/concurrency.rs"]
mod concurrency;
#[path = "store/erase.rs"]
mod erase;
#[path = "store/export.rs"]
mod export;
#[path = "store/feed.rs"]
mod feed;
#[path = "store/gaps.rs"]
mod gaps;
#[path = "store/jobs.rs"]
mod jobs;
#[path = "store/jobs_model.rs"]
mod jobs_model;
#[path = "store/memories.rs"]
mod memories;
#[path = "store/open.rs"]
mod open;
#[path = "store/operations.rs"]
mod operations;
#[path = "store/private_time.rs"]
mod private_time;
#[path = "store/profiles.rs"]
mod profiles;
#[path = "store/search.rs"]
mod search;
#[path = "store/subjects.rs"]
mod subjects;
#[path = "store/undo_import.rs"]
mod undo_import;
#[path = "store/unidentified_speakers.rs"]
mod unidentified_speakers;
