//! Arguments of `keepsake sources`: accounts, webhooks and folders from which messages arrive.

use std::path::PathBuf;

use clap::Subcommand;
use keepsake_connectors::mail::OAuthSettings;

/// An action on sources.
#[derive(Debug, Subcommand)]
pub(crate) enum SourcesCommand {
    /// List the sources, and what each is doing.
    List,
    /// Add a source. Passwords and tokens are read from standard input.
    #[command(subcommand)]
    Add(SourceAdd),
    /// List the rooms, folders and chats of a source, and what was chosen for each.
    Channels {
        /// Id of the source.
        id: String,
    },
    /// Choose what to do with rooms, folders and chats of a source. Nothing is stored from those without a choice.
    Choose {
        /// Id of the source.
        id: String,
        /// What to do: ask, remember or ignore.
        #[arg(value_parser = ["ask", "remember", "ignore"])]
        choice: String,
        /// Ids of the channels. Default: all that nobody has decided about.
        #[arg(value_name = "CHANNEL")]
        channels: Vec<String>,
        /// Leave out messages before this day: 2026-03-04.
        #[arg(long, value_name = "DATE")]
        since: Option<String>,
    },
    /// Enter the password or token of a source again, on standard input. For mail that signs in with a code: prints the page and the
    /// code.
    Login {
        /// Id of the source.
        id: String,
        /// Sign in with the browser: prints the address to open on this computer.
        #[arg(long)]
        browser: bool,
    },
    /// Verify Keepsake's device for a Matrix account with the account's recovery key or passphrase, from standard input. This
    /// also opens the key backup, so that earlier messages can be read. Keepsake must be running.
    Verify {
        /// Id of the source.
        id: String,
    },
    /// Stop reading a source for now. Without an id: all sources.
    Pause {
        /// Id of the source.
        id: Option<String>,
    },
    /// Resume reading a source. Without an id: all sources.
    Resume {
        /// Id of the source.
        id: Option<String>,
    },
    /// Read a source once a day, or as messages arrive.
    Schedule {
        /// Id of the source.
        id: String,
        /// Local hour of the daily reading, 0 to 23, or "live".
        #[arg(value_name = "HOUR")]
        when: String,
    },
    /// Follow the sessions of terminal agents as they are written. Without a program: list what is found on this computer.
    Follow {
        /// claude-code, codex or gemini-cli.
        #[arg(value_name = "PROGRAM")]
        programs: Vec<String>,
    },
    /// Give a source another name.
    Rename {
        /// Id of the source.
        id: String,
        /// The new name.
        name: String,
    },
    /// Give a webhook a new token, which is printed once. The old one is refused from then on.
    Token {
        /// Id of the webhook.
        id: String,
    },
    /// Remove a source. What came from it is kept, unless you also erase that.
    Remove {
        /// Id of the source: for a folder, its path.
        id: String,
        /// Erase everything that came from it.
        #[arg(long)]
        forget: bool,
    },
}

