//! `keepsake sources`: accounts, webhooks and folders from which messages arrive.
//!
//! Accounts are read by the process that works on the data, so commands for accounts run there if there is one. Folders are
//! watched by path, and the window's commands never see paths, so commands for folders run here.

use std::io::Read as _;
use std::path::Path;

use keepsake_api::dispatch;
use keepsake_connectors::{Settings, WaitingSignIn, mail};
use keepsake_engine::{AGENT_PORT, SystemClock, parse_moment};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::{Commands, app};
use crate::args::{Args, SourceAdd, SourcesCommand, WatchCommand};
use crate::output::{Failure, Output};

/// Maximum size of a secret on standard input, in bytes.
const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// The kind of a watched folder in lists.
const FOLDER: &str = "folder";

/// Runs a command about sources.
pub(crate) fn run(args: &Args, command: Option<&SourcesCommand>, output: &mut Output) -> Result<(), Failure> {
    let commands = Commands::new(args)?;
    match command {
        None | Some(SourcesCommand::List) => list(args, &commands, output),
        Some(SourcesCommand::Add(SourceAdd::Folder { path, kind, hour, me })) => {
            add_folder(args, path, kind, *hour, me.as_deref())?;
            list(args, &commands, output)
        }
        Some(SourcesCommand::Add(account)) => {
            let request = request_for(account, output)?;
            added(&commands.run("live_source_add", request)?, output)
        }
        Some(SourcesCommand::Channels { id }) => channels(&commands.run("live_channels_list", json!({ "id": id }))?, output),
        Some(SourcesCommand::Choose { id, choice, channels: chosen, since }) => {
            let since = since.as_deref().map(|day| parse_moment(day).ok_or_else(|| not_a_day(day))).transpose()?;
            let chosen = if chosen.is_empty() { undecided(&commands, id)? } else { chosen.clone() };
            let request = json!({ "id": id, "channels": chosen, "choice": choice, "since": since.map(|since| since.0) });
            channels(&commands.run("live_channels_choose", request)?, output)
        }
        Some(SourcesCommand::Login { id, browser }) => {
            commands.run("live_source_reconnect", login(&commands, id, *browser, output)?)?;
            list(args, &commands, output)
        }
        Some(SourcesCommand::Verify { id }) => {
            let listed = commands.run("live_source_recover", json!({ "id": id, "recovery_key": secret()? }))?;
            verified(&listed, id, output)
        }
        Some(SourcesCommand::Pause { id }) => pause(args, &commands, id.as_deref(), true, output),
        Some(SourcesCommand::Resume { id }) => pause(args, &commands, id.as_deref(), false, output),
        Some(SourcesCommand::Schedule { id, when }) => {
            let hour = match when.as_str() {
                "live" => None,
                hour => Some(
                    hour.parse::<u8>()
                        .ok()
                        .filter(|hour| *hour < 24)
                        .ok_or_else(|| Failure::new(format!("{hour:?} is neither an hour from 0 to 23 nor \"live\"")))?,
                ),
            };
            commands.run("live_source_schedule", json!({ "id": id, "daily_hour": hour }))?;
            list(args, &commands, output)
        }
        Some(SourcesCommand::Follow { programs }) if programs.is_empty() => offers(args, output),
        Some(SourcesCommand::Follow { programs }) => {
            follow(args, programs)?;
            list(args, &commands, output)
        }
        Some(SourcesCommand::Rename { id, name }) => {
            commands.run("live_source_rename", json!({ "id": id, "name": name }))?;
            list(args, &commands, output)
        }
        Some(SourcesCommand::Token { id }) => added(&commands.run("live_source_token", json!({ "id": id }))?, output),
        Some(SourcesCommand::Remove { id, forget }) => remove(args, &commands, id, *forget, output),
    }
}

