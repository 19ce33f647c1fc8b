//! Who and what a topic names: people, projects, technologies.
//!
//! Without a tagger a name counts as a person's where somebody of that name took part, or where the words beside it say so ("my
//! brother Tom", "Tom said"); as a project's where the text calls it one; as a technology where it is a known one or looks like
//! nothing else (`snake_case`, a file name is none). What is unsure is left out: a wrong label is worse than a missing one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::Turn;
use crate::text::{Document, Sentence, Token, is_stop_word};

/// Names by kind, the most often named first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entities {
    /// People.
    pub people: Vec<String>,
    /// Projects.
    pub projects: Vec<String>,
    /// Technologies.
    pub technologies: Vec<String>,
}

/// A longer list is an index.
const EACH_MAX: usize = 12;

const RELATIONS: &[&str] = &[
    "brother",
    "sister",
    "mother",
    "father",
    "mum",
    "mom",
    "dad",
    "son",
    "daughter",
    "wife",
    "husband",
    "partner",
    "friend",
    "colleague",
    "boss",
    "manager",
    "neighbour",
    "neighbor",
    "cousin",
    "uncle",
    "aunt",
    "niece",
    "nephew",
    "landlord",
    "supervisor",
    "flatmate",
    "roommate",
    "teacher",
    "doctor",
    "plumber",
    "electrician",
    "lawyer",
    "dr",
    "mr",
    "mrs",
    "ms",
    "prof",
];

const SAYING: &[&str] = &[
    "said",
    "says",
    "told",
    "asked",
    "asks",
    "thinks",
    "thought",
    "wants",
    "wanted",
    "promised",
    "suggested",
    "suggests",
    "sent",
    "wrote",
    "called",
    "replied",
    "agreed",
    "offered",
    "recommends",
    "recommended",
    "mentioned",
    "confirmed",
    "knows",
    "prefers",
];

/// Written as they are shown; compared without capitals. Words that are also everyday English count only with their capital.
const TECHNOLOGIES: &[&str] = &[
    "Rust",
    "Python",
    "JavaScript",
    "TypeScript",
    "Java",
    "Kotlin",
    "Swift",
    "Golang",
    "Ruby",
    "PHP",
    "Perl",
    "Haskell",
    "Elixir",
    "Scala",
    "C++",
    "C#",
    "React",
    "Vue",
    "Angular",
    "Svelte",
    "Next.js",
    "Node",
    "Node.js",
    "Deno",
    "Django",
    "Flask",
    "FastAPI",
    "Rails",
    "Laravel",
    "Spring",
    "Tauri",
    "Electron",
    "Flutter",
    "SQLite",
    "Postgres",
    "PostgreSQL",
    "MySQL",
    "MariaDB",
    "MongoDB",
    "Redis",
    "Kafka",
    "RabbitMQ",
    "Elasticsearch",
    "DuckDB",
    "ClickHouse",
    "SQL",
    "GraphQL",
    "gRPC",
    "REST",
    "WebSocket",
    "OAuth",
    "Docker",
    "Kubernetes",
    "Terraform",
    "Ansible",
    "Helm",
    "Nginx",
    "Caddy",
    "Traefik",
    "Prometheus",
    "Grafana",
    "Jenkins",
    "GitHub",
    "GitLab",
    "Git",
    "Bitbucket",
    "Linux",
    "Debian",
    "Ubuntu",
    "Windows",
    "macOS",
    "Android",
    "iOS",
    "AWS",
    "Azure",
    "S3",
    "Lambda",
    "Cloudflare",
    "Vercel",
    "Heroku",
    "Hetzner",
    "Excel",
    "Word",
    "PowerPoint",
    "Notion",
    "Slack",
    "Jira",
    "Confluence",
    "Figma",
    "Photoshop",
    "Lightroom",
    "Zotero",
    "LaTeX",
    "Overleaf",
    "Markdown",
    "CSV",
    "JSON",
    "YAML",
    "XML",
    "HTML",
    "CSS",
    "Tailwind",
    "Webpack",
    "Vite",
    "pandas",
    "NumPy",
    "PyTorch",
    "TensorFlow",
    "Jupyter",
    "MATLAB",
    "SPSS",
    "Stata",
    "Arduino",
    "Raspberry Pi",
    "Home Assistant",
    "Zigbee",
    "Matter",
    "Bluetooth",
    "Wi-Fi",
    "WiFi",
    "VPN",
    "WireGuard",
    "Tailscale",
    "NAS",
    "ZFS",
    "Matrix",
    "Signal",
    "WhatsApp",
    "Telegram",
    "Discord",
    "Zoom",
    "Teams",
    "ChatGPT",
    "Claude",
    "Ollama",
    "Stripe",
    "PayPal",
    "Shopify",
    "WordPress",
    "Blender",
    "Unity",
    "Godot",
    "OpenStreetMap",
    "QGIS",
    "Strava",
    "Garmin",
    "Kubernetes",
];

/// Technologies that are also everyday words: only with their capital and not at the start of a sentence.
const EVERYDAY: &[&str] = &[
    "rust", "swift", "ruby", "spring", "node", "word", "excel", "teams", "signal", "matrix", "matter", "unity", "zoom", "notion",
    "react", "helm", "angular", "lambda", "flask", "rails", "windows", "stripe", "rest", "slack", "discord", "blender", "java",
    "go", "claude", "jenkins", "caddy", "perl",
];

