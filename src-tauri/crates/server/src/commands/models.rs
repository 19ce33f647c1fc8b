//! Commands for language models and watched folders, for a computer without a display.

use keepsake_api::{App, dispatch};
use serde_json::{Value, json};

use crate::args::{Args, ModelsCommand, Switch};
use crate::commands::app;
use crate::output::{Failure, Output};

/// Maximum input size for a key, in bytes. Longer input was piped in by mistake and is not read to the end.
const KEY_BYTES_MAX: u64 = 64 * 1024;

pub(crate) fn run(args: &Args, command: Option<&ModelsCommand>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    match command {
        None => show(&app, output),
        Some(ModelsCommand::Detect) => detect(&app, output),
        Some(ModelsCommand::Use { url, model, shape, engines, allow_remote, key_stdin }) => {
            let provider = json!({ "shape": shape, "url": url, "model": model });
            if *key_stdin {
                put_key(&app, &provider)?;
            }
            let mut settings = settings(&app)?;
            settings["provider"] = provider;
            settings["engines"] = json!(engines);
            if *allow_remote {
                settings["this_computer_only"] = json!(false);
            }
            dispatch(&app, "models_set", settings)?;
            show(&app, output)
        }
        Some(ModelsCommand::Off) => {
            let mut settings = settings(&app)?;
            settings["engines"] = json!("built_in");
            dispatch(&app, "models_set", settings)?;
            show(&app, output)
        }
        Some(ModelsCommand::Test) => test(&app, output),
        Some(ModelsCommand::ReadAll) => {
            let queued = dispatch(&app, "models_read_all", Value::Null)?;
            if output.is_json() {
                return output.json(&queued);
            }
            output.line(format!(
                "{} conversations are queued for the model; `keepsake run-jobs --until-idle` processes them",
                queued["queued"]
            ))
        }
        Some(ModelsCommand::Calls { limit }) => calls(&app, *limit, output),
    }
}

/// Shows whether the memory router is on, or turns it on or off.
pub(crate) fn router(args: &Args, state: Option<Switch>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let settings = match state {
        Some(state) => dispatch(&app, "router_settings_set", json!({ "is_on": state == Switch::On }))?,
        None => dispatch(&app, "router_settings_get", Value::Null)?,
    };
    if output.is_json() {
        return output.json(&settings);
    }
    if settings["is_on"] != true {
        return output.line("The memory router is off");
    }
    let server = dispatch(&app, "agent_server_get", Value::Null)?;
    let port = &server["choice"]["port"];
    output.line(format!(
        "The memory router is on. Give programs the base address http://127.0.0.1:{port}/router/v1 and, as the key, the token of an \
         agent (keepsake agents add). It answers while agents are served: a switch in the window's settings, or keepsake serve --port {port}"
    ))
}

fn settings(app: &App) -> Result<Value, Failure> {
    Ok(dispatch(app, "models_get", Value::Null)?["settings"].take())
}

fn put_key(app: &App, provider: &Value) -> Result<(), Failure> {
    let mut key = String::new();
    std::io::Read::read_to_string(&mut std::io::Read::take(std::io::stdin(), KEY_BYTES_MAX), &mut key)
        .map_err(|error| Failure::new(format!("cannot read the key from standard input: {error}")))?;
    let view = dispatch(app, "model_key_set", json!({ "provider": provider, "key": key.trim() }))?;
    if view["key_store"] == "keyring" {
        return Ok(());
    }
    Err(Failure::new(
        "this system has no keyring, so the key cannot be kept when this command ends; enter it in the window instead",
    ))
}

fn show(app: &App, output: &mut Output) -> Result<(), Failure> {
    let view = dispatch(app, "models_get", Value::Null)?;
    if output.is_json() {
        return output.json(&view);
    }
    let settings = &view["settings"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    output.line(format!("Proposes  {}", text(&settings["engines"]).replace('_', "-")))?;
    match settings["provider"].as_object() {
        Some(provider) => output.line(format!("Model     {} at {}", text(&provider["model"]), text(&provider["url"])))?,
        None => output.line("Model     none; `keepsake models detect` looks for one on this computer")?,
    }
    let reach = if settings["this_computer_only"] == true { "this computer only" } else { "other computers allowed" };
    output.line(format!("Servers   {reach}"))?;
    output.line(format!(
        "Today     {} calls, {} tokens to other computers",
        view["today"]["calls"], view["today"]["remote_tokens"]
    ))?;
    match view["hold"].as_str() {
        Some(hold) => output.line(format!("Waiting   {} jobs: {hold}", view["waiting"])),
        None => output.line(format!("Waiting   {} jobs, {} conversations not read", view["waiting"], view["unread"])),
    }
}

fn detect(app: &App, output: &mut Output) -> Result<(), Failure> {
    let found = dispatch(app, "models_detect", Value::Null)?;
    if output.is_json() {
        return output.json(&found);
    }
    let servers = found["items"].as_array().map_or(&[][..], Vec::as_slice);
    if servers.is_empty() {
        return output
            .line("No model server was found on this computer. Start Ollama, LM Studio, llama.cpp or Jan and try again.");
    }
    for server in servers {
        let models: Vec<&str> = server["models"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let models = if models.is_empty() { "no models yet".to_owned() } else { models.join(", ") };
        let text = |field: &str| server[field].as_str().unwrap_or_default();
        output.line(format!("{} at {} ({}): {models}", text("name"), text("url"), text("shape")))?;
    }
    Ok(())
}

fn test(app: &App, output: &mut Output) -> Result<(), Failure> {
    let provider = settings(app)?["provider"].take();
    if provider.is_null() {
        return Err(Failure::new("no model is chosen; choose one with `keepsake models use URL MODEL`"));
    }
    let trial = dispatch(app, "model_test", provider)?;
    if output.is_json() {
        output.json(&trial)?;
    } else {
        output.line(format!("Sent:\n{}\n", trial["sent"].as_str().unwrap_or_default()))?;
        output.line(format!("Received:\n{}\n", trial["received"].as_str().unwrap_or_default()))?;
        output.line(format!("{} ms, {} tokens", trial["duration_ms"], trial["tokens"]))?;
    }
    match trial["problem"].as_str() {
        None => Ok(()),
        Some(problem) => Err(Failure::new(problem)),
    }
}

fn calls(app: &App, limit: u32, output: &mut Output) -> Result<(), Failure> {
    let calls = dispatch(app, "model_calls_list", json!({ "limit": limit }))?;
    for call in calls["items"].as_array().into_iter().flatten() {
        if output.is_json() {
            output.json(call)?;
            continue;
        }
        let text = |field: &str| call[field].as_str().unwrap_or_default();
        let time = keepsake_engine::rfc3339(keepsake_domain::Timestamp(call["started_at"].as_i64().unwrap_or_default()));
        output.line(format!(
            "{time}  {}  {}  {}  {} bytes  {} tokens  {}",
            text("host"),
            text("model"),
            text("purpose"),
            call["request_bytes"],
            call["tokens_in"].as_u64().unwrap_or(0) + call["tokens_out"].as_u64().unwrap_or(0),
            text("outcome"),
        ))?;
    }
    Ok(())
}
