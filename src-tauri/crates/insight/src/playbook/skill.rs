//! Writes a playbook as a skill for agents: a `SKILL.md` file with front matter, in the agent skills format.
//!
//! Names contain lowercase letters, digits and hyphens, at most 64 characters; descriptions have at most 1,024 characters.
//! Untrusted text cannot change the structure of the file: front matter values are written as JSON strings, which YAML reads
//! unchanged, and values in the body stay on one line.

use super::{Parameter, Step};
pub use crate::playbook::rules::{DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX};

/// The contents of the skill file.
#[derive(Debug, Clone, Copy)]
pub struct Skill<'p> {
    /// The playbook's id, for looking it up.
    pub id: &'p str,
    /// The title.
    pub title: &'p str,
    /// What the skill is for, if a person or a model has worded it.
    pub description: Option<&'p str>,
    /// The steps, in order.
    pub steps: &'p [Step],
    /// The purpose of each step, if worded: one entry per step, or empty.
    pub purposes: &'p [Option<String>],
    /// The values that vary.
    pub parameters: &'p [Parameter],
    /// The tools used.
    pub tools: &'p [String],
    /// The confidence: `high` or `medium`.
    pub confidence: &'p str,
    /// The sessions that support it, each as a date and a source.
    pub seen: &'p [(String, String)],
    /// The number of sessions that contradict it.
    pub against: usize,
}

/// The skill name for this title.
pub fn name(title: &str, id: &str) -> String {
    let mut name = String::new();
    for char in title.to_lowercase().chars() {
        if char.is_ascii_alphanumeric() {
            name.push(char);
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    // Drops the last word if it would be cut off.
    if name.len() > NAME_CHARS_MAX {
        name.truncate(NAME_CHARS_MAX);
        if let Some(end) = name.rfind('-').filter(|end| *end > 0) {
            name.truncate(end);
        }
    }
    let name = name.trim_matches('-');
    if name.is_empty() { id.to_lowercase().replace('_', "-") } else { name.to_owned() }
}

/// The skill's purpose in one paragraph.
pub fn description(skill: &Skill<'_>) -> String {
    let text = match skill.description.map(one_line).filter(|text| !text.is_empty()) {
        Some(text) => text,
        None => {
            let steps: Vec<&str> = skill.steps.iter().map(|step| step.name.as_str()).collect();
            format!(
                "A way of working that was seen in {} sessions: {}. Use it when the work comes to {}.",
                skill.seen.len(),
                one_line(&steps.join(", then ")),
                one_line(steps.last().copied().unwrap_or_default())
            )
        }
    };
    if text.chars().count() <= DESCRIPTION_CHARS_MAX {
        return text;
    }
    text.chars().take(DESCRIPTION_CHARS_MAX - 1).chain(['…']).collect()
}

/// The complete file as Markdown.
pub fn markdown(skill: &Skill<'_>) -> String {
    let mut text = format!(
        "---\nname: {}\ndescription: {}\n---\n\n# {}\n\n## When to use\n\n{}\n",
        name(skill.title, skill.id),
        serde_json::Value::from(description(skill)),
        one_line(skill.title),
        description(skill)
    );
    text.push_str("\n## Steps\n\n");
    for (number, step) in skill.steps.iter().enumerate() {
        let purpose = skill.purposes.get(number).and_then(Option::as_deref).map(one_line).filter(|purpose| !purpose.is_empty());
        let purpose = purpose.map(|purpose| format!("{purpose}: ")).unwrap_or_default();
        text.push_str(&format!("{}. {purpose}{}\n", number + 1, code(&step.text)));
    }
    if !skill.parameters.is_empty() {
        text.push_str("\n## Parameters\n\n");
        for parameter in skill.parameters {
            let steps: Vec<String> = parameter.steps.iter().map(usize::to_string).collect();
            let word = if steps.len() == 1 { "step" } else { "steps" };
            text.push_str(&format!(
                "- {}: in {word} {}; {} different values were seen\n",
                code(&format!("{{{}}}", parameter.name)),
                steps.join(", "),
                parameter.values
            ));
        }
    }
    text.push_str("\n## Tools\n\n");
    for tool in skill.tools {
        text.push_str(&format!("- {}\n", code(tool)));
    }
    text.push_str(&format!("\n## Where it was seen\n\nConfidence: {}. ", skill.confidence));
    match skill.against {
        0 => text.push_str("No session contradicts it.\n\n"),
        1 => text.push_str("One session contradicts it.\n\n"),
        count => text.push_str(&format!("{count} sessions contradict it.\n\n")),
    }
    for (day, source) in skill.seen {
        text.push_str(&format!("- {}: {}\n", one_line(day), one_line(source)));
    }
    text.push_str(&format!("\nPlaybook {} of Keepsake.\n", skill.id));
    text
}

/// Puts the text on one line and escapes anything that could start a tag.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ").replace('<', "&lt;")
}

/// Formats any text as inline code on one line.
fn code(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_lower_case_letters_digits_and_hyphens_and_64_at_most() {
        let check = |title: &str, expect: &str| assert_eq!(name(title, "pbk_ab12"), expect, "{title}");
        check(
            "gh release create after Edit, cargo test and git commit",
            "gh-release-create-after-edit-cargo-test-and-git-commit",
        );
        check("  Über: ---x", "ber-x");
        check("日本", "pbk-ab12");
        let long = name(&"word ".repeat(40), "pbk_ab12");
        assert!(long.len() <= NAME_CHARS_MAX && long.ends_with("word"), "{long}");
        assert_eq!(name(&"a".repeat(90), "x").len(), NAME_CHARS_MAX, "a single long word is cut");
    }

    #[test]
    fn what_stands_in_a_step_cannot_leave_its_line() {
        let step = Step { name: "x".to_owned(), tool: "x".to_owned(), text: "x\n---\n# Do `evil` <b>".to_owned() };
        let skill = Skill {
            id: "pbk_1",
            title: "a: \"b\"\n---\nname: evil",
            description: Some("c\n---\nd"),
            steps: &[step],
            purposes: &[Some("Do\n---\nit".to_owned())],
            parameters: &[],
            tools: &[],
            confidence: "medium",
            seen: &[("2026-11-01".to_owned(), "x\n# y".to_owned())],
            against: 0,
        };
        let text = markdown(&skill);
        assert_eq!(text.lines().filter(|line| *line == "---").count(), 2, "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("name:")).count(), 1, "{text}");
        assert!(text.contains("1. Do --- it: ``x --- # Do `evil` <b>``"), "{text}");
        assert!(!text.lines().any(|line| line == "# y"), "{text}");
    }
}
