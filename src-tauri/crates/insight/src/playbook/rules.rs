//! Thresholds and limits for playbooks, each with its reason. A playbook is a repeated procedure. Deliberately not here: the
//! code that uses them.

/// How many days back to search for playbooks (seed 000, `playbookLookbackDays`).
pub const LOOKBACK_DAYS: i64 = 14;

/// Minimum number of different tools in a playbook (seed 000).
pub const TOOLS_MIN: usize = 4;

/// Minimum number of sessions that show a playbook (seed 000: three occurrences). Repetitions within one session count once,
/// because a loop on a single afternoon is not an established procedure.
pub const OCCURRENCES_MIN: usize = 3;

/// Maximum number of playbooks proposed per run, strongest first; nobody reviews more in one sitting.
pub const FOUND_MAX: usize = 40;

/// Minimum share of supporting sessions for high confidence, out of all sessions that support or contradict a pattern.
pub(crate) const HIGH_SHARE: f64 = 0.8;

/// Minimum number of supporting sessions for high confidence, because three out of three may be coincidence.
pub(crate) const HIGH_OCCURRENCES: usize = 5;

/// Minimum share of supporting sessions for medium confidence, a little under two out of three.
pub(crate) const MEDIUM_SHARE: f64 = 0.6;

/// Two patterns describe the same procedure if one shares more than this fraction of its sessions and steps with the other.
pub(crate) const SAME_SHARE: f64 = 0.5;

/// Maximum number of other events between two steps. Within a procedure, an agent may look something up or fix something; a
/// longer gap means that other work began.
pub(crate) const GAP_MAX: usize = 4;

/// Maximum number of steps in a pattern; a longer one is really two patterns.
pub(crate) const STEPS_MAX: usize = 14;

/// Maximum number of prefixes grown for each first step. A few hundred are typical. Without a limit, sessions in which every
/// step follows every other one could keep the computer busy forever.
pub(crate) const PREFIXES_MAX: usize = 1_000;

/// Maximum number of patterns returned.
pub(crate) const PATTERNS_MAX: usize = 10_000;

/// Maximum number of characters in a title; lists would cut off a longer one.
pub(crate) const TITLE_CHARS_MAX: usize = 60;

/// Maximum number of characters in the description, which is one sentence. An agent reads it to decide whether it needs the
/// skill.
pub(crate) const WHEN_CHARS_MAX: usize = 240;

/// Maximum number of characters in a step's purpose, which is shown on one line next to the step.
pub(crate) const PURPOSE_CHARS_MAX: usize = 100;

/// Minimum share of a title's words that must occur in the steps.
pub(crate) const TITLE_SUPPORT_MIN: f64 = 0.5;

/// Minimum share of a sentence's words that must occur in the steps. Lower than for a title, because a purpose uses other words
/// than commands do.
pub(crate) const SENTENCE_SUPPORT_MIN: f64 = 0.3;

/// If less than this share of a reply passes the checks, the rest is not trusted either.
pub(crate) const HOLD_MIN: f64 = 0.5;

/// Maximum number of programs read from one command line; a longer script is a program of its own.
pub(crate) const COMMANDS_MAX: usize = 12;

/// Maximum length of a name in the skills format.
pub const NAME_CHARS_MAX: usize = 64;

/// Maximum length of a description in the skills format.
pub const DESCRIPTION_CHARS_MAX: usize = 1_024;

/// Maximum number of characters in a step; longer text is cut, because nobody reads a multi-line command in a list.
pub(crate) const STEP_CHARS_MAX: usize = 240;

/// Maximum number of steps that a title names before the last one.
pub(crate) const TITLE_STEPS: usize = 3;

/// A pause in tool use of more than this, in milliseconds, starts a new session. A step that depends on an earlier one, such as
/// a build or a review, may take an hour or two; a longer pause means another day or other work.
pub(crate) const SESSION_PAUSE_MS: i64 = 4 * 60 * 60 * 1000;

/// Maximum number of tool uses read per session; a session with more ran unattended for days.
pub(crate) const USES_MAX: usize = 4_000;

/// Maximum number of characters in a value. A longer one is running text rather than an argument that a person would write into
/// a step.
pub(crate) const VALUE_CHARS_MAX: usize = 160;

/// Maximum distance, in lines, between a use and its result if the source gives no ids.
pub(crate) const NEAR: usize = 16;

/// The same limit if the source gives ids. Many calls can be open at the same time, but most results follow directly after their
/// use.
pub(crate) const FAR: usize = 256;
