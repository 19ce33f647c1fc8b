//! Offers to follow the terminal agents whose sessions are stored on this computer. Nothing is followed until the person
//! agrees, and an answer of "no" is remembered.
//!
//! Not here: reading the sessions (`keepsake-engine`), and adding Keepsake to an agent's settings (`connect`).

use keepsake_connect::{Client, Env, read_file};
use keepsake_engine::{CHAT_HOUR, Engine, WatchKind, WatchedSource, session_files};

use super::models::watched_list;
use crate::app::App;
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::models::*;

/// Setting that stores that the person does not want to be asked.
const DISMISSED_SETTING: &str = "watched_offers_dismissed";

/// Name of this setting in error messages.
const DISMISSED: &str = "answer about following terminal agents";

/// The programs whose sessions are found in this environment, except those in a source that is already watched.
fn offers(env: &Env, sources: &[WatchedSource]) -> Vec<WatchedOffer> {
    let found = Client::ALL.into_iter().filter_map(|client| Some((client, client.sessions_folder(env, &read_file)?)));
    let unwatched = found.filter(|(_, folder)| !sources.iter().any(|source| folder.starts_with(&source.path)));
    unwatched
        .map(|(client, folder)| WatchedOffer {
            program: client.name().to_owned(),
            name: client.title().to_owned(),
            sessions: session_files(&folder),
            path: folder.to_string_lossy().into_owned(),
        })
        .filter(|offer| offer.sessions > 0)
        .collect()
}

pub(crate) fn watched_offers(app: &App, _request: Nothing) -> Result<WatchedOffers, ApiError> {
    let engine = app.engine();
    let is_dismissed: bool = engine.store().read(|tx| tx.settings().choice(DISMISSED_SETTING, DISMISSED))?;
    let items = match app.inner.surroundings.env() {
        Ok(env) => offers(&env, &engine.sources().watched_sources()?),
        Err(_) => Vec::new(),
    };
    Ok(WatchedOffers { items, is_dismissed })
}

pub(crate) fn watched_follow(app: &App, request: WatchedFollowRequest) -> Result<WatchedSources, ApiError> {
    let env = app.inner.surroundings.env()?;
    follow(app.engine(), &env, &request.programs)?;
    watched_list(app, Nothing {})
}

/// Follows the sessions of these programs.
fn follow(engine: &Engine, env: &Env, programs: &[String]) -> Result<(), ApiError> {
    let mut sources = engine.sources().watched_sources()?;
    for program in programs {
        let folder = Client::named(program).and_then(|client| client.sessions_folder(env, &read_file));
        let path = folder.ok_or_else(|| {
            ApiError::not_found(format!("the sessions of {program:?} cannot be followed; use claude-code, codex or gemini-cli"))
        })?;
        sources.retain(|source| source.path != path);
        sources.push(WatchedSource { path, kind: WatchKind::Live, hour: CHAT_HOUR, me: None });
    }
    Ok(engine.sources().set_watched_sources(&sources)?)
}

pub(crate) fn watched_offers_dismiss(app: &App, _request: Nothing) -> Result<WatchedOffers, ApiError> {
    let engine = app.engine();
    engine.store().write(|tx| tx.settings().put_choice(DISMISSED_SETTING, DISMISSED, &true, engine.now()))?;
    watched_offers(app, Nothing {})
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use keepsake_connect::Os;

    use super::*;

    fn env(home: &Path) -> Env {
        let vars = ["HOME", "USERPROFILE"].map(|name| (name.into(), home.as_os_str().to_owned()));
        Env::from_vars(Os::current(), vars).unwrap()
    }

    fn file(home: &Path, name: &str) {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "{}\n").unwrap();
    }

    #[test]
    fn what_lies_on_the_computer_and_is_not_watched_is_offered() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        let check = |watched: &[&str], expect: &[(&str, u64)], why: &str| {
            let source = |path: &&str| WatchedSource { path: home.join(path), kind: WatchKind::Chat, hour: 22, me: None };
            let found = offers(&env(home), &watched.iter().map(source).collect::<Vec<_>>());
            let found: Vec<_> = found.iter().map(|offer| (offer.program.as_str(), offer.sessions)).collect();
            assert_eq!(found, expect, "{why}");
        };
        check(&[], &[], "no program was ever used");
        std::fs::create_dir_all(home.join(".claude/projects/empty")).unwrap();
        check(&[], &[], "a folder without sessions is no offer");
        file(home, ".claude/projects/a/1.jsonl");
        file(home, ".claude/projects/a/1/subagents/2.jsonl");
        file(home, ".claude/projects/a/notes.md");
        file(home, ".codex/sessions/2026/03/02/rollout-1.jsonl");
        file(home, ".gemini/tmp/p/chats/session-1.json");
        file(home, ".gemini/tmp/p/logs.json");
        check(&[], &[("claude-code", 2), ("codex", 1), ("gemini-cli", 1)], "each with the number of its sessions");
        check(&[".claude", ".codex/sessions"], &[("gemini-cli", 1)], "what is watched, or lies in what is, is not offered");
        check(&[".claude/projects/a"], &[("claude-code", 2), ("codex", 1), ("gemini-cli", 1)], "a part of it is not all of it");
    }
}
