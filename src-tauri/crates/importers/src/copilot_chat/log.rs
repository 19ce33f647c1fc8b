//! Replays the change log in which newer versions of VS Code store a session: first the whole session, then each value that was
//! set, appended or deleted, with a path such as `["requests", 0, "response"]`.
//!
//! Only the fields that are read are kept. A change within a value that is kept whole is applied to that value.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::About;
use super::request::{RESPONSE, RESULT, Request};
use crate::SkipReason;
use crate::halt::Halt;
use crate::json::{Entries, Items, Loose, parse_mending, record};
use crate::limits::{METADATA_BYTES_MAX, NODES_MAX, REGROUP_BYTES_MAX};
use crate::lines::each_record;
use crate::out::Out;

/// The list of requests.
const REQUESTS: &str = "requests";

/// The kinds of changes.
const INITIAL: i64 = 0;
const SET: i64 = 1;
const APPEND: i64 = 2;
const DELETE: i64 = 3;

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow, default)]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    k: Option<&'a RawValue>,
    #[serde(borrow, default)]
    v: Option<&'a RawValue>,
    #[serde(borrow, default)]
    i: Loose<'a>,
}

/// A step of a path.
enum Key {
    Name(String),
    Index(usize),
}

/// A session in its state at the end of the log.
#[derive(Default)]
pub(super) struct Replayed {
    pub(super) about: About,
    /// The requests; `None` for one that could not be read.
    pub(super) requests: Vec<Option<Request>>,
    /// The approximate memory use of the requests, never underestimated.
    held: usize,
    /// Whether the limit was reached and nothing more is accepted.
    is_full: bool,
}

/// Replays a log.
pub(super) fn replay(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<Replayed, Halt> {
    let mut session = Replayed::default();
    each_record(input, out, |bytes, out| {
        let mut mended = String::new();
        match record::<Entry<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) {
            Some(entry) => session.apply(&entry, out),
            None => out.skip_bytes(SkipReason::Malformed, bytes),
        }
        Ok(())
    })?;
    Ok(session)
}

impl Replayed {
    fn apply(&mut self, entry: &Entry<'_>, out: &mut Out<'_>) {
        let Loose::Int(kind) = entry.kind else { return };
        let json = entry.v.map_or("null", RawValue::get);
        if kind == INITIAL {
            *self = Self { held: json.len(), ..Self::default() };
            let Ok(Entries(fields)) = serde_json::from_str(json) else { return };
            for (field, raw) in fields {
                match field.as_str() {
                    REQUESTS => self.append(Some(raw), Some(0), out),
                    field => self.about.learn(field, raw.get().as_bytes()),
                }
            }
            return;
        }
        if !self.has_room(json.len()) {
            out.skip(SkipReason::TooLarge, json);
            return;
        }
        let path = path_of(entry.k);
        let from = entry.i.number().map(|at| at as usize);
        match path.as_slice() {
            [Key::Name(field)] if field == REQUESTS && kind == APPEND => self.append(entry.v, from, out),
            [Key::Name(field)] if field == REQUESTS && kind == SET => self.append(entry.v, Some(0), out),
            [Key::Name(field)] if matches!(kind, SET | DELETE) => self.about.learn(field, json.as_bytes()),
            [Key::Name(field), Key::Index(at)] if field == REQUESTS && kind == SET => {
                if let Some(request) = self.requests.get_mut(*at) {
                    *request = Request::of(json.as_bytes(), &mut String::new());
                }
            }
            [Key::Name(list), Key::Index(at), Key::Name(field), rest @ ..] if list == REQUESTS => {
                if let Some(Some(request)) = self.requests.get_mut(*at) {
                    change(request, field, rest, kind, entry.v, from);
                }
            }
            _ => {}
        }
    }