/// Technologies by how they are written without capitals.
static KNOWN: LazyLock<HashMap<String, &'static str>> =
    LazyLock::new(|| TECHNOLOGIES.iter().map(|name| (name.to_lowercase(), *name)).collect());

/// The entities that turns name, beside those that were named before.
pub fn entities(turns: &[Turn<'_>], before: &Entities) -> Entities {
    let document = Document::read(turns);
    let mut people: BTreeMap<String, usize> = BTreeMap::new();
    let mut projects: BTreeMap<String, usize> = BTreeMap::new();
    let mut technologies: BTreeMap<String, usize> = BTreeMap::new();
    let authors: BTreeSet<&str> = turns
        .iter()
        .filter(|turn| turn.is_plain() && turn.role != keepsake_domain::Role::Assistant)
        .map(|turn| turn.author.trim())
        .filter(|author| author.chars().next().is_some_and(char::is_uppercase) && !is_stop_word(&author.to_lowercase()))
        .collect();
    for turn in turns.iter().filter(|turn| authors.contains(turn.author.trim())) {
        *people.entry(turn.author.trim().to_owned()).or_default() += 1;
    }
    for sentence in &document.sentences {
        for at in 0..sentence.tokens.len() {
            if let Some(name) = technology(sentence, at) {
                *technologies.entry(name).or_default() += 1;
            } else if let Some(name) = project(sentence, at) {
                *projects.entry(name).or_default() += 1;
            } else if let Some(name) = person(sentence, at, &authors, &before.people) {
                *people.entry(name).or_default() += 1;
            }
        }
    }
    Entities {
        people: joined(people, &before.people),
        projects: joined(projects, &before.projects),
        technologies: joined(technologies, &before.technologies),
    }
}

/// What was named before keeps its place; what is new comes after it, the most often named first.
fn joined(counts: BTreeMap<String, usize>, before: &[String]) -> Vec<String> {
    let mut all: Vec<String> = before.to_vec();
    let mut new: Vec<(String, usize)> = counts.into_iter().filter(|(name, _)| !before.contains(name)).collect();
    new.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.extend(new.into_iter().map(|(name, _)| name));
    all.truncate(EACH_MAX);
    all
}

fn technology(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let token = sentence.tokens.get(at)?;
    // "Raspberry Pi", "Wi-Fi", "Node.js": as long as they are written.
    let joined = |count: usize| -> Option<String> {
        let last = sentence.tokens.get(at + count - 1)?;
        let offset = sentence.bytes.start;
        let raw = sentence.text.get(token.bytes.start.checked_sub(offset)?..last.bytes.end.checked_sub(offset)?)?;
        Some(raw.to_lowercase())
    };
    let known = (1..=3).rev().find_map(|count| {
        let raw = joined(count)?;
        KNOWN.get(raw.as_str()).map(|name| (*name, raw))
    });
    let (name, raw) = known?;
    let is_everyday = EVERYDAY.contains(&raw.as_str());
    let is_shown = token.is_capitalised() && at > 0 && !sentence.tokens[at - 1].is_break();
    (!is_everyday || is_shown).then(|| name.to_owned())
}

fn is_name(token: &Token<'_>) -> bool {
    token.is_word
        && token.is_capitalised()
        && token.raw.chars().count() > 1
        && token.raw.chars().any(char::is_lowercase)
        && !is_stop_word(&token.word)
}

/// "project Heron", "the Heron project".
fn project(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let token = sentence.tokens.get(at)?;
    if !is_name(token) || at == 0 || token.is_tail {
        return None;
    }
    let names = |other: Option<&Token<'_>>| {
        other.is_some_and(|token| {
            matches!(
                token.word.as_str(),
                "project" | "repo" | "repository" | "codename" | "codenamed" | "projekt" | "proyecto" | "projet" | "projeto"
            )
        })
    };
    (names(sentence.tokens.get(at - 1)) || names(sentence.tokens.get(at + 1))).then(|| token.raw.to_owned())
}

fn person(sentence: &Sentence<'_>, at: usize, authors: &BTreeSet<&str>, before: &[String]) -> Option<String> {
    let token = sentence.tokens.get(at)?;
    if !is_name(token) || token.is_tail {
        return None;
    }
    let called = |full: &str| full.split_whitespace().next() == Some(token.raw);
    if let Some(author) = authors.iter().find(|author| called(author)) {
        return Some((*author).to_owned());
    }
    if before.iter().any(|name| name == token.raw) {
        return Some(token.raw.to_owned());
    }
    let previous = at.checked_sub(1).and_then(|at| sentence.tokens.get(at));
    let next = sentence.tokens.get(at + 1);
    let is_related = previous.is_some_and(|token| RELATIONS.contains(&token.word.trim_end_matches('.')));
    let speaks = next.is_some_and(|token| SAYING.contains(&token.word.as_str()));
    let is_told =
        previous.is_some_and(|token| matches!(token.word.as_str(), "told" | "asked" | "thank" | "met" | "called" | "phoned"));
    (is_related || speaks || is_told).then(|| token.raw.to_owned())
}
