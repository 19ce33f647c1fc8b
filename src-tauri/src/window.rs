//! The window. It opens hidden, in its theme's color, and is shown once the page has loaded, so that nothing flashes.

use std::path::Path;

use keepsake_api::types::activity::Event;
use keepsake_api::{App, dispatch};
use serde_json::json;
use tauri::utils::config::Color;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, DragDropEvent, Manager, Theme, Url, WebviewWindow, WebviewWindowBuilder, Window, WindowEvent};

use crate::{events::Page, graphics};

/// Label of the window in tauri.conf.json and in its capability file.
pub(crate) const LABEL: &str = "main";

/// The page's background colors (`--bg` in ui/src/design/tokens.css), used until it paints.
const LIGHT: Color = Color(0xf7, 0xf6, 0xf3, 0xff);
const DARK: Color = Color(0x15, 0x14, 0x12, 0xff);

/// Opens the window described in tauri.conf.json. The page's own storage is in the data folder too.
pub(crate) fn open(app: &AppHandle, backend: &App, data_dir: &Path) -> tauri::Result<()> {
    let config = app.config().app.windows.iter().find(|window| window.label == LABEL).ok_or(tauri::Error::WindowNotFound)?;
    let window = WebviewWindowBuilder::from_config(app, config)?
        .data_directory(data_dir.join("webview"))
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        // The page puts the number of pending memories in its title, because it knows the number before the store does.
        .on_document_title_changed(|window, title| {
            let _ = window.set_title(&title);
        })
        .on_page_load(|window, page| {
            if page.event() == PageLoadEvent::Finished {
                let _ = window.show();
            }
        })
        .build()?;
    graphics::suit(&window)?;
    apply_theme(&window, backend);
    Ok(())
}

/// Whether a URL belongs to the page itself. The page cannot navigate elsewhere, regardless of the content of imported messages.
fn is_own_page(url: &Url) -> bool {
    url.scheme() == "tauri" || (cfg!(windows) && url.host_str() == Some("tauri.localhost"))
}

/// Sets the window's theme and background from the settings; `system` follows the desktop.
pub(crate) fn apply_theme(window: &WebviewWindow, backend: &App) {
    let settings = dispatch(backend, "settings_get", json!({})).unwrap_or_default();
    let chosen = match settings["theme"].as_str() {
        Some("light") => Some(Theme::Light),
        Some("dark") => Some(Theme::Dark),
        _ => None,
    };
    let _ = window.set_theme(chosen);
    let is_dark = chosen.or_else(|| window.theme().ok()) == Some(Theme::Dark);
    let _ = window.set_background_color(Some(if is_dark { DARK } else { LIGHT }));
}

/// Brings the window to the front after a second start or a click on a notification.
pub(crate) fn bring_forward(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Turns files dropped on the window into tokens. The page receives their names and sizes, never their paths.
pub(crate) fn on_event(window: &Window, event: &WindowEvent) {
    if let WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) = event
        && let Some(backend) = window.try_state::<App>()
    {
        let files = paths.iter().map(|path| backend.register_file(path)).collect();
        window.state::<Page>().tell(Event::FilesDropped { files });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_colour_is_the_pages_own() {
        let tokens = include_str!("../../ui/src/design/tokens.css");
        for Color(red, green, blue, _) in [LIGHT, DARK] {
            let token = format!("--bg: #{red:02x}{green:02x}{blue:02x};");
            assert!(tokens.contains(&token), "`{token}` is not in tokens.css: the window would flash");
        }
    }

    #[test]
    fn the_window_stays_on_its_own_page() {
        for (url, expect) in [
            ("tauri://localhost/index.html", true),
            ("https://example.org/", false),
            ("http://127.0.0.1:8080/", false),
            ("file:///etc/passwd", false),
            ("data:text/html,hello", false),
        ] {
            assert_eq!(is_own_page(&Url::parse(url).unwrap()), expect, "{url}");
        }
    }
}
