//! Finds the programs in a shell command line: `cd app && cargo test -p x | tail` is one use of `cargo test`.
//!
//! A shell runs tools but does not count as a tool itself (decision 14). Command lines are split as a shell would split them,
//! but only as far as needed to name the programs. Commands that only navigate or control the shell are dropped. Deliberately
//! not here: expansion, and running anything.

use crate::playbook::rules::COMMANDS_MAX;
/// Tools that pass a command line to a shell.
const SHELLS: [&str; 16] = [
    "bash", "shell", "sh", "zsh", "local_shell", "shell_command", "exec_command", "unified_exec", "container.exec",
    "run_shell_command", "execute_command", "execute_bash", "run_command", "run_terminal_cmd", "run_in_terminal", "terminal",
];

/// Commands that only navigate, print, or control the shell and do none of the actual work.
const FURNITURE: [&str; 34] = [
    "cd", "pushd", "popd", "echo", "printf", "export", "set", "unset", "source", ".", "true", "false", "sleep", "pwd", "test",
    "[", "[[", "wait", "exit", "return", "read", "shopt", "alias", "ulimit", "trap", "for", "case", "esac", "fi", "done", "}",
    ")", "clear", ":",
];

/// Words that may precede a command but are not part of it.
const IN_FRONT: [&str; 18] = [
    "sudo", "env", "time", "nohup", "command", "exec", "builtin", "nice", "if", "then", "else", "elif", "while", "until", "do",
    "!", "{", "(",
];

/// Programs with subcommands. The word after the program names the action.
const OF_MANY: [&str; 44] = [
    "git", "cargo", "npm", "pnpm", "yarn", "bun", "deno", "go", "docker", "podman", "kubectl", "helm", "gh", "glab", "pip",
    "pip3", "uv", "poetry", "pipenv", "conda", "brew", "apt", "apt-get", "dnf", "pacman", "systemctl", "terraform", "tofu",
    "ansible", "make", "just", "rake", "bundle", "gem", "gradle", "./gradlew", "mvn", "dotnet", "rustup", "npx", "flutter",
    "mix", "swift", "vercel",
];

/// Subcommands whose name includes the word after them: `gh release create`, `npm run build`.
const OF_TWO: [(&str, &str); 14] = [
    ("gh", "release"),
    ("gh", "pr"),
    ("gh", "issue"),
    ("gh", "run"),
    ("gh", "workflow"),
    ("glab", "mr"),
    ("npm", "run"),
    ("pnpm", "run"),
    ("yarn", "run"),
    ("bun", "run"),
    ("docker", "compose"),
    ("git", "stash"),
    ("git", "submodule"),
    ("uv", "run"),
];

/// Options that take a value and come before the subcommand.
const WITH_VALUE: [&str; 6] = ["-C", "-c", "--git-dir", "--work-tree", "--context", "-n"];

/// One program run by a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// The program, such as `git`.
    pub(super) program: String,
    /// The program with its action, such as `git commit`.
    pub(super) name: String,
    /// The words after the name.
    pub(super) words: Vec<String>,
}

/// True if the tool with this name is a shell.
pub(super) fn is_shell(tool: &str) -> bool {
    let tool = tool.to_lowercase();
    SHELLS.contains(&tool.as_str())
}

/// The programs of a command line, in order.
pub(super) fn commands(line: &str) -> Vec<Command> {
    split(line).into_iter().filter_map(command).take(COMMANDS_MAX).collect()
}

/// The programs run by an argument list: the program itself or, if it is a shell, the programs in its command line.
pub(super) fn commands_of_words(words: &[String]) -> Vec<Command> {
    let program = words.first().map(|word| base(word)).unwrap_or_default();
    match words {
        [_, flag, line, ..] if ["bash", "sh", "zsh"].contains(&program) && flag.starts_with('-') && flag.ends_with('c') => {
            commands(line)
        }
        _ => command(words.to_vec()).into_iter().collect(),
    }
}

fn base(word: &str) -> &str {
    if word.starts_with("./gradlew") { word } else { word.rsplit('/').next().unwrap_or(word) }
}

