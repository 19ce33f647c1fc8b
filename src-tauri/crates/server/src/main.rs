//! The `keepsake` binary: the command line, and the same window served on loopback.
//!
//! It is only an adapter: it parses arguments, calls `keepsake-api` and the engine, and prints text or JSON.
//! docs/sources.md#design-command-line specifies the output formats that scripts rely on. Exit codes: 0 for success, 1 for a
//! failure with one line on standard error, 2 for incorrect usage.

// The purpose of this program is to print.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod output;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use args::{AgentsArgs, Args, ChannelsCommand, Command, GapsCommand, SessionCommand, SettingsOf, TopicsCommand};
use output::{Failure, Output};

fn main() -> ExitCode {
    keepsake_store::keep_files_private();
    let args = Args::parse();
    start_log(args.verbose);
    let mut output = Output::new(args.json);
    match run(&args, &mut output).and_then(|()| output.finish()) {
        Ok(()) => {
            if args.command.may_change_data() {
                commands::tell_changed(&args);
            }
            ExitCode::SUCCESS
        }
        // The reader of the pipe is gone, so nobody would see a message.
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Message(message)) => {
            let _ = std::io::stdout().flush();
            eprintln!("keepsake: {}", keepsake_prompt::visible(&message.replace('\n', " ")));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    match &args.command {
        Command::Import(import) => commands::import::run(args, import, output),
        Command::Imports { command } => commands::erase::imports(args, command.as_ref(), output),
        Command::Extract { offer } => commands::extract::extract(*offer, output),
        Command::Scrub => commands::extract::scrub(output),
        Command::RunJobs { until_idle } => commands::jobs::run(args, *until_idle, output),
        Command::Analyze { conversation, force } => commands::conversations::analyze(args, conversation, *force, output),
        Command::Memories(list) => commands::memories::list(args, list, output),
        Command::Approve { ids } => commands::memories::approve(args, ids, output),
        Command::Reject { ids, reason } => commands::memories::reject(args, ids, reason.as_deref(), output),
        Command::Undo => commands::memories::undo(args, output),
        Command::Conversations { limit } => commands::conversations::list(args, *limit, output),
        Command::Private { conversation, state, existing, use_private_time } => {
            commands::conversations::private(args, conversation, *state, (*existing, *use_private_time), output)
        }
        Command::People => commands::people::people(args, output),
        Command::Profile { id, history, debunk, restore, correct } => {
            let act = match (debunk, restore, correct) {
                (true, ..) => Some(commands::profile::Act::Debunk(true)),
                (_, true, _) => Some(commands::profile::Act::Debunk(false)),
                (.., Some(content)) => Some(commands::profile::Act::Correct(content)),
                _ => None,
            };
            commands::profile::run(args, id, *history, act, output)
        }
        Command::Links => commands::people::links(args, output),
        Command::Speakers { command } => commands::unidentified_speakers::run(args, command.as_ref(), output),
        Command::Link(link) => commands::people::link(args, link, output),
        Command::Unlink { id } => commands::people::unlink(args, id, output),
        Command::Channels { command: None | Some(ChannelsCommand::List) } => commands::people::channels(args, output),
        Command::Channels { command: Some(ChannelsCommand::Set(wanted)) } | Command::Channel(wanted) => {
            commands::people::channel(args, &wanted.channel, wanted.visibility, output)
        }
        Command::Topics { command } => commands::topics::run(args, command.as_ref().unwrap_or(&TopicsCommand::List), output),
        Command::Timeline(timeline) => commands::charts::timeline(args, timeline, output),
        Command::Graph { person, topic } => commands::charts::graph(args, person.as_deref(), topic.as_deref(), output),
        Command::Settings { of: SettingsOf::Topics(rules) } => commands::topics::rules(args, rules, output),
        Command::Playbooks(playbooks) => commands::playbooks::run(args, playbooks, output),
        Command::Settings { of: SettingsOf::Playbooks { webhook } } => {
            commands::playbooks::settings(args, webhook.as_deref(), output)
        }
        Command::Reflect(reflect) => commands::reflection::run(args, reflect, output),
        Command::Settings { of: SettingsOf::Reflection { automatic } } => {
            commands::reflection::settings(args, automatic.as_deref(), output)
        }
        Command::Settings { of: SettingsOf::Analysis { automatic } } => {
            commands::conversations::analysis_settings(args, *automatic, output)
        }
        Command::Router { state } => commands::models::router(args, *state, output),
        Command::Audit { sample, seed } => commands::audit::run(args, *sample, *seed, output),
        Command::Rebuild => commands::maintenance::rebuild(args, output),
        Command::Maintain { cancel } => commands::maintenance::maintain(args, *cancel, output),
        Command::Digest => commands::maintenance::digest(args, output),
        Command::Expired { restore, all } => commands::maintenance::expired(args, restore, *all, output),
        Command::Gaps { command } => commands::gaps::run(args, command.as_ref().unwrap_or(&GapsCommand::List), output),
        Command::Share { id, off } => commands::people::share(args, id, !off, output),
        Command::Agents(AgentsArgs { command: Some(command), .. }) => commands::agents::run(args, command, output),
        Command::Agents(agents) => commands::people::agents(args, agents, output),
        Command::Summaries(wanted) => commands::sessions::summaries(args, wanted, output),
        Command::Session { what: SessionCommand::End { conversation, agent } } => {
            commands::sessions::end(args, conversation, agent.as_deref(), output)
        }
        Command::Tiers(wanted) => commands::sessions::tiers(args, wanted, output),
        Command::Role { person, role } => commands::sessions::role(args, person, role, output),
        Command::Context(context) => commands::people::context(args, context, output),
        Command::Search(search) => commands::search::run(args, search, output),
        Command::Models { command } => commands::models::run(args, command.as_ref(), output),
        Command::Sources { command } => commands::sources::run(args, command.as_ref(), output),
        Command::Watch { command } => commands::sources::watch(args, command.as_ref(), output),
        Command::Erase { what } => commands::erase::run(args, what, output),
        Command::Backup { file } => commands::backup::back_up(args, file.as_deref(), output),
        Command::Backups => commands::backup::list(args, output),
        Command::Export { folder } => commands::backup::export(args, folder, output),
        Command::Restore { file, salvage } => commands::backup::restore(args, file, *salvage, output),
        Command::Status => commands::status(args, output),
        Command::Verify => commands::verify(args, output),
        Command::Serve(serve) => commands::serve::run(args, serve, output),
        Command::Service(service) => commands::service::run(args, service, output),
        Command::Connect(wanted) => commands::connect::run(args, wanted, output),
        Command::Hook(hook) => commands::hook::run(args, hook, output),
        Command::Mcp(agent) => commands::serve::mcp(args, agent),
    }
}

/// Writes warnings to standard error. Message text never reaches a log.
fn start_log(verbose: bool) {
    let level = if verbose { "info" } else { "error" };
    let filter = tracing_subscriber::EnvFilter::try_from_env("KEEPSAKE_LOG").unwrap_or_else(|_| level.into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