    /// Whether a change of this size fits into memory.
    fn has_room(&mut self, bytes: usize) -> bool {
        self.held += bytes;
        if self.held > REGROUP_BYTES_MAX && !self.is_full {
            // Most changes replace something, so the requests take less memory than the sum of the changes.
            self.held = self.requests.iter().flatten().map(Request::weight).sum::<usize>() + bytes;
            self.is_full = self.held > REGROUP_BYTES_MAX;
        }
        !self.is_full
    }

    /// Appends requests after the first `from` requests, or after all of them.
    fn append(&mut self, list: Option<&RawValue>, from: Option<usize>, out: &mut Out<'_>) {
        if let Some(from) = from {
            self.requests.truncate(from);
        }
        for raw in Items::of(list).0 {
            if self.requests.len() >= NODES_MAX {
                out.skip(SkipReason::TooLarge, raw.get());
            } else {
                self.requests.push(Request::of(raw.get().as_bytes(), &mut String::new()));
            }
        }
    }
}

/// Changes a field of a request, or a value within it.
fn change(request: &mut Request, field: &str, rest: &[Key], kind: i64, value: Option<&RawValue>, from: Option<usize>) {
    let json = value.map_or("null", RawValue::get);
    match rest {
        [] if kind == APPEND && field == RESPONSE => {
            if let Some(from) = from {
                request.response.truncate(from);
            }
            let room = NODES_MAX.saturating_sub(request.response.len());
            request.response.extend(Items::of(value).0.into_iter().take(room).map(|raw| raw.get().to_owned()));
        }
        [] if kind != APPEND => request.set(field, json),
        [Key::Index(at)] if field == RESPONSE && kind == SET => {
            if let Some(piece) = request.response.get_mut(*at) {
                json.clone_into(piece);
            }
        }
        [Key::Index(at), within @ ..] if field == RESPONSE => {
            if let Some(piece) = request.response.get_mut(*at) {
                change_within(piece, within, kind, json, from);
            }
        }
        // The kept part of a result is no longer JSON.
        _ if field == RESULT => {}
        within => {
            if let Some(kept) = request.fields.get_mut(field) {
                change_within(kept, within, kind, json, from);
            }
        }
    }
}

/// Changes a value within a JSON value. A JSON value that is too large to be parsed is left unchanged.
fn change_within(kept: &mut String, path: &[Key], kind: i64, json: &str, from: Option<usize>) {
    let is_small = kept.len() <= METADATA_BYTES_MAX && json.len() <= METADATA_BYTES_MAX;
    let (Some(mut root), Some(value)) = (is_small.then(|| parse_mending::<Value>(kept)).flatten(), parse_mending::<Value>(json))
    else {
        return;
    };
    let Some((last, way)) = path.split_last() else { return };
    let mut at = &mut root;
    for key in way {
        let next = match key {
            Key::Name(name) => at.get_mut(name.as_str()),
            Key::Index(index) => at.get_mut(*index),
        };
        match next {
            Some(next) => at = next,
            None => return,
        }
    }
    let place = match (last, at) {
        (Key::Name(name), Value::Object(map)) => map.entry(name.as_str()).or_insert(Value::Null),
        (Key::Index(index), Value::Array(list)) => match list.get_mut(*index) {
            Some(place) => place,
            None => return,
        },
        _ => return,
    };
    match (kind, value) {
        (APPEND, value) => {
            if !place.is_array() {
                *place = Value::Array(Vec::new());
            }
            if let (Value::Array(list), Value::Array(more)) = (place, value) {
                list.truncate(from.unwrap_or(list.len()));
                list.extend(more);
            }
        }
        (_, value) => *place = value,
    }
    *kept = root.to_string();
}

fn path_of(raw: Option<&RawValue>) -> Vec<Key> {
    let keys = Items::of(raw).0.into_iter().filter_map(|raw| match serde_json::from_str::<Loose<'_>>(raw.get()).ok()? {
        Loose::Text(name) => Some(Key::Name(name.into_owned())),
        Loose::Int(at) => usize::try_from(at).ok().map(Key::Index),
        _ => None,
    });
    keys.collect()
}
