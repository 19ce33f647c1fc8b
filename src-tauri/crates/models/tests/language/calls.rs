//! Successful calls: the data sent and returned, regardless of how the stream is divided into pieces.

use std::sync::atomic::Ordering;

use keepsake_models::language::{CallError, LanguageModel, Reach, Shape};
use keepsake_prompt::reply::REPLY_BYTES_MAX;
use keepsake_testkit::scripted_server::{Answer, ScriptedServer};

use crate::support::{GOOD, SHAPES, Switch, ask, ask_watched, client, connect, prompt};

#[test]
fn a_reply_comes_back_whole_with_what_it_cost() {
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        let watch = Switch::default();
        let client = client(&server, shape);
        let reply = ask_watched(&client, &watch).unwrap();
        assert_eq!(reply.text, GOOD, "{shape:?}");
        assert_eq!(watch.chars.load(Ordering::SeqCst), GOOD.chars().count() as u64, "progress ends with all of it");
        let sent = &server.received()[0];
        assert_eq!(reply.request_bytes, sent.body.len() as u64);
        assert!(reply.reply_bytes > GOOD.len() as u64, "envelopes count");
        assert!(reply.tokens_in > Some(1) && reply.tokens_out > Some(1), "{reply:?}");
        assert_eq!((client.model(), client.endpoint().origin()), ("tiny:1b", server.url()));

        server.behave(|server| server.sends_usage = false);
        let reply = ask(&client).unwrap();
        assert_eq!((reply.tokens_in, reply.tokens_out), (None, None), "{shape:?}: a server need not count");
    }
}

#[test]
fn what_is_sent_is_the_prompt_and_its_settings_in_the_servers_own_words() {
    let server = ScriptedServer::saying(GOOD);
    for shape in SHAPES {
        ask(&client(&server, shape)).unwrap();
    }
    let received = server.received();
    for request in &received {
        assert_eq!(request.message("system"), prompt().system.as_str());
        assert_eq!(request.message("user"), prompt().user.as_str());
        assert_eq!(request.schema().as_ref(), Some(&prompt().schema));
        let body = request.json();
        assert_eq!((&body["model"], &body["stream"]), (&"tiny:1b".into(), &true.into()));
        assert_eq!(request.header("authorization"), None);
        assert_eq!(request.header("accept-encoding"), None, "a compressed reply could not be bounded while it is read");
    }
    let (ollama, openai) = (received[0].json(), received[1].json());
    assert_eq!(received[0].path, "/api/chat");
    assert_eq!(ollama["options"]["num_predict"], 800);
    assert_eq!(ollama["options"]["num_ctx"], 4096, "room for the whole prompt, which would be cut silently");
    assert!((ollama["options"]["temperature"].as_f64().unwrap() - 0.1).abs() < 1e-6);
    assert_eq!(received[1].path, "/v1/chat/completions");
    assert_eq!(openai["max_tokens"], 800);
    assert_eq!(openai["response_format"]["json_schema"]["name"], "facts");
    assert_eq!(openai["response_format"]["json_schema"]["strict"], true);
    assert!((openai["temperature"].as_f64().unwrap() - 0.1).abs() < 1e-6);
}

#[test]
fn a_reply_is_the_same_in_whatever_pieces_it_arrives() {
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        let client = client(&server, shape);
        for (piece_chars, wire_bytes) in [(1, 1), (1, 2), (2, 3), (3, 7), (5, 61), (7, 1), (1000, 1), (1000, 1_000_000)] {
            server.behave(|server| (server.piece_chars, server.wire_bytes) = (piece_chars, wire_bytes));
            assert_eq!(
                ask(&client).unwrap().text,
                GOOD,
                "{shape:?}, {piece_chars} characters an event, {wire_bytes} bytes at once"
            );
        }
        // Splits the stream in two at each of these bytes.
        for wire_bytes in 8..400 {
            server.behave(|server| (server.piece_chars, server.wire_bytes) = (1000, wire_bytes));
            assert_eq!(ask(&client).unwrap().text, GOOD, "{shape:?}, {wire_bytes} bytes at once");
        }
        server.behave(|server| server.streams = false);
        assert_eq!(ask(&client).unwrap().text, GOOD, "{shape:?}: a server that does not stream");
    }
}

#[test]
fn a_server_that_takes_no_schema_is_asked_without_it_and_that_is_remembered() {
    for shape in SHAPES {
        let check = |takes_json: bool, status: u16, expect: &[Option<&str>]| {
            let server = ScriptedServer::saying(GOOD);
            server.behave(|server| {
                (server.takes_schema, server.takes_json, server.shape_status) = (false, takes_json, status);
            });
            let client = client(&server, shape);
            let reply = ask(&client).unwrap();
            assert_eq!(reply.text, GOOD);
            let bytes: usize = server.received().iter().map(|request| request.body.len()).sum();
            assert_eq!(reply.request_bytes, bytes as u64, "all requests left this computer");
            ask(&client).unwrap();
            let asked: Vec<_> = server.received().iter().map(|request| request.shape()).collect();
            assert_eq!(asked, expect, "{shape:?}, {status}");
        };
        for status in [400, 422, 500] {
            check(true, status, &[Some("schema"), Some("json"), Some("json")]);
            check(false, status, &[Some("schema"), Some("json"), None, None]);
        }
    }
}

