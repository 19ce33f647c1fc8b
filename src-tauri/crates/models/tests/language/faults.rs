//! Failing calls: each fault either becomes the matching error, or the bad text is passed on for the gates to reject.

use std::sync::atomic::Ordering;

use keepsake_models::language::{CallError, ChatRequest, LanguageModel, Reach, Shape, Unwatched};
use keepsake_prompt::reply::{REPLY_BYTES_MAX, parse};
use keepsake_testkit::scripted_server::{Answer, Fault, HUGE_BYTES, REFUSAL, RETRY_AFTER_S, ScriptedServer};
use serde::Deserialize;

use crate::support::{GOOD, SHAPES, Switch, ask, ask_watched, client, connect, prompt};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Reply {
    facts: Vec<Fact>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Fact {
    content: String,
    confidence: f64,
    kind: Kind,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Fact,
    Story,
}

/// The expected result of a call with `fault`: the error, or `None` if the bad text is passed on.
fn expected(fault: Fault, shape: Shape, origin: &str) -> Option<CallError> {
    let origin = origin.to_owned();
    match fault {
        Fault::Timeout => Some(CallError::TimedOut { origin, timeout_ms: SHORT_MS }),
        Fault::Refused => Some(CallError::Refused { origin, reason: "no server is listening there" }),
        Fault::TooManyRequests => Some(CallError::Busy { status: 429, retry_after_ms: Some(RETRY_AFTER_S * 1000) }),
        Fault::ServerError => Some(CallError::Server { status: 500 }),
        // Ollama does not signal a refusal; it arrives as plain text instead of JSON.
        Fault::Refusal if shape == Shape::OpenAi => Some(CallError::Declined),
        Fault::Huge => Some(CallError::TooLong { limit_bytes: REPLY_BYTES_MAX }),
        _ => None,
    }
}

/// Long enough for a call that gets a response, and short enough to wait for one that does not.
const SHORT_MS: u64 = 2_000;

#[test]
fn every_fault_at_any_call_becomes_its_error_or_a_text_that_the_strict_reading_refuses() {
    assert!(parse::<Reply>(GOOD).is_ok(), "control: the good reply is read");
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        let client = client(&server, shape);
        let prompt = prompt();
        for fault in Fault::ALL {
            let chat = || {
                let timeout_ms = if fault == Fault::Timeout { SHORT_MS } else { crate::support::TIMEOUT_MS };
                client.chat(&ChatRequest { prompt: &prompt, temperature: 0.1, timeout_ms }, &Unwatched)
            };
            server.inject_from(server.calls() + 1, fault);
            assert_eq!(chat().map(|reply| reply.text).as_deref(), Ok(GOOD), "{shape:?}, before {fault:?}");
            match (chat(), expected(fault, shape, &server.url())) {
                (Err(error), Some(expected)) => {
                    assert_eq!(error, expected, "{shape:?}");
                    assert!(error.is_retryable(), "a fault passes: {fault:?}");
                    let wait_ms = (fault == Fault::TooManyRequests).then_some(RETRY_AFTER_S * 1000);
                    assert_eq!(error.retry_after_ms(), wait_ms, "{fault:?}");
                }
                (Ok(reply), None) => {
                    assert_ne!(reply.text, GOOD, "{shape:?}, {fault:?}: the fault has no effect");
                    assert!(parse::<Reply>(&reply.text).is_err(), "{shape:?}, {fault:?}: {}", reply.text);
                    assert!(fault.is_of_the_text() || reply.text == REFUSAL);
                }
                (found, expected) => panic!("{shape:?}, {fault:?}: {found:?}, expected {expected:?}"),
            }
            server.heal();
            assert_eq!(chat().map(|reply| reply.text).as_deref(), Ok(GOOD), "{shape:?}, after {fault:?}");
        }
    }
}

#[test]
fn a_stream_that_ends_before_its_end_mark_is_cut_off_wherever_it_ends() {
    for shape in SHAPES {
        let whole = {
            let server = ScriptedServer::saying(GOOD);
            server.behave(|server| server.piece_chars = 20);
            ask(&client(&server, shape)).unwrap().reply_bytes as usize
        };
        // The end mark is the last event, which may be complete even without its line ending.
        let end_mark = if shape == Shape::OpenAi { "data: [DONE]\n\n".len() } else { 1 };
        for after_bytes in (0..=whole - end_mark).step_by(11).chain([whole - end_mark]) {
            let broken = Answer::Broken { text: GOOD.to_owned(), after_bytes };
            let server = ScriptedServer::in_turn([broken]);
            server.behave(|server| server.piece_chars = 20);
            let error = ask(&client(&server, shape)).map(|reply| reply.text);
            assert_eq!(error, Err(CallError::CutOff { at_token_limit: false }), "{shape:?}, {after_bytes} of {whole} bytes");
        }
    }
}