/// The request that adds an account or a webhook, with its secret from standard input.
fn request_for(account: &SourceAdd, output: &mut Output) -> Result<Value, Failure> {
    Ok(match account {
        SourceAdd::Folder { .. } => return Err(Failure::new("a folder is watched where the command runs")),
        SourceAdd::Webhook { name } => json!({ "settings": { "kind": "webhook" }, "name": name }),
        SourceAdd::Mail { host, port, security, user, with_automatic, oauth } => {
            let port = port.unwrap_or(if security == "tls" { 993 } else { 143 });
            let sign_in = oauth.settings().map_or(mail::SignIn::Password, mail::SignIn::Oauth2);
            let settings = json!({
                "kind": "mail", "host": host, "port": port, "security": security, "user": user,
                "sign_in": sign_in, "leave_out_automatic": !with_automatic,
            });
            let secret = if sign_in == mail::SignIn::Password { secret()? } else { signed_in(&settings, output)? };
            json!({ "settings": settings, "secret": secret })
        }
        SourceAdd::Matrix { homeserver, user, token, browser } => {
            let sign_in = match (token, browser) {
                (_, true) => "browser",
                (true, false) => "access_token",
                (false, false) => "password",
            };
            let settings = json!({ "kind": "matrix", "homeserver": homeserver, "user": user, "sign_in": sign_in });
            let secret = if *browser { signed_in(&settings, output)? } else { secret()? };
            json!({ "settings": settings, "secret": secret })
        }
        SourceAdd::Simplex { port } => json!({ "settings": { "kind": "simplex", "port": port } }),
    })
}

/// The request that connects a source again, with a secret from a page or from standard input.
fn login(commands: &Commands<'_>, id: &str, browser: bool, output: &mut Output) -> Result<Value, Failure> {
    let mut settings = source(commands, id)?["settings"].take();
    if browser {
        if settings["kind"] != "matrix" {
            return Err(Failure::new("only a Matrix account is signed in to in the browser; leave out --browser"));
        }
        settings["sign_in"] = "browser".into();
        let secret = signed_in(&settings, output)?;
        return Ok(json!({ "id": id, "settings": settings, "secret": secret }));
    }
    let secret = if settings["sign_in"]["with"] == "oauth2" { signed_in(&settings, output)? } else { secret()? };
    Ok(json!({ "id": id, "secret": secret }))
}

/// Lets the person sign in on a page of the server or provider. Returns the resulting secret.
fn signed_in(settings: &Value, output: &mut Output) -> Result<String, Failure> {
    let failed = |fault: keepsake_connectors::Fault| Failure::new(fault.to_string());
    let settings: Settings = serde_json::from_value(settings.clone())
        .map_err(|error| Failure::new(format!("the settings of the source cannot be read: {error}")))?;
    let waiting = WaitingSignIn::begin_once(&settings).map_err(failed)?;
    let address = waiting.address();
    match waiting.code() {
        Some(code) if output.is_json() => output.json(&json!({ "address": address, "code": code }))?,
        None if output.is_json() => output.json(&json!({ "address": address }))?,
        Some(code) => output.line(format!("Open this address in a browser: {address}\nEnter this code there: {code}"))?,
        None => output.line(format!("Open this address in a browser on this computer, and sign in: {address}"))?,
    }
    // The person needs the address before the sign-in can finish.
    output.flush()?;
    Ok(waiting.finish_once(|| false, &SystemClock).map_err(failed)?.expose_secret().to_owned())
}

/// The source with this id, as the list of sources contains it.
fn source(commands: &Commands<'_>, id: &str) -> Result<Value, Failure> {
    let listed = commands.run("live_sources_list", Value::Null)?;
    let found = listed["items"].as_array().into_iter().flatten().find(|source| source["id"] == id);
    found.cloned().ok_or_else(|| Failure::new(format!("there is no source {id}")))
}

/// Prints whether a source's device is verified, and the state of its key backup, after the account's secrets were opened.
fn verified(listed: &Value, id: &str, output: &mut Output) -> Result<(), Failure> {
    let found = listed["items"].as_array().into_iter().flatten().find(|source| source["id"] == id);
    let device = found.map(|source| source["device"].clone()).unwrap_or_default();
    if output.is_json() {
        return output.json(&device);
    }
    output.line(if device["is_verified"] == true { "The device is verified." } else { "The device is not verified." })?;
    output.line(match device["backup"].as_str() {
        Some("open") => "The backup of keys is open. Messages that could not be read are read now.",
        Some("locked") => "The recovery key does not open the backup of keys.",
        _ => "This account has no backup of keys.",
    })
}

