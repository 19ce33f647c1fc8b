//! The desktop program: parses its options, runs the shell, and reports a failed start in one clear line.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

use std::process::ExitCode;

use keepsake_app::{Options, run};

fn main() -> ExitCode {
    keepsake_app::keep_files_private();
    let options = match Options::parse(std::env::args_os().skip(1), |name| std::env::var_os(name)) {
        Ok(options) => options,
        Err(error) => return fail(&error, 2),
    };
    match run(options) {
        Ok(code) => ExitCode::from(code),
        Err(error) => fail(&error, 1),
    }
}

#[allow(clippy::print_stderr, reason = "the program's own edge: a failed start has no window to speak through")]
fn fail(error: &dyn std::error::Error, code: u8) -> ExitCode {
    eprintln!("keepsake: {error}");
    ExitCode::from(code)
}
