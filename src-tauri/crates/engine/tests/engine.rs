//! Tests of the engine with a real store in a temporary folder, a fixed clock and fixed ids. The only model is the hashing
//! one, and only tests about threads use threads.
#![allow(clippy::unwrap_used)]

#[path = "engine/agents.rs"]
mod agents;
#[path = "engine/analysis.rs"]
mod analysis;
#[path = "engine/backup.rs"]
mod backup;
#[path = "engine/capture.rs"]
mod capture;
#[path = "engine/changes.rs"]
mod changes;
#[path = "engine/charts.rs"]
mod charts;
#[path = "engine/choices.rs"]
mod choices;
#[path = "engine/conversation_status.rs"]
mod conversation_status;
#[path = "engine/corrections.rs"]
mod corrections;
#[path = "engine/echo.rs"]
mod echo;
#[path = "engine/erasure.rs"]
mod erasure;
#[path = "engine/fixture.rs"]
mod fixture;
#[path = "engine/forgotten.rs"]
mod forgotten;
#[path = "engine/gaps.rs"]
mod gaps;
#[path = "engine/import.rs"]
mod import;
#[path = "engine/judged.rs"]
mod judged;
#[path = "engine/links.rs"]
mod links;
#[path = "engine/live.rs"]
mod live;
#[path = "engine/live_sources.rs"]
mod live_sources;
#[path = "engine/maintenance.rs"]
mod maintenance;
#[path = "engine/members.rs"]
mod members;
#[path = "engine/namesakes.rs"]
mod namesakes;
#[path = "engine/new_channels.rs"]
mod new_channels;
#[path = "engine/playbooks.rs"]
mod playbooks;
#[path = "engine/playbooks_webhook.rs"]
mod playbooks_webhook;
#[path = "engine/privacy.rs"]
mod privacy;
#[path = "engine/profiles.rs"]
mod profiles;
#[path = "engine/queue.rs"]
mod queue;
#[path = "engine/reader_slot.rs"]
mod reader_slot;
#[path = "engine/reflection.rs"]
mod reflection;
#[path = "engine/remember.rs"]
mod remember;
#[path = "engine/review.rs"]
mod review;
#[path = "engine/sample.rs"]
mod sample;
#[path = "engine/search.rs"]
mod search;
#[path = "engine/served.rs"]
mod served;
#[path = "engine/sessions.rs"]
mod sessions;
#[path = "engine/topics.rs"]
mod topics;
#[path = "engine/unidentified_speakers.rs"]
mod unidentified_speakers;
#[path = "engine/watched.rs"]
mod watched;
#[path = "engine/year.rs"]
mod year;