#[test]
fn what_servers_say_in_their_own_way_becomes_one_error() {
    let origin = std::cell::RefCell::new(String::new());
    let check = |shape: Shape, kind: &str, status: u16, body: &str, expect: Result<&str, CallError>| {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        let server = ScriptedServer::in_turn([Answer::Http { status, headers, body: body.as_bytes().to_vec() }]);
        *origin.borrow_mut() = server.url();
        let expect = match expect {
            Err(CallError::Envelope { .. }) => Err(CallError::Envelope { origin: server.url() }),
            other => other,
        };
        let found = ask(&client(&server, shape)).map(|reply| reply.text);
        assert_eq!(found.as_deref().map_err(Clone::clone), expect, "{shape:?}: {body}");
    };
    let (sse, lines, json, html) = ("text/event-stream", "application/x-ndjson", "application/json", "text/html");
    let other_shape = || Err(CallError::Envelope { origin: String::new() });
    let at_limit = || Err(CallError::CutOff { at_token_limit: true });
    let cut = || Err(CallError::CutOff { at_token_limit: false });
    let (openai, ollama) = (Shape::OpenAi, Shape::Ollama);
    let delta = |content: &str, end: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{content}}},\"finish_reason\":{end}}}]}}\n\n")
    };
    let line = |content: &str, end: &str| {
        format!("{{\"message\":{{\"role\":\"assistant\",\"content\":\"{content}\"}},\"done\":true,\"done_reason\":\"{end}\"}}\n")
    };

    check(openai, sse, 200, &delta("\"hi\"", "\"stop\""), Ok("hi"));
    check(openai, sse, 200, &format!("{}data: [DONE]", delta("\"hi\"", "null")), Ok("hi"));
    check(openai, sse, 200, &format!(": OPENROUTER PROCESSING\n\n{}", delta("\"hi\"", "\"eos\"")), Ok("hi"));
    check(openai, sse, 200, &delta("\"hi\"", "\"length\""), at_limit());
    check(openai, sse, 200, &delta("\"hi\"", "null"), cut());
    check(openai, sse, 200, &delta("\"hi\"", "\"content_filter\""), Err(CallError::Declined));
    check(openai, sse, 200, &delta("null", "\"stop\""), Err(CallError::Declined));
    check(openai, sse, 200, &delta("\" \\n\"", "\"stop\""), Err(CallError::Declined));
    check(
        openai,
        sse,
        200,
        "data: {\"error\":{\"message\":\"x\",\"code\":429}}\n\n",
        Err(CallError::Busy { status: 429, retry_after_ms: None }),
    );
    check(openai, sse, 200, "event: error\ndata: {\"error\":\"x\"}\n\n", Err(CallError::Server { status: 500 }));
    check(openai, sse, 200, "data: {\"choices\":7}\n\n", other_shape());
    check(openai, sse, 200, "data: null\n\n", other_shape());
    check(openai, sse, 200, "", cut());
    check(openai, html, 200, "<html><body>Sign in to the network</body></html>", other_shape());
    check(openai, json, 200, r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#, Ok("hi"));
    check(openai, json, 200, r#"{"choices":[{"message":{"content":"hi"}}]}"#, other_shape());
    check(
        openai,
        json,
        200,
        r#"{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}"#,
        Err(CallError::Declined),
    );
    check(openai, json, 200, r#"{"hello":1}"#, other_shape());
    check(openai, json, 503, r#"{"error":{"message":"Loading model","code":503}}"#, Err(CallError::Loading));
    check(openai, html, 502, "<html>Bad gateway</html>", Err(CallError::Server { status: 502 }));

    check(ollama, lines, 200, &line("hi", "stop"), Ok("hi"));
    check(ollama, lines, 200, &line("hi", "length"), at_limit());
    check(ollama, lines, 200, &line("", "load"), Err(CallError::Loading));
    check(ollama, lines, 200, &line("", "stop"), Err(CallError::Declined));
    check(ollama, lines, 200, "{\"message\":{\"content\":\"hi\"},\"done\":false}\n", cut());
    check(ollama, lines, 200, "{\"error\":\"an error was encountered\"}\n", Err(CallError::Server { status: 500 }));
    check(ollama, lines, 200, "[1,2]\n", other_shape());
    check(ollama, html, 200, "<html>\n", other_shape());
    check(ollama, lines, 200, "{\"status\":\"success\"}\n", other_shape());
    check(ollama, json, 404, "{\"error\":\"model 'x' not found\"}", Err(CallError::Rejected { status: 404 }));
}

#[test]
fn a_busy_server_says_when_to_come_back_as_seconds_or_as_a_date() {
    for shape in SHAPES {
        let check = |status: u16, value: &str, expect: Option<u64>| {
            let headers = vec![("Retry-After".to_owned(), value.to_owned())];
            let server = ScriptedServer::in_turn([Answer::Http { status, headers, body: Vec::new() }]);
            let error = ask(&client(&server, shape)).unwrap_err();
            assert_eq!(error, CallError::Busy { status, retry_after_ms: expect }, "{value}");
        };
        check(429, "20", Some(20_000));
        // The test clock is set to 10:00:00 on that day.
        check(503, "Mon, 02 Mar 2026 10:00:05 GMT", Some(5_000));
        check(429, "later", None);
    }
}

#[test]
fn ten_megabytes_of_anything_are_cut_off_at_a_limit() {
    for shape in SHAPES {
        let check = |what: &str, kind: &str, body: Vec<u8>| {
            let headers = vec![("content-type".to_owned(), kind.to_owned())];
            let server = ScriptedServer::in_turn([Answer::Http { status: 200, headers, body }]);
            match ask(&client(&server, shape)) {
                Err(CallError::TooLong { limit_bytes }) => assert!(limit_bytes < HUGE_BYTES, "{what}"),
                other => panic!("{shape:?}, {what}: {:?}", other.map(|reply| reply.text.len())),
            }
        };
        check("a line without an end", "text/event-stream", vec![b'x'; HUGE_BYTES]);
        check("a body without a stream", "application/json", vec![b'x'; HUGE_BYTES]);
        check("blank lines", "text/event-stream", vec![b'\n'; HUGE_BYTES]);
        let server = ScriptedServer::in_turn([Answer::Http { status: 500, headers: Vec::new(), body: vec![b'x'; HUGE_BYTES] }]);
        assert_eq!(ask(&client(&server, shape)), Err(CallError::Server { status: 500 }), "an error is not read to its end");
    }
    // Comments are not events, but their bytes are counted.
    let comments = b": keep alive\n".repeat(HUGE_BYTES / 13);
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    let server = ScriptedServer::in_turn([Answer::Http { status: 200, headers, body: comments }]);
    assert!(matches!(ask(&client(&server, Shape::OpenAi)), Err(CallError::TooLong { .. })));
}

#[test]
fn a_cancel_ends_a_call_that_waits_for_its_first_byte() {
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        server.inject_from(0, Fault::Timeout);
        let watch = Switch::default();
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                server.wait_for_calls(1);
                watch.cancelled.store(true, Ordering::SeqCst);
            });
            ask_watched(&client(&server, shape), &watch).unwrap_err()
        });
        assert_eq!(error, CallError::Cancelled);
        server.wait_until_left(1);
    }
}

