//! `keepsake serve`: the window and agents on loopback; `keepsake mcp`: one agent on standard input and output.

use std::path::{Path, PathBuf};

use keepsake_api::{App, AppOptions, EmbedderSlot, FileAccess};
use keepsake_server::Host;
use serde_json::json;

use super::{data_dir, model_dir};
use crate::args::{Args, McpArgs, ServeArgs};
use crate::output::{Failure, Output};

/// Serves until the process is asked to end.
pub(crate) fn run(args: &Args, serve: &ServeArgs, output: &mut Output) -> Result<(), Failure> {
    let window = if serve.no_ui { None } else { Some(find_ui(serve.ui.as_deref())?) };
    let options = AppOptions { data_dir: data_dir(args)?, embedder: EmbedderSlot::later(), file_access: FileAccess::Upload };
    let app = App::open(options)?;
    let host = Host::start(app.clone(), model_dir())?;
    let listening = host.listen(serve.port, window)?;
    let (port, token) = (listening.port, &listening.token);
    let address = format!("http://127.0.0.1:{port}/#token={token}");
    if serve.no_ui && !output.is_json() {
        output.line(format!("Agents are served at http://127.0.0.1:{port}/v1 and http://127.0.0.1:{port}/mcp"))?;
        output.line("They can be reached from this computer only. Press Ctrl+C to stop.")?;
    } else if output.is_json() {
        output.json(&json!({ "address": address, "port": port, "token": token }))?;
    } else {
        output.line(format!("Keepsake is open at {address}"))?;
        output.line("It can be reached from this computer only. Press Ctrl+C to stop it.")?;
    }
    output.flush()?;
    host.wait_for_signal()?;
    drop(listening);
    drop(host);
    app.close();
    Ok(())
}

/// Serves one agent until its standard input ends.
pub(crate) fn mcp(args: &Args, wanted: &McpArgs) -> Result<(), Failure> {
    Ok(keepsake_server::serve_stdio(&wanted.agent, data_dir(args)?, model_dir())?)
}

/// The folder of the built window: the given one, next to the binary, or in the source tree.
fn find_ui(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("ui")));
    let in_tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/dist");
    let found = named.map(Path::to_owned).into_iter().chain(beside).chain([in_tree]).find(|dir| dir.join("index.html").is_file());
    found.ok_or_else(|| Failure::new("the window has not been built; run `make ui`, or give its folder with --ui"))
}
