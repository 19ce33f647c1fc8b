//! The clients, their names, and what each can do. Where they keep their files is in `client_files.rs`.

/// A program that can start Keepsake's server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Zed.
    Zed,
    /// Goose.
    Goose,
    /// OpenHands.
    OpenHands,
}

impl Client {
    /// All clients, in the order in which they are listed.
    pub const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::GeminiCli,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
        Self::Goose,
        Self::OpenHands,
    ];

    /// The name on the command line, which is also the default name of the agent.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
            Self::Goose => "goose",
            Self::OpenHands => "openhands",
        }
    }

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::VsCode => "Visual Studio Code",
            Self::Zed => "Zed",
            Self::Goose => "Goose",
            Self::OpenHands => "OpenHands",
        }
    }

    /// Whether it reads instructions from a user-level file.
    pub const fn has_instructions(self) -> bool {
        !matches!(self, Self::ClaudeDesktop | Self::Cursor)
    }

    /// Whether it runs commands on events.
    pub const fn has_hooks(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Codex)
    }

    /// The client with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// What the person has to do before the change takes effect.
    pub(super) const fn afterwards(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Quit Claude Desktop completely and open it again",
            Self::VsCode => {
                "Start the server in Visual Studio Code when it asks; a profile other than the default has its own list"
            }
            Self::Zed => "Zed reads the change by itself",
            Self::Cursor => "Restart Cursor, and switch the server on in its settings if it is off",
            Self::ClaudeCode | Self::Codex | Self::GeminiCli | Self::Goose | Self::OpenHands => "Start a new session",
        }
    }
}
