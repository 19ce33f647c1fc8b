//! Writes the steps of a playbook: text that is the same in every session is kept, and text that varies becomes a parameter.
//!
//! If two steps use the same varying value (a version that is tagged and then released), they share one parameter. The text is
//! scrubbed; the values of parameters are not kept.

use crate::playbook::rules::{STEP_CHARS_MAX, TITLE_STEPS};
use std::collections::{BTreeMap, BTreeSet};

use keepsake_prompt::scrub::Scrubber;

use super::judge::Held;
use super::mine::Corpus;
use super::uses::{Arguments, ToolUse};
use super::{Parameter, Step};

/// Argument names that various tools use for a file.
const FILES: [&str; 8] =
    ["file_path", "path", "filename", "file", "notebook_path", "absolute_path", "target_file", "relative_path"];

pub(super) struct Written {
    pub(super) steps: Vec<Step>,
    pub(super) parameters: Vec<Parameter>,
}

/// A parameter that is being named, with its value in each session.
struct Varying {
    parameter: Parameter,
    values: Vec<Option<String>>,
}

#[derive(Default)]
struct Names {
    all: Vec<Varying>,
}

impl Names {
    /// The name of the parameter with these values, one per session. Steps whose values agree in every session share a parameter.
    fn of(&mut self, base: &str, values: Vec<Option<String>>, step: usize) -> String {
        if let Some(known) = self.all.iter_mut().find(|known| known.values == values && values.iter().all(Option::is_some)) {
            if !known.parameter.steps.contains(&step) {
                known.parameter.steps.push(step);
            }
            return known.parameter.name.clone();
        }
        let is_taken = |name: &str| self.all.iter().any(|known| known.parameter.name == name);
        let name = std::iter::once(base.to_owned())
            .chain((2..).map(|number| format!("{base}_{number}")))
            .find(|name| !is_taken(name))
            .unwrap_or_else(|| base.to_owned());
        let count = values.iter().flatten().collect::<BTreeSet<_>>().len();
        self.all.push(Varying { parameter: Parameter { name: name.clone(), steps: vec![step], values: count }, values });
        name
    }
}

/// Writes the steps of a pattern.
pub(super) fn write(corpus: &Corpus<'_>, held: &Held, scrubber: &Scrubber) -> Written {
    let mut names = Names::default();
    let steps = held
        .kinds
        .iter()
        .enumerate()
        .map(|(number, kind)| {
            let kind = &corpus.kinds[*kind];
            let seen: Vec<&[ToolUse]> =
                held.support.iter().map(|(session, places)| corpus.uses(*session, places[number])).collect();
            let arguments = arguments(&seen, number + 1, &mut names);
            let text = format!("{} {arguments}", kind.name);
            // Tool names are external input too and must be scrubbed.
            let scrub = |text: &str| scrubber.scrub(text).as_str().to_owned();
            Step { name: scrub(&kind.name), tool: scrub(&kind.tool), text: cut(scrub(text.trim())) }
        })
        .collect();
    Written { steps, parameters: names.all.into_iter().map(|varying| varying.parameter).collect() }
}

fn cut(text: String) -> String {
    if text.chars().count() <= STEP_CHARS_MAX {
        return text;
    }
    text.chars().take(STEP_CHARS_MAX - 1).chain(['…']).collect()
}

fn arguments(seen: &[&[ToolUse]], step: usize, names: &mut Names) -> String {
    let words: Option<Vec<&Vec<String>>> = seen
        .iter()
        .map(|uses| match uses.last().map(|last| &last.arguments) {
            Some(Arguments::Words(words)) => Some(words),
            _ => None,
        })
        .collect();
    match words {
        Some(words) => of_words(&words, step, names),
        None => of_fields(seen, step, names),
    }
}

fn of_words(seen: &[&Vec<String>], step: usize, names: &mut Names) -> String {
    let length = seen.first().map_or(0, |words| words.len());
    let mut written: Vec<String> = Vec::new();
    let is_even = seen.iter().all(|words| words.len() == length);
    let shared =
        if is_even { length } else { (0..length).take_while(|at| all_equal(seen.iter().map(|words| words.get(*at)))).count() };
    for at in 0..shared {
        let values: Vec<Option<String>> = seen.iter().map(|words| words.get(at).cloned()).collect();
        if all_equal(values.iter()) {
            written.push(quoted(values[0].as_deref().unwrap_or_default()));
        } else {
            let before = at.checked_sub(1).and_then(|before| written.get(before));
            let base = named_after(before.map(String::as_str), &values);
            written.push(format!("{{{}}}", names.of(&base, values, step)));
        }
    }
    if !is_even {
        let rest = seen.iter().map(|words| Some(words.get(shared..).unwrap_or_default().join(" "))).collect();
        written.push(format!("{{{}}}", names.of("arguments", rest, step)));
    }
    written.join(" ")
}