fn not_a_day(text: &str) -> Failure {
    Failure::new(format!("{text:?} is not a day; write it as 2026-03-04"))
}

/// A secret from standard input, without the line break at its end.
fn secret() -> Result<String, Failure> {
    let mut secret = String::new();
    std::io::stdin()
        .take(SECRET_BYTES_MAX)
        .read_to_string(&mut secret)
        .map_err(|error| Failure::new(format!("cannot read the password or token from standard input: {error}")))?;
    let secret = secret.trim_end_matches(['\r', '\n']).to_owned();
    if secret.is_empty() {
        return Err(Failure::new("the password or token is read from standard input, and nothing came"));
    }
    Ok(secret)
}

/// Watched folders, in the format of sources.
fn folders(args: &Args) -> Result<Vec<Value>, Failure> {
    let watched = dispatch(&app(args)?, "watched_list", Value::Null)?;
    let items = watched["items"].as_array().into_iter().flatten();
    Ok(items
        .map(|source| {
            json!({
                "id": source["id"], "kind": FOLDER, "name": source["path"], "state": "watched", "detail": when_read(source),
                "last_message_at": source["last_at"],
            })
        })
        .collect())
}

/// Describes when a watched folder is read.
fn when_read(source: &Value) -> String {
    match source["kind"].as_str() {
        Some("chat") => format!("once a day at {}:00", source["hour"]),
        Some("live") => "followed as it changes".to_owned(),
        _ => "every ten minutes".to_owned(),
    }
}

/// `keepsake watch`, the command for folders from before they became sources.
pub(crate) fn watch(args: &Args, command: Option<&WatchCommand>, output: &mut Output) -> Result<(), Failure> {
    match command {
        None => {}
        Some(WatchCommand::Add { path, kind, hour, me }) => add_folder(args, path, kind, *hour, me.as_deref())?,
        Some(WatchCommand::Follow { programs }) if programs.is_empty() => return offers(args, output),
        Some(WatchCommand::Follow { programs }) => follow(args, programs)?,
        Some(WatchCommand::Remove { path }) => remove_folder(args, path)?,
    }
    let sources = dispatch(&app(args)?, "watched_list", Value::Null)?;
    for source in sources["items"].as_array().into_iter().flatten() {
        if output.is_json() {
            output.json(source)?;
            continue;
        }
        output.line(format!("{}  {}", source["path"].as_str().unwrap_or_default(), when_read(source)))?;
    }
    Ok(())
}

fn list(args: &Args, commands: &Commands<'_>, output: &mut Output) -> Result<(), Failure> {
    let live = commands.run("live_sources_list", Value::Null)?;
    let live = live["items"].as_array().cloned().unwrap_or_default();
    for source in live.iter().chain(&folders(args)?) {
        if output.is_json() {
            output.json(source)?;
            continue;
        }
        let text = |field: &str| source[field].as_str().unwrap_or_default();
        let detail = if text("detail").is_empty() { String::new() } else { format!(": {}", text("detail")) };
        let undecided = source["undecided"].as_u64().filter(|count| *count > 0);
        let undecided = undecided.map_or_else(String::new, |count| format!("; {count} channels not decided about"));
        output.line(format!(
            "{}  {:<8} {}  {}{detail}{undecided}",
            text("id"),
            text("kind"),
            text("name"),
            words(text("state"))
        ))?;
    }
    Ok(())
}

/// Describes a source's state in words.
fn words(state: &str) -> &str {
    match state {
        "live" => "up to date",
        "catching_up" => "reading older messages",
        "scheduled" => "waiting for its hour",
        "retrying" => "cannot be reached",
        "needs_attention" => "needs you",
        "needs_secret" => "needs you to sign in again",
        "stopped" => "not read, because Keepsake does not run",
        other => other,
    }
}

