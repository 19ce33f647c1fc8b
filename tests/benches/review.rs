//! `make bench`: measures the commands that the Review panel waits for, as the window sends them, with 10,000 pending memories.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;

use keepsake_api::{App, AppOptions, EmbedderSlot, FileAccess, dispatch};
use keepsake_domain::{
    Author, ChannelHandle, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use keepsake_engine::RandomIds;
use keepsake_models::fake::SentenceReader;
use keepsake_store::{AppendContext, Store};
use proposals::proposal;
use serde_json::{Value, json};

mod proposals;

const CANDIDATES: usize = 10_000;
const CONVERSATIONS: usize = 200;
const NOW: Timestamp = Timestamp(1_772_445_600_000);
/// Number of rows that the window requests first.
const FIRST_ROWS: usize = 200;
const ROUNDS: usize = 5;

fn message(index: usize) -> Message {
    let conversation = format!("c{}", index % CONVERSATIONS);
    Message {
        source: SourceRef { kind: SourceKind::Chatgpt, conversation: conversation.clone(), message: format!("m{index}") },
        conversation_title: Some(format!("Conversation {}", index % CONVERSATIONS)),
        channel_type: "chat".to_owned(),
        channel_id: conversation,
        visibility: Visibility::Private,
        is_private: false,
        time: NOW.plus_ms(index as i64 * 60_000),
        time_certainty: TimeCertainty::Exact,
        author: Author {
            name: "Mara".to_owned(),
            handle: ChannelHandle { channel: "chat".to_owned(), handle: "Mara".to_owned() },
            role: Role::Owner,
        },
        text: format!("I keep {index} stamps in a drawer and I would not sell them for any price."),
        message_type: MessageType::Text,
        tool: None,
        reply_to: None,
        is_branch: false,
        metadata: Metadata::new(),
    }
}

fn fill(store: &Store) -> Result<(), Box<dyn std::error::Error>> {
    let ids = RandomIds::default();
    let messages: Vec<Message> = (0..CANDIDATES).map(message).collect();
    store.write(|tx| tx.log().append(&messages, AppendContext { ids: &ids, now: NOW, import_id: None }))?;
    store.write(|tx| {
        for conversation in 0..CONVERSATIONS {
            let Some(id) = tx.log().conversation_by_source(&format!("c{conversation}"))? else { continue };
            for row in tx.log().conversation_interactions(&id)? {
                let content = row.content.replace("I keep", "User keeps");
                let Ok(proposal) = proposal(&row, content, &ids, NOW) else { continue };
                tx.memories().insert(&proposal)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// The median of several rounds, in milliseconds.
fn median_ms(mut work: impl FnMut() -> Result<Value, keepsake_api::ApiError>) -> Result<(f64, Value), keepsake_api::ApiError> {
    let mut times = Vec::new();
    let mut last = Value::Null;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        last = work()?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[ROUNDS / 2], last))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let options = AppOptions {
        data_dir: dir.path().join("data").into(),
        embedder: EmbedderSlot::none().with_reader(std::sync::Arc::new(SentenceReader)),
        file_access: FileAccess::Upload,
    };
    let app = App::open(options)?;
    fill(app.engine().store())?;
    let (list_ms, listed) = median_ms(|| dispatch(&app, "memories_list", json!({ "status": ["pending"] })))?;
    let items = listed["items"].as_array().cloned().unwrap_or_default();
    let bytes = serde_json::to_vec(&listed)?.len();
    println!("review: list of {} candidates in {list_ms:.0} ms ({:.1} MB of JSON)", items.len(), bytes as f64 / 1e6);
    let first = json!({ "status": ["pending"], "limit": FIRST_ROWS, "without_facets": true });
    let (first_ms, _) = median_ms(|| dispatch(&app, "memories_list", first.clone()))?;
    let (status_ms, _) = median_ms(|| dispatch(&app, "app_status", json!({})))?;
    println!("review: first {FIRST_ROWS} of them in {first_ms:.0} ms; the counts of the frame in {status_ms:.1} ms");
    let mut next = items.iter().filter_map(|item| item["id"].as_str());
    let mut one = |name: &str| {
        let id = next.next().unwrap_or_default();
        match name {
            "memory_get" => dispatch(&app, name, json!({ "id": id })),
            _ => dispatch(&app, name, json!({ "action": "approve", "ids": [id] })),
        }
    };
    let (get_ms, _) = median_ms(|| one("memory_get"))?;
    let (approve_ms, _) = median_ms(|| one("memory_decide"))?;
    let (undo_ms, _) = median_ms(|| dispatch(&app, "undo", json!({})))?;
    println!(
        "review: one candidate in full {get_ms:.1} ms, approve one {approve_ms:.1} ms, undo {undo_ms:.1} ms (durable, medians of {ROUNDS})"
    );
    let thousand: Vec<&str> = items.iter().rev().take(1_000).filter_map(|item| item["id"].as_str()).collect();
    let started = Instant::now();
    dispatch(&app, "memory_decide", json!({ "action": "approve", "ids": thousand }))?;
    println!("review: approve {} at once {:.0} ms", thousand.len(), started.elapsed().as_secs_f64() * 1e3);
    Ok(())
}