fn of_fields(seen: &[&[ToolUse]], step: usize, names: &mut Names) -> String {
    let mut values: BTreeMap<&str, Vec<BTreeSet<&str>>> = BTreeMap::new();
    for (at, uses) in seen.iter().enumerate() {
        for one in *uses {
            let Arguments::Fields(fields) = &one.arguments else { continue };
            for (name, value) in fields {
                values.entry(name).or_insert_with(|| vec![BTreeSet::new(); seen.len()])[at].insert(value);
            }
        }
    }
    let mut written = Vec::new();
    for (name, values) in values {
        // An argument that only some sessions passed is not part of the procedure.
        if values.iter().any(BTreeSet::is_empty) {
            continue;
        }
        let same: BTreeSet<&str> =
            values.iter().skip(1).fold(values[0].clone(), |same, more| same.intersection(more).copied().collect());
        let is_file = FILES.contains(&name);
        let mut shown: Vec<String> = same.iter().map(|value| quoted(value)).collect();
        if same.is_empty() {
            let varying = values.iter().map(|set| set.iter().next_back().map(|value| (*value).to_owned())).collect();
            shown.push(format!("{{{}}}", names.of(if is_file { "file" } else { name }, varying, step)));
        }
        written.push(if is_file { shown.join(" ") } else { format!("{name}={}", shown.join(",")) });
    }
    // The file comes first because readers look for it.
    written.sort_by_key(|text| text.contains('='));
    written.join(" ")
}

fn all_equal<T: PartialEq>(mut all: impl Iterator<Item = T>) -> bool {
    let Some(first) = all.next() else { return true };
    all.all(|other| other == first)
}

fn quoted(word: &str) -> String {
    if word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word.to_owned() }
}

/// A name for a varying word, derived either from the option before it or from the form of its values.
fn named_after(before: Option<&str>, values: &[Option<String>]) -> String {
    match before {
        Some("-m" | "--message") => return "message".to_owned(),
        Some(option) if option.starts_with("--") && !option.contains('=') => {
            let name: String = option.trim_start_matches('-').replace('-', "_");
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return name;
            }
        }
        _ => {}
    }
    let all = |looks: fn(&str) -> bool| values.iter().flatten().all(|value| looks(value));
    let name = if all(|value| value.contains("://")) {
        "url"
    } else if all(is_version) {
        "version"
    } else if all(|value| value.chars().all(|c| c.is_ascii_digit())) {
        "number"
    } else if all(|value| value.starts_with('-')) {
        "option"
    } else if all(|value| value.contains('/') || value.rsplit_once('.').is_some_and(|(_, end)| (1..=5).contains(&end.len()))) {
        "file"
    } else {
        "value"
    };
    name.to_owned()
}

fn is_version(value: &str) -> bool {
    let value = value.strip_prefix('v').unwrap_or(value);
    value.starts_with(|c: char| c.is_ascii_digit())
        && value.contains('.')
        && value
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+')))
}

/// A title that names the final step and the steps that lead to it.
pub(super) fn title(steps: &[Step]) -> String {
    let Some((last, before)) = steps.split_last() else { return String::new() };
    let named: Vec<&str> = before.iter().map(|step| step.name.as_str()).collect();
    let through = match named.len() {
        0 => return last.name.clone(),
        1 => named[0].to_owned(),
        count if count <= TITLE_STEPS => format!("{} and {}", named[..count - 1].join(", "), named[count - 1]),
        count => format!("{} and {} more steps", named[..TITLE_STEPS - 1].join(", "), count + 1 - TITLE_STEPS),
    };
    format!("{} after {through}", last.name)
}

/// The tools, each listed once.
pub(super) fn tools(steps: &[Step]) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for step in steps {
        if !tools.contains(&step.tool) {
            tools.push(step.tool.clone());
        }
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_varies_is_named_after_what_it_is() {
        let check = |before: Option<&str>, values: &[&str], expect: &str| {
            let values: Vec<Option<String>> = values.iter().map(|value| Some((*value).to_owned())).collect();
            assert_eq!(named_after(before, &values), expect, "{before:?} {values:?}");
        };
        check(Some("-m"), &["a", "b"], "message");
        check(Some("--notes-file"), &["a", "b"], "notes_file");
        check(Some("create"), &["v1.2.0", "v1.3.0-rc1"], "version");
        check(None, &["src/a.rs", "b.md"], "file");
        check(None, &["1", "22"], "number");
        check(None, &["https://a.test/x", "https://b.test"], "url");
        check(None, &["-q", "--all"], "option");
        check(None, &["main", "feature"], "value");
    }

    #[test]
    fn a_title_says_what_it_comes_to_and_what_it_goes_through() {
        let check = |names: &[&str], expect: &str| {
            let step = |name: &&str| Step { name: (*name).to_owned(), tool: (*name).to_owned(), text: (*name).to_owned() };
            assert_eq!(title(&names.iter().map(step).collect::<Vec<_>>()), expect);
        };
        check(&["a", "b"], "b after a");
        check(
            &["Edit", "cargo test", "git commit", "gh release create"],
            "gh release create after Edit, cargo test and git commit",
        );
        check(&["a", "b", "c", "d", "e"], "e after a, b and 2 more steps");
    }
}
