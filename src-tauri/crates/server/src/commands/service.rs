//! `keepsake service`: runs `keepsake serve --no-ui` in the background as a systemd user unit, so that agents are served while no
//! window is open.
//!
//! The unit is made by [`unit()`], a pure function. A unit that Keepsake did not write is not overwritten or removed unless the
//! person requests it. Not in this module: what is served (`serve`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::{data_dir, model_dir};
use crate::args::{Args, ServiceArgs, ServiceCommand};
use crate::output::{Failure, Output};

/// Name of the unit.
const UNIT: &str = "keepsake.service";

/// First line of every unit that Keepsake writes.
const MARK: &str = "# Written by `keepsake service install`.";

/// Seconds before a failed service is restarted, so that a persistent fault does not keep the computer busy.
const RESTART_S: u32 = 10;

/// Runs the command.
pub(crate) fn run(args: &Args, service: &ServiceArgs, output: &mut Output) -> Result<(), Failure> {
    match &service.command {
        ServiceCommand::Install { port, print, replace } => {
            let text = unit(&words(args, *port)?, std::env::var_os("KEEPSAKE_MODEL_DIR").is_some().then(model_dir).as_deref())?;
            if *print {
                return output.raw(&text);
            }
            install(&text, *replace, *port, output)
        }
        ServiceCommand::Remove { replace } => remove(*replace, output),
        ServiceCommand::Status => status(output),
    }
}

/// The command line of the service.
fn words(args: &Args, port: u16) -> Result<Vec<PathBuf>, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(format!("the path of keepsake cannot be found: {error}; start it by its full path")))?;
    let mut words = vec![program];
    if args.data_dir.is_some() {
        words.extend(["--data-dir".into(), data_dir(args)?.path]);
    }
    words.extend(["serve".into(), "--no-ui".into(), "--port".into(), port.to_string().into()]);
    Ok(words)
}

/// A word of a unit's command line, as systemd reads it (systemd.service(5), "Command lines"; systemd.syntax(7), "Quoting").
fn quoted(word: &Path) -> Result<String, Failure> {
    let text = word.to_str().filter(|text| !text.chars().any(char::is_control));
    let Some(text) = text else {
        let shown = word.display();
        return Err(Failure::new(format!("systemd cannot be given the path {shown}; use one without special characters")));
    };
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\\' | '"' => quoted.extend(['\\', c]),
            '%' | '$' => quoted.extend([c, c]),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Ok(quoted)
}