#[test]
fn a_cancel_ends_a_call_in_the_middle_of_its_reply() {
    for shape in SHAPES {
        let server = ScriptedServer::in_turn([Answer::Held { text: GOOD.to_owned(), after_events: 4 }]);
        let watch = Switch { cancel_after_chars: Some(6), ..Switch::default() };
        assert_eq!(ask_watched(&client(&server, shape), &watch), Err(CallError::Cancelled));
        assert!(watch.chars.load(Ordering::SeqCst) >= 6, "the call was in the middle of its reply");
        server.wait_until_left(1);
    }
}

#[test]
fn a_call_that_is_cancelled_before_it_begins_opens_nothing() {
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        let watch = Switch::default();
        watch.cancelled.store(true, Ordering::SeqCst);
        assert_eq!(ask_watched(&client(&server, shape), &watch), Err(CallError::Cancelled));
        assert_eq!(server.connections(), 0);
        watch.cancelled.store(false, Ordering::SeqCst);
        assert!(ask_watched(&client(&server, shape), &watch).is_ok(), "control: otherwise it is made");
    }
}

#[test]
fn an_error_carries_nothing_of_prompt_reply_or_key() {
    let said = "planted-words-of-the-server";
    for shape in SHAPES {
        for status in [200, 302, 400, 401, 404, 429, 500, 503] {
            let body = format!("{{\"error\":{{\"message\":\"{said} I bake sk-planted-4711\",\"param\":\"{said}\"}}}}");
            let headers = vec![("location".to_owned(), format!("/{said}")), ("retry-after".to_owned(), said.to_owned())];
            let server = ScriptedServer::start(move |_| Answer::Http {
                status,
                headers: headers.clone(),
                body: body.clone().into_bytes(),
            });
            let connection = connect(&server.url(), shape, Reach::ThisComputer, Some("sk-planted-4711"));
            let error = ask(&keepsake_models::language::Client::new(connection, "tiny:1b")).unwrap_err();
            let printed = format!("{error} {error:?}");
            for hidden in [said, "I bake", "sk-planted", "List the facts"] {
                assert!(!printed.contains(hidden), "{printed}");
            }
        }
    }
}
