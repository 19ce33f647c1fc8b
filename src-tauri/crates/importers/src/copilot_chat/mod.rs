//! Copilot Chat sessions of VS Code: an object with a list of requests ("Chat: Export Chat…", and `chatSessions/*.json`), or a log of
//! changes to such an object (`chatSessions/*.jsonl`; see `log`).
//!
//! A request contains the prompt and its response, which is a list of pieces: text, reasoning, tool calls, and much that only
//! controls the display. Attached files, including those attached by the program itself, are not the person's words. For
//! formats and pitfalls, see docs/formats.md, "Copilot Chat".

mod log;
mod request;
mod response;

use std::io::BufRead;

use keepsake_domain::SourceKind;

use crate::SkipReason;
use crate::conversation::Program;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{StandIns, digest};
use crate::json::{Loose, Step, Walk, record};
use crate::out::Out;
use crate::time::from_unix;
use crate::turns::{Shown, Talk, Turns};
use request::Request;

/// A session as an object.
pub(crate) const SESSION: Format = Format {
    kind: SourceKind::CopilotChat,
    names_owner: true,
    input: Input::Document { claims: claims_session, check: Check::Json, read: read_session },
};

/// A session as a log of changes.
pub(crate) const LOG: Format = Format {
    kind: SourceKind::CopilotChat,
    names_owner: true,
    input: Input::Document { claims: claims_log, check: Check::JsonLines, read: read_log },
};

const PROGRAM: Program = Program { kind: SourceKind::CopilotChat, name: "GitHub Copilot", handle: "copilot" };

fn claims_session(head: &Head<'_>) -> bool {
    let has = |path: &str| head.outline.has(path);
    let marks = ["responderUsername", "requests[].requestId", "requests[].variableData"];
    has("requests[].message") && marks.iter().any(|mark| has(mark)) && (has("requests[].message.text") || has("responderUsername"))
        // A session in which nothing has been asked yet.
        || head.outline.has_all(&["requests", "responderUsername", "initialLocation"])
}

fn claims_log(head: &Head<'_>) -> bool {
    let is_session = ["v.sessionId", "v.responderUsername", "v.initialLocation"].iter().any(|path| head.outline.has(path));
    head.outline.has_all(&["kind", "v.requests"]) && is_session
}

/// What is known about a session besides its requests.
#[derive(Default)]
struct About {
    id: Option<String>,
    title: Option<String>,
    created: Option<f64>,
    requester: Option<String>,
    responder: Option<String>,
}

impl About {
    /// Records a field of the session.
    fn learn(&mut self, field: &str, bytes: &[u8]) {
        let mut mended = String::new();
        let Some(value) = record::<Loose<'_>>(bytes, &mut mended) else { return };
        let text = value.text().map(str::to_owned);
        match field {
            "sessionId" => self.id = text,
            "customTitle" => self.title = text,
            "creationDate" => self.created = value.number(),
            "requesterUsername" => self.requester = text,
            "responderUsername" => self.responder = text,
            _ => {}
        }
    }
}

/// The session that is being read.
#[derive(Default)]
struct Session {
    about: About,
    turns: Turns,
    stand_ins: StandIns,
    first: Option<String>,
    has_requests: bool,
}

impl Session {
    fn request(&mut self, request: &Request, out: &mut Out<'_>) {
        self.has_requests = true;
        let previous = self.turns.last_shown();
        let Some((prompt, answer)) = request.turns(&self.about, previous, &mut self.stand_ins, out) else { return };
        self.first.get_or_insert_with(|| prompt.id.clone());
        self.turns.push(prompt, out);
        if let Some(answer) = answer {
            self.turns.push(answer, out);
        }
    }

    fn tell(self, out: &mut Out<'_>) -> Result<(), Halt> {
        if !self.has_requests {
            out.skip(SkipReason::NoMessages, self.about.title.as_deref().unwrap_or("a session without title"));
            return Ok(());
        }
        let talk = Talk {
            program: &PROGRAM,
            // An exported session has no id of its own.
            id: self.about.id.unwrap_or_else(|| format!("h-{}", digest(&[self.first.as_deref().unwrap_or_default()]))),
            title: self.about.title,
            channel_id: None,
            is_private: false,
            begun: self.about.created.and_then(from_unix),
            shown: Shown::Unmarked,
        };
        talk.tell(self.turns, out)
    }
}

fn read_session(input: &mut dyn BufRead, _site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, &["", "requests"]);
    let mut session = Session::default();
    while let Some(step) = walk.next()? {
        match step {
            Step::Value("requests[]", bytes) => {
                let mut mended = String::new();
                match Request::of(bytes, &mut mended) {
                    Some(request) => session.request(&request, out),
                    None => {
                        session.has_requests = true;
                        out.skip_bytes(SkipReason::Malformed, bytes);
                    }
                }
            }
            Step::Value(field, bytes) => session.about.learn(field, bytes),
            Step::TooLarge("requests[]", head) => {
                session.has_requests = true;
                out.skip_bytes(SkipReason::TooLarge, head);
            }
            Step::TooLarge(..) | Step::Begin(_) | Step::End(_) => {}
        }
        out.progress(walk.bytes_done())?;
    }
    session.tell(out)
}

fn read_log(input: &mut dyn BufRead, _site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let replayed = log::replay(input, out)?;
    let mut session = Session { about: replayed.about, ..Session::default() };
    for request in replayed.requests {
        match request {
            Some(request) => session.request(&request, out),
            None => {
                session.has_requests = true;
                out.skip(SkipReason::Malformed, "a request");
            }
        }
    }
    session.tell(out)
}