/// A source to add.
#[derive(Debug, Subcommand)]
pub(crate) enum SourceAdd {
    /// Watch a file or folder, and import new content automatically.
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// chat (read once a day), meetings (read every ten minutes) or live (followed as it changes).
        #[arg(long, value_parser = ["chat", "meetings", "live"], default_value = "chat")]
        kind: String,
        /// Hour of the day (local time) at which chats are read.
        #[arg(long, default_value_t = keepsake_engine::CHAT_HOUR, value_parser = clap::value_parser!(u8).range(0..24))]
        hour: u8,
        /// Your name or handle in the files.
        #[arg(long, value_name = "NAME_OR_HANDLE")]
        me: Option<String>,
    },
    /// Let other programs send messages: prints the id and, once, the token. They send Keepsake JSONL to /v1/in/ID.
    Webhook {
        /// A name, for example that of the bridge.
        #[arg(long)]
        name: String,
    },
    /// Read a mailbox over IMAP. The password is read from standard input; with a client ID, the page and the code for signing
    /// in are printed instead. Nothing in the mailbox is changed.
    Mail {
        /// The server.
        #[arg(long)]
        host: String,
        /// Its port. Default: 993, or 143 with STARTTLS.
        #[arg(long)]
        port: Option<u16>,
        /// How the connection is protected; plain is allowed only to this computer.
        #[arg(long, value_parser = ["tls", "starttls", "plain"], default_value = "tls")]
        security: String,
        /// The name to sign in with, often the address.
        #[arg(long)]
        user: String,
        /// Also read mailing lists, newsletters and messages sent by programs.
        #[arg(long)]
        with_automatic: bool,
        #[command(flatten)]
        oauth: OAuthArgs,
    },
    /// Read a Matrix account, encrypted rooms included. The password is read from standard input. Nothing is sent to any room.
    Matrix {
        /// The homeserver: its name or address. Default: the one in the user id.
        #[arg(long, default_value = "")]
        homeserver: String,
        /// The user: @mara:example.org, or the name alone.
        #[arg(long, required_unless_present_all = ["browser", "homeserver"], default_value = "", hide_default_value = true)]
        user: String,
        /// Standard input contains an access token instead of the password.
        #[arg(long, conflicts_with = "browser")]
        token: bool,
        /// Sign in with the browser: prints the address to open on this computer. Nothing is read from standard input.
        #[arg(long)]
        browser: bool,
    },
    /// Read the SimpleX program that runs on this computer, started as simplex-chat -p PORT.
    Simplex {
        /// The port that it listens on.
        #[arg(long, default_value_t = keepsake_connectors::SIMPLEX_PORT)]
        port: u16,
    },
}

/// Signing in with a code at the provider (OAuth 2.0 device flow). Keepsake comes with no client ID; you register one with the
/// provider.
#[derive(Debug, clap::Args)]
pub(crate) struct OAuthArgs {
    /// Sign in with a code at the provider: the client ID that you registered there. Nothing is read from standard input.
    #[arg(long, value_name = "ID", requires_all = ["oauth_device_url", "oauth_token_url"])]
    pub(crate) oauth_client_id: Option<String>,
    /// The provider's address for requesting codes.
    #[arg(long, value_name = "URL", requires = "oauth_client_id")]
    pub(crate) oauth_device_url: Option<String>,
    /// The provider's address for requesting tokens.
    #[arg(long, value_name = "URL", requires = "oauth_client_id")]
    pub(crate) oauth_token_url: Option<String>,
    /// The scope that the tokens need, as named by the provider.
    #[arg(long, value_name = "SCOPE", requires = "oauth_client_id")]
    pub(crate) oauth_scope: Option<String>,
}

impl OAuthArgs {
    /// The settings for signing in to a mailbox with a code; `None` if it uses a password.
    pub(crate) fn settings(&self) -> Option<OAuthSettings> {
        Some(OAuthSettings {
            client_id: self.oauth_client_id.clone()?,
            device_url: self.oauth_device_url.clone()?,
            token_url: self.oauth_token_url.clone()?,
            scope: self.oauth_scope.clone().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(subcommand)]
        command: SourcesCommand,
    }

    fn mail(more: &[&str]) -> Result<Option<OAuthSettings>, clap::Error> {
        let line = ["sources", "add", "mail", "--host", "m.example", "--user", "ana@m.example"];
        match Line::try_parse_from(line.iter().chain(more))?.command {
            SourcesCommand::Add(SourceAdd::Mail { oauth, .. }) => Ok(oauth.settings()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_mailbox_signs_in_with_a_password_unless_everything_for_a_code_is_given() {
        assert_eq!(mail(&[]).unwrap(), None);
        let [id, device] = [["--oauth-client-id", "app-1"], ["--oauth-device-url", "https://p.example/device"]];
        let [token, scope] = [["--oauth-token-url", "https://p.example/token"], ["--oauth-scope", "mail offline_access"]];
        let whole = mail(&[id, device, token, scope].concat()).unwrap().unwrap();
        assert_eq!((whole.client_id.as_str(), whole.device_url.as_str()), ("app-1", "https://p.example/device"));
        assert_eq!((whole.token_url.as_str(), whole.scope.as_str()), ("https://p.example/token", "mail offline_access"));
        assert!(mail(&[id, device, token].concat()).is_ok(), "a provider may need no scope");
        for part in [[id, device].concat(), [id, token].concat(), [device, token, scope].concat()] {
            assert!(mail(&part).is_err(), "{part:?}");
        }
    }
}
