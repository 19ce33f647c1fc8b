//! Finds out whether the computer runs on battery, in which case heavy work is postponed.
//!
//! Linux reports this in /sys/class/power_supply. On other systems, or if nothing can be read, the computer is treated as
//! plugged in, because a desktop has no battery.

use std::path::{Path, PathBuf};

/// Source of information about the power supply.
pub trait Power: Send + Sync {
    /// Whether the battery is being drained.
    fn is_on_battery(&self) -> bool;
}

/// The power supply as the operating system reports it.
#[derive(Debug, Clone)]
pub struct SystemPower {
    supplies: PathBuf,
}

/// A computer that never runs on battery.
#[derive(Debug, Clone, Copy, Default)]
pub struct PluggedIn;

impl Power for PluggedIn {
    fn is_on_battery(&self) -> bool {
        false
    }
}

impl Default for SystemPower {
    fn default() -> Self {
        Self::at(Path::new("/sys/class/power_supply"))
    }
}

impl SystemPower {
    /// Reads a folder with the structure of `/sys/class/power_supply`.
    pub fn at(supplies: &Path) -> Self {
        Self { supplies: supplies.to_owned() }
    }
}

impl Power for SystemPower {
    fn is_on_battery(&self) -> bool {
        let supplies = std::fs::read_dir(&self.supplies).into_iter().flatten().flatten();
        let read = |path: &Path, name: &str| {
            std::fs::read_to_string(path.join(name)).map(|text| text.trim().to_owned()).unwrap_or_default()
        };
        let (mut is_plugged_in, mut is_drained) = (false, false);
        for supply in supplies {
            let path = supply.path();
            match read(&path, "type").as_str() {
                "Mains" | "USB" | "Wireless" => is_plugged_in |= read(&path, "online") == "1",
                // A mouse has a battery too; its scope is `Device`.
                "Battery" if read(&path, "scope") != "Device" => is_drained |= read(&path, "status") == "Discharging",
                _ => {}
            }
        }
        is_drained && !is_plugged_in
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_draining_battery_of_the_computer_itself_counts() {
        let check = |supplies: &[(&str, &[(&str, &str)])], expect: bool, why: &str| {
            let dir = tempfile::tempdir().unwrap();
            for (name, files) in supplies {
                std::fs::create_dir(dir.path().join(name)).unwrap();
                for (file, text) in *files {
                    std::fs::write(dir.path().join(name).join(file), format!("{text}\n")).unwrap();
                }
            }
            assert_eq!(SystemPower::at(dir.path()).is_on_battery(), expect, "{why}");
        };
        let drained: (&str, &[(&str, &str)]) = ("BAT0", &[("type", "Battery"), ("status", "Discharging")]);
        check(&[], false, "a desktop has none");
        check(&[drained], true, "nothing but a battery");
        check(&[("AC", &[("type", "Mains"), ("online", "0")]), drained], true, "unplugged");
        check(&[("AC", &[("type", "Mains"), ("online", "1")]), drained], false, "plugged in, though the battery still drains");
        check(&[("BAT0", &[("type", "Battery"), ("status", "Charging")])], false, "charging");
        check(&[("mouse", &[("type", "Battery"), ("scope", "Device"), ("status", "Discharging")])], false, "a mouse");
    }
}
