//! `keepsake service`: a systemd user unit is written, started, inspected and removed, with a `systemctl` that records its
//! calls.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::harness::{Home, Ran, finish};

/// A home folder with its own `systemctl`.
struct Computer {
    home: Home,
    folder: PathBuf,
}

impl Computer {
    /// `says` is what `systemctl` does after recording its arguments.
    fn new(says: &str) -> Self {
        let home = Home::new();
        let folder = home.data().with_file_name("a person");
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        let program = folder.join("bin/systemctl");
        std::fs::write(&program, format!("#!/bin/sh\necho \"$@\" >> \"$HOME/asked\"\n{says}\n")).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        Self { home, folder }
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.home.command(&[&["service"], args].concat());
        let path = format!("{}:{}", self.folder.join("bin").display(), std::env::var("PATH").unwrap());
        command.env("HOME", &self.folder).env("PATH", path).env_remove("XDG_CONFIG_HOME");
        finish(command, b"")
    }

    fn unit(&self) -> PathBuf {
        self.folder.join(".config/systemd/user/keepsake.service")
    }

    fn asked(&self) -> String {
        std::fs::read_to_string(self.folder.join("asked")).unwrap_or_default()
    }
}

#[test]
fn the_service_is_written_started_and_removed() {
    let computer = Computer::new("echo active");
    let printed = computer.run(&["install", "--print"]).ok();
    assert!(!computer.unit().exists() && computer.asked().is_empty(), "it was only printed");
    let told = computer.run(&["install"]).ok();
    assert!(told.contains("http://127.0.0.1:8632/mcp"), "{told}");
    let unit = std::fs::read_to_string(computer.unit()).unwrap();
    assert_eq!(unit, printed);
    let data = computer.home.data();
    assert!(
        unit.contains(&format!("\"--data-dir\" \"{}\" \"serve\" \"--no-ui\" \"--port\" \"8632\"\n", data.display())),
        "{unit}"
    );
    assert_eq!(computer.asked(), "--user daemon-reload\n--user enable keepsake.service\n--user restart keepsake.service\n");
    assert!(computer.run(&["status"]).ok().contains("active"));
    computer.run(&["install", "--port", "9000"]).ok();
    assert!(std::fs::read_to_string(computer.unit()).unwrap().contains("\"9000\""), "its own unit is written again");
    computer.run(&["remove"]).ok();
    assert!(!computer.unit().exists());
    assert!(computer.asked().ends_with("--user disable --now keepsake.service\n--user daemon-reload\n"), "{}", computer.asked());
    assert!(computer.run(&["remove"]).ok().contains("no service"), "removing it again is no failure");
    assert!(computer.run(&["status"]).ok().contains("not installed"));
}

#[test]
fn a_unit_of_somebody_else_is_left_alone_unless_it_may_be_replaced() {
    let computer = Computer::new("");
    std::fs::create_dir_all(computer.unit().parent().unwrap()).unwrap();
    std::fs::write(computer.unit(), "[Service]\nExecStart=/bin/true\n").unwrap();
    for act in ["install", "remove"] {
        let refused = computer.run(&[act]).failure();
        assert!(refused.contains("--replace"), "{refused}");
    }
    assert_eq!(std::fs::read_to_string(computer.unit()).unwrap(), "[Service]\nExecStart=/bin/true\n");
    assert_eq!(computer.asked(), "", "nothing was asked of systemd");
    computer.run(&["install", "--replace"]).ok();
    assert!(std::fs::read_to_string(computer.unit()).unwrap().contains("keepsake"));
}

#[test]
fn what_systemd_refuses_is_said() {
    let computer = Computer::new("echo 'Failed to connect to bus' >&2; exit 1");
    let refused = computer.run(&["install"]).failure();
    assert!(refused.contains("daemon-reload") && refused.contains("Failed to connect to bus"), "{refused}");
}