/// The text of the unit that runs this command line.
fn unit(words: &[PathBuf], model_dir: Option<&Path>) -> Result<String, Failure> {
    let command = words.iter().map(|word| quoted(word)).collect::<Result<Vec<_>, _>>()?.join(" ");
    let environment = match model_dir {
        Some(dir) => {
            let mut assignment = OsString::from("KEEPSAKE_MODEL_DIR=");
            assignment.push(dir);
            // A dollar sign is not special here.
            format!("Environment={}\n", quoted(Path::new(&assignment))?.replace("$$", "$"))
        }
        None => String::new(),
    };
    Ok(format!(
        "{MARK}\n\
         [Unit]\n\
         Description=Keepsake, a private memory, for agents on this computer\n\
         \n\
         [Service]\n\
         ExecStart={command}\n\
         {environment}\
         Restart=on-failure\n\
         RestartSec={RESTART_S}\n\
         NoNewPrivileges=yes\n\
         LockPersonality=yes\n\
         RestrictRealtime=yes\n\
         UMask=0077\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

/// The path of the unit, in the folder of the person's own units.
fn unit_path() -> Result<PathBuf, Failure> {
    if !cfg!(target_os = "linux") {
        return Err(Failure::new(
            "services are set up with systemd, which this system does not have; start `keepsake serve --no-ui` when you log in",
        ));
    }
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let config = config.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")));
    let config = config.ok_or_else(|| Failure::new("there is no home folder, so the unit cannot be stored; set HOME"))?;
    Ok(config.join("systemd/user").join(UNIT))
}

/// The unit as it is stored, if there is one.
fn stored(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(format!("{} cannot be read: {error}; check its permissions", path.display()))),
    }
}

fn systemctl(arguments: &[&str]) -> Result<String, Failure> {
    let ran = Command::new("systemctl").arg("--user").args(arguments).output().map_err(|error| {
        Failure::new(format!("systemctl cannot be run: {error}; start `keepsake serve --no-ui` in another way when you log in"))
    })?;
    let said = String::from_utf8_lossy(if ran.status.success() { &ran.stdout } else { &ran.stderr }).trim().to_owned();
    if ran.status.success() {
        return Ok(said);
    }
    Err(Failure::new(format!("`systemctl --user {}` failed: {said}", arguments.join(" "))))
}

/// Fails if Keepsake did not write the stored unit, unless it may be replaced.
fn check_ours(path: &Path, before: Option<&str>, replace: bool) -> Result<(), Failure> {
    if replace || before.is_none_or(|text| text.starts_with(MARK)) {
        return Ok(());
    }
    Err(Failure::new(format!("{} was not written by Keepsake; look at it, and use --replace to give it up", path.display())))
}

fn install(text: &str, replace: bool, port: u16, output: &mut Output) -> Result<(), Failure> {
    let path = unit_path()?;
    let before = stored(&path)?;
    check_ours(&path, before.as_deref(), replace)?;
    let failed = |error: std::io::Error| Failure::new(format!("{} cannot be written: {error}", path.display()));
    if before.as_deref() != Some(text) {
        let folder = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(folder).map_err(failed)?;
        let file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        std::fs::write(file.path(), text).map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
    }
    systemctl(&["daemon-reload"])?;
    systemctl(&["enable", UNIT])?;
    systemctl(&["restart", UNIT])?;
    if output.is_json() {
        return output.json(&json!({ "unit": path, "port": port, "changed": before.as_deref() != Some(text) }));
    }
    output.line(format!("Wrote {} and started it", path.display()))?;
    output.line(format!(
        "Agents are served at http://127.0.0.1:{port}/v1 and http://127.0.0.1:{port}/mcp, also after you log in again"
    ))
}

fn remove(replace: bool, output: &mut Output) -> Result<(), Failure> {
    let path = unit_path()?;
    let before = stored(&path)?;
    check_ours(&path, before.as_deref(), replace)?;
    if before.is_some() {
        systemctl(&["disable", "--now", UNIT])?;
        std::fs::remove_file(&path).map_err(|error| Failure::new(format!("{} cannot be removed: {error}", path.display())))?;
        systemctl(&["daemon-reload"])?;
    }
    if output.is_json() {
        return output.json(&json!({ "unit": path, "removed": before.is_some() }));
    }
    output.line(if before.is_some() {
        "The service was stopped and removed. Your data is untouched."
    } else {
        "There is no service"
    })
}

fn status(output: &mut Output) -> Result<(), Failure> {
    let path = unit_path()?;
    let is_installed = stored(&path)?.is_some();
    // This command fails for every state except "active".
    let state = if is_installed {
        systemctl(&["is-active", UNIT]).unwrap_or_else(|_| "not running".to_owned())
    } else {
        "not installed".to_owned()
    };
    if output.is_json() {
        return output.json(&json!({ "unit": path, "installed": is_installed, "state": state }));
    }
    output.line(format!("{}  {state}", path.display()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a quoted word as systemd does.
    fn read(quoted: &str) -> String {
        let mut text = String::new();
        let mut chars = quoted[1..quoted.len() - 1].chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => text.extend(chars.next()),
                '%' | '$' => {
                    assert_eq!(chars.next(), Some(c), "a lone {c} would be replaced: {quoted}");
                    text.push(c);
                }
                '"' => panic!("the word ends early: {quoted}"),
                c => text.push(c),
            }
        }
        text
    }

    proptest! {
        #[test]
        fn every_path_comes_back_as_it_was(text in "[ -~äß\\\\\"%$']{1,40}") {
            prop_assert_eq!(read(&quoted(Path::new(&text)).unwrap()), text);
        }
    }

    #[test]
    fn a_path_with_a_line_break_is_refused() {
        assert!(quoted(Path::new("/home/a\nExecStart=/bin/evil")).is_err(), "it would be a line of its own");
    }

    #[test]
    fn the_unit_starts_the_program_and_names_its_models() {
        let words: Vec<PathBuf> = ["/opt/a b/keepsake", "serve"].iter().map(PathBuf::from).collect();
        let text = unit(&words, Some(Path::new("/m $1"))).unwrap();
        assert!(text.starts_with(MARK), "{text}");
        assert!(text.contains("\nExecStart=\"/opt/a b/keepsake\" \"serve\"\n"), "{text}");
        assert!(text.contains("\nEnvironment=\"KEEPSAKE_MODEL_DIR=/m $1\"\n"), "{text}");
        assert!(!unit(&words, None).unwrap().contains("Environment"), "nothing that was not asked for");
    }
}
