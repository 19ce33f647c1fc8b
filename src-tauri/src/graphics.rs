//! Chooses how the page is rendered on a computer without a GPU.
//!
//! WebKitGTK composites the page with OpenGL. Without a GPU (a virtual machine, a remote desktop, an old computer), the CPU
//! emulates OpenGL for the whole window in every frame, and a held key keeps every core busy. With OpenGL turned off, WebKit
//! redraws only the changed areas (decision 26).
//!
//! Not in this module: asking OpenGL for the rendering device, which would load all of OpenGL before the first window; and a
//! setting of our own, because WebKit already has `WEBKIT_FORCE_COMPOSITING_MODE=1`.

use tauri::WebviewWindow;

/// Chooses how the window is rendered. Only WebKitGTK can be configured.
#[cfg(target_os = "linux")]
pub(crate) fn suit(window: &WebviewWindow) -> tauri::Result<()> {
    use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt, WebViewExt};

    let said = |name: &str| std::env::var(name).ok().map(|value| is_yes(&value));
    let is_automated = AUTOMATION.iter().any(|name| said(name) == Some(true));
    let renders = said("LIBGL_ALWAYS_SOFTWARE") != Some(true) && has_processor(&devices());
    if keeps_opengl(said("WEBKIT_FORCE_COMPOSITING_MODE"), is_automated, renders) {
        return Ok(());
    }
    tracing::info!("no graphics processor: the page is drawn without OpenGL");
    window.with_webview(|view| {
        if let Some(settings) = view.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn suit(_window: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// Set by a WebDriver that opens the window.
#[cfg(target_os = "linux")]
const AUTOMATION: [&str; 2] = ["TAURI_AUTOMATION", "TAURI_WEBVIEW_AUTOMATION"];

/// Whether to keep WebKit's default, OpenGL. An explicit request takes precedence. A WebDriver also gets OpenGL, because without
/// it, a screenshot would never finish.
#[cfg(any(target_os = "linux", test))]
fn keeps_opengl(asked_for: Option<bool>, is_automated: bool, renders: bool) -> bool {
    asked_for == Some(true) || renders || asked_for.is_none() && is_automated
}

/// Names of the devices that may include a GPU.
#[cfg(target_os = "linux")]
fn devices() -> Vec<String> {
    let names = |dir: &str| {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    [names("/dev/dri"), names("/dev")].concat()
}

/// Whether the kernel offers a GPU for rendering, either directly or through a driver with its own devices. A `card` device with neither can only drive a display, as in virtual machines.
#[cfg(any(target_os = "linux", test))]
fn has_processor(devices: &[String]) -> bool {
    let renders =
        |name: &String| ["renderD", "nvidia0", "mali0", "kgsl-3d0", "pvrsrvkm"].iter().any(|device| name.starts_with(device));
    devices.iter().any(renders)
}

/// Whether Mesa would parse the value as true.
#[cfg(any(target_os = "linux", test))]
fn is_yes(value: &str) -> bool {
    ["1", "t", "true", "y", "yes"].contains(&value.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::{has_processor, is_yes, keeps_opengl};

    #[test]
    fn without_a_processor_opengl_is_kept_where_it_is_asked_for_or_a_driver_takes_pictures() {
        for (asked_for, is_automated, renders, expect) in [
            (None, false, true, true),
            (None, false, false, false),
            (None, true, false, true),
            (Some(true), false, false, true),
            (Some(false), true, false, false),
            (Some(false), false, true, true),
        ] {
            assert_eq!(keeps_opengl(asked_for, is_automated, renders), expect, "{asked_for:?} {is_automated} {renders}");
        }
    }

    #[test]
    fn a_graphics_processor_is_one_that_renders() {
        for (devices, expect) in [
            (&["card0", "renderD128"][..], true),
            (&["renderD129"], true),
            (&["null", "nvidia0", "nvidiactl"], true),
            (&["mali0"], true),
            (&["card0", "by-path"], false),
            (&["null", "nvidiactl"], false),
            (&[], false),
        ] {
            let names: Vec<String> = devices.iter().map(ToString::to_string).collect();
            assert_eq!(has_processor(&names), expect, "{devices:?}");
        }
    }

    #[test]
    fn a_variable_says_yes_in_mesas_words() {
        for (value, expect) in [("1", true), ("True", true), ("y", true), ("0", false), ("false", false), ("", false)] {
            assert_eq!(is_yes(value), expect, "{value:?}");
        }
    }
}