#[test]
fn a_parameter_that_a_model_does_not_take_is_left_out_or_renamed() {
    let check = |parameter: &str, instead: Option<&str>| {
        let server = ScriptedServer::saying(GOOD);
        server.behave(|server| server.rejected_parameter = Some(parameter.to_owned()));
        let client = client(&server, Shape::OpenAi);
        assert_eq!(ask(&client).unwrap().text, GOOD, "{parameter}");
        ask(&client).unwrap();
        let bodies: Vec<_> = server.received().iter().map(|request| request.json()).collect();
        let had: Vec<bool> = bodies.iter().map(|body| body.get(parameter).is_some()).collect();
        assert_eq!(had, [true, false, false], "{parameter}");
        assert!(bodies[1].get("response_format").is_some(), "only what was named is left out");
        assert!(instead.is_none_or(|instead| bodies[1][instead] == bodies[0][parameter]), "{parameter}");
    };
    check("max_tokens", Some("max_completion_tokens"));
    check("temperature", None);
    check("stream_options", None);
}

#[test]
fn a_request_refused_for_another_reason_is_given_up_and_nothing_is_remembered() {
    for shape in SHAPES {
        let check = |body: &str, calls: usize| {
            let refuse = Answer::Http { status: 400, headers: Vec::new(), body: body.as_bytes().to_vec() };
            let answers = std::iter::repeat_n(refuse, calls).chain([Answer::Text(GOOD.to_owned())]);
            let server = ScriptedServer::in_turn(answers);
            let client = client(&server, shape);
            assert_eq!(ask(&client), Err(CallError::Rejected { status: 400 }), "{shape:?}: {body}");
            assert_eq!(server.calls(), calls, "{shape:?}: {body}");
            ask(&client).unwrap();
            assert_eq!(server.received()[calls].shape(), Some("schema"), "{shape:?}: the schema was not at fault");
        };
        check("context too long", 3);
        check(r#"{"error":{"message":"context too long","param":"messages"}}"#, 1);
    }
}

#[test]
fn a_long_reply_is_taken_up_to_the_limit_and_not_beyond() {
    for shape in SHAPES {
        let check = |bytes: usize, expect: Result<usize, CallError>| {
            let server = ScriptedServer::saying("x".repeat(bytes));
            server.behave(|server| (server.piece_chars, server.wire_bytes) = (64, 16 * 1024));
            assert_eq!(ask(&client(&server, shape)).map(|reply| reply.text.len()), expect, "{shape:?}");
        };
        check(REPLY_BYTES_MAX, Ok(REPLY_BYTES_MAX));
        check(REPLY_BYTES_MAX + 1, Err(CallError::TooLong { limit_bytes: REPLY_BYTES_MAX }));
    }
}

#[test]
fn the_key_goes_into_its_header_and_nowhere_else() {
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        server.behave(|server| server.key = Some("sk-planted-4711".to_owned()));
        let connection = connect(&server.url(), shape, Reach::ThisComputer, Some("sk-planted-4711"));
        assert!(connection.models(10_000, &Switch::default()).is_ok());
        let with_key = keepsake_models::language::Client::new(connection, "tiny:1b");
        ask(&with_key).unwrap();
        for request in server.received() {
            assert_eq!(request.header("authorization"), Some("Bearer sk-planted-4711"));
            assert!(!String::from_utf8_lossy(&request.body).contains("sk-planted"));
            let head = String::from_utf8_lossy(&request.head).into_owned();
            assert_eq!(head.matches("sk-planted").count(), 1, "{head}");
        }
        let error = ask(&client(&server, shape)).unwrap_err();
        assert_eq!(error, CallError::Rejected { status: 401 });
        assert!(error.to_string().contains("key"), "it says what to do: {error}");
    }
}

#[test]
fn models_are_listed_and_names_that_are_none_are_left_out() {
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        let names = ["tiny:1b", "", "Qwen/模型-7B", "evil\u{202e}name", "a\nb", &"x".repeat(201)].map(str::to_owned);
        server.behave(|server| server.models = names.to_vec());
        let connection = connect(&server.url(), shape, Reach::ThisComputer, None);
        assert_eq!(connection.models(10_000, &Switch::default()).unwrap(), ["tiny:1b", "Qwen/模型-7B"], "{shape:?}");
        let elsewhere = connect(&format!("{}/elsewhere", server.url()), shape, Reach::ThisComputer, None);
        assert_eq!(elsewhere.models(10_000, &Switch::default()), Err(CallError::Rejected { status: 404 }));
    }
}