/// The words of each command in a line. Only the first command of a pipe counts; the others only process its output.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut is_piped = false;
    let mut heredoc: Option<String> = None;
    let mut chars = line.chars().peekable();
    macro_rules! end_word {
        () => {
            if let Some(word) = word.take() {
                words.push(word);
            }
        };
    }
    macro_rules! end_command {
        ($piped:expr) => {
            end_word!();
            let done = std::mem::take(&mut words);
            if !done.is_empty() && !is_piped {
                all.push(done);
            }
            is_piped = $piped;
        };
    }
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                if let Some(next) = chars.next().filter(|next| *next != '\n') {
                    word.get_or_insert_default().push(next);
                }
            }
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                while let Some(inner) = chars.next() {
                    if inner == char {
                        break;
                    }
                    if inner == '\\' && char == '"' {
                        word.extend(chars.next());
                    } else {
                        word.push(inner);
                    }
                }
            }
            '<' if chars.peek() == Some(&'<') => {
                chars.next();
                end_word!();
                while chars.next_if(|next| matches!(next, '-' | ' ' | '\'' | '"' | '<')).is_some() {}
                let mut mark = String::new();
                while let Some(next) = chars.next_if(|next| next.is_alphanumeric() || *next == '_') {
                    mark.push(next);
                }
                chars.next_if(|next| matches!(next, '\'' | '"'));
                heredoc = Some(mark).filter(|mark| !mark.is_empty());
            }
            '\n' => {
                end_command!(false);
                if let Some(mark) = heredoc.take() {
                    loop {
                        let text: String = std::iter::from_fn(|| chars.next_if(|next| *next != '\n')).collect();
                        let has_more = chars.next().is_some();
                        if text.trim() == mark || !has_more {
                            break;
                        }
                    }
                }
            }
            ';' => {
                end_command!(false);
            }
            // `2>&1` and `&>` belong to a redirection.
            '&' if word.as_deref().is_some_and(|word| word.ends_with('>')) => word.get_or_insert_default().push('&'),
            '&' if chars.peek() == Some(&'>') => word.get_or_insert_default().push('&'),
            '&' => {
                chars.next_if_eq(&'&');
                end_command!(false);
            }
            '|' => {
                let is_or = chars.next_if_eq(&'|').is_some();
                end_command!(!is_or);
            }
            '(' | ')' if word.is_none() => {}
            '#' if word.is_none() => while chars.next_if(|next| *next != '\n').is_some() {},
            char if char.is_whitespace() => end_word!(),
            char => word.get_or_insert_default().push(char),
        }
    }
    end_word!();
    if !words.is_empty() && !is_piped {
        all.push(words);
    }
    all
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn is_redirection(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    word.starts_with('>') || word.starts_with('<')
}

fn command(words: Vec<String>) -> Option<Command> {
    let mut words: Vec<String> = without_redirections(words);
    loop {
        let first = words.first()?;
        if first == "timeout" {
            words.drain(..words.len().min(2));
        } else if is_assignment(first) || IN_FRONT.contains(&first.as_str()) {
            words.remove(0);
        } else {
            break;
        }
    }
    let program = base(words.first()?).to_owned();
    if program.is_empty()
        || FURNITURE.contains(&program.as_str())
        || !program.starts_with(|c: char| c.is_alphanumeric() || c == '.')
    {
        return None;
    }
    words.remove(0);
    let mut name = program.clone();
    if OF_MANY.contains(&program.as_str()) {
        let mut at = 0;
        while words.get(at).is_some_and(|word| word.starts_with(['-', '+'])) {
            at += if words.get(at).is_some_and(|word| WITH_VALUE.contains(&word.as_str())) { 2 } else { 1 };
        }
        if let Some(act) = words.get(at).filter(|word| is_act(word)).cloned() {
            words.remove(at);
            name = format!("{name} {act}");
            if OF_TWO.contains(&(program.as_str(), act.as_str()))
                && let Some(more) = words.get(at).filter(|word| is_act(word)).cloned()
            {
                words.remove(at);
                name = format!("{name} {more}");
            }
        }
    }
    Some(Command { program, name, words })
}

/// True if a word names an action and is not a path, file or option.
fn is_act(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | ':'))
}

fn without_redirections(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut skips = false;
    for word in words {
        if std::mem::take(&mut skips) {
            continue;
        }
        if is_redirection(&word) {
            skips = word.ends_with(['>', '<']);
        } else {
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: &[(&str, &str)]) {
        let found: Vec<(String, String)> =
            commands(line).into_iter().map(|command| (command.name, command.words.join(" "))).collect();
        let expect: Vec<(String, String)> = expect.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn the_programs_of_a_command_line_are_named() {
        check("git status", &[("git status", "")]);
        check("cd app && cargo test -p x 2>&1 | tail -20", &[("cargo test", "-p x")]);
        check(
            "git add -A && git commit -m \"Release 1.2\"; git push",
            &[("git add", "-A"), ("git commit", "-m Release 1.2"), ("git push", "")],
        );
        check("RUST_LOG=debug sudo timeout 60 ./scripts/release.sh --dry-run", &[("release.sh", "--dry-run")]);
        check("cargo +nightly fmt", &[("cargo fmt", "+nightly")]);
        check("git -C /srv/app tag v1.2.0", &[("git tag", "-C /srv/app v1.2.0")]);
        check("gh release create v1 --notes 'a; b && c'", &[("gh release create", "v1 --notes a; b && c")]);
        check("npm run build || exit 1", &[("npm run build", "")]);
        check("cat <<'EOF' > notes.md\nrm -rf / ; git push\nEOF\nmake release", &[("cat", ""), ("make release", "")]);
        check("# only a remark\npytest -q # all\n", &[("pytest", "-q")]);
        check("if cargo check; then cargo test; fi", &[("cargo check", ""), ("cargo test", "")]);
        check("cd /x; echo done; export A=1", &[]);
        check("make -j2 release > log 2> err", &[("make release", "-j2")]);
        check("", &[]);
        check("'unclosed && git push", &[("unclosed && git push", "")]);
    }

    #[test]
    fn a_list_of_words_is_run_as_it_is_or_by_the_shell_that_it_names() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let names = |list: &[&str]| commands_of_words(&words(list)).into_iter().map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(names(&["git", "commit", "-m", "x && y"]), ["git commit"]);
        assert_eq!(names(&["bash", "-lc", "cargo test && git push"]), ["cargo test", "git push"]);
        assert_eq!(names(&["apply_patch", "*** Begin Patch"]), ["apply_patch"]);
        assert!(names(&[]).is_empty());
    }
}