/// Prints a source that was added.
fn added(made: &Value, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(made);
    }
    output.line(made["id"].as_str().unwrap_or_default())?;
    let Some(token) = made["token"].as_str() else {
        return output.line(format!(
            "{} rooms, folders or chats were found. Nothing is stored until you choose some: keepsake sources choose",
            made["channels"]
        ));
    };
    output.line(token)?;
    output.line(format!(
        "This is the only time the token is shown. Send messages to http://127.0.0.1:{AGENT_PORT}/v1/in/{} with it as a bearer token, \
         while agents are served (keepsake serve --no-ui, or the switch in the window's settings).",
        made["id"].as_str().unwrap_or_default()
    ))
}

fn channels(listed: &Value, output: &mut Output) -> Result<(), Failure> {
    for row in listed["items"].as_array().into_iter().flatten() {
        if output.is_json() {
            output.json(row)?;
            continue;
        }
        let text = |field: &str| row[field].as_str().unwrap_or_default();
        let members = row["member_count"].as_u64().map_or_else(String::new, |count| format!(", {count} members"));
        let note = |field: &str, words: &'static str| if row[field] == true { words } else { "" };
        output.line(format!(
            "{:<8} {}  {}{members}{}{}",
            text("choice"),
            text("channel"),
            text("title"),
            note("is_encrypted", ", encrypted"),
            note("is_public", ", anyone can read it"),
        ))?;
    }
    Ok(())
}

/// The channels that nobody has decided about.
fn undecided(commands: &Commands<'_>, id: &str) -> Result<Vec<String>, Failure> {
    let listed = commands.run("live_channels_list", json!({ "id": id }))?;
    let rows = listed["items"].as_array().into_iter().flatten();
    Ok(rows.filter(|row| row["choice"] == "ask").filter_map(|row| row["channel"].as_str().map(str::to_owned)).collect())
}

fn pause(args: &Args, commands: &Commands<'_>, id: Option<&str>, is_paused: bool, output: &mut Output) -> Result<(), Failure> {
    commands.run("live_source_pause", json!({ "id": id, "is_paused": is_paused }))?;
    list(args, commands, output)
}

fn absolute(path: &Path) -> Result<std::path::PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

fn add_folder(args: &Args, path: &Path, kind: &str, hour: u8, me: Option<&str>) -> Result<(), Failure> {
    let app = app(args)?;
    let file = app.register_file(&absolute(path)?);
    dispatch(&app, "watched_add", json!({ "token": file.token, "kind": kind, "hour": hour, "me": me }))?;
    Ok(())
}

fn remove_folder(args: &Args, path: &Path) -> Result<(), Failure> {
    dispatch(&app(args)?, "watched_remove", json!({ "id": absolute(path)?.to_string_lossy() }))?;
    Ok(())
}

fn follow(args: &Args, programs: &[String]) -> Result<(), Failure> {
    dispatch(&app(args)?, "watched_follow", json!({ "programs": programs }))?;
    Ok(())
}

/// Lists the terminal agents whose sessions are found on this computer.
fn offers(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let offers = dispatch(&app(args)?, "watched_offers", Value::Null)?;
    for offer in offers["items"].as_array().into_iter().flatten() {
        if output.is_json() {
            output.json(offer)?;
            continue;
        }
        let text = |field: &str| offer[field].as_str().unwrap_or_default();
        output.line(format!("{}  {} sessions  {}", text("program"), offer["sessions"], text("path")))?;
    }
    Ok(())
}

fn remove(args: &Args, commands: &Commands<'_>, id: &str, forget: bool, output: &mut Output) -> Result<(), Failure> {
    if !id.starts_with(keepsake_domain::LiveSourceId::PREFIX) {
        if forget {
            return Err(Failure::new(
                "what a folder brought is forgotten by undoing its imports: keepsake imports lists them, keepsake imports undo ID",
            ));
        }
        remove_folder(args, Path::new(id))?;
        return list(args, commands, output);
    }
    let removed = commands.run("live_source_remove", json!({ "id": id, "forget": forget }))?;
    if output.is_json() {
        return output.json(&removed);
    }
    match (forget, removed["is_pending"] == true) {
        (false, _) => output.line("Removed. What it brought stays; it is listed by keepsake imports."),
        (true, false) => output.line(format!("Removed. {} messages were erased.", removed["messages"])),
        (true, true) => {
            output.line(format!("Removed. {} messages were erased; the files are overwritten in a moment.", removed["messages"]))
        }
    }
}
