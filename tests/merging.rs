//! Merging proposals as the window offers it: into the most similar approved memory that states the same about the same person.

use keepsake_api::{App, dispatch};
use keepsake_domain::{IdSource, ImportId, MemoryId, Relation};
use keepsake_engine::{Act, ImportRequest, RandomIds, Unwatched};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{jsonl, open_app};

struct Desk {
    _dir: TempDir,
    app: App,
}

impl Desk {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let app = open_app(dir.path());
        let path = dir.path().join("said.jsonl");
        let said = [
            ("owner", "Mara", "I live in Oslo. I love the harbour of Oslo. I play the cello."),
            ("person", "Ana", "I live in Oslo too."),
        ];
        std::fs::write(&path, jsonl("c", &said)).unwrap();
        let import = ImportId::from_uuid(RandomIds::default().next_uuid());
        let outcome = app.engine().imports().import(&import, &ImportRequest::of(path), &Unwatched).unwrap();
        for id in outcome.touched {
            app.engine().review().propose(&id, None, &Unwatched).unwrap();
        }
        Self { _dir: dir, app }
    }

    fn id_of(&self, words: &str, subject: &str) -> MemoryId {
        let listed = dispatch(&self.app, "memories_list", json!({})).unwrap();
        let is_it = |row: &&Value| {
            row["content"].as_str().unwrap().contains(words) && row["content"].as_str().unwrap().starts_with(subject)
        };
        let row = listed["items"].as_array().unwrap().iter().find(is_it).unwrap_or_else(|| panic!("{words}: {listed}"));
        row["id"].as_str().unwrap().parse().unwrap()
    }

    /// The memory similar to `from` if it has this relation to `to`, after a decision about `to`.
    fn near(&self, from: &MemoryId, relation: Relation, to: &MemoryId, decided: Option<Act>) -> Value {
        if let Some(act) = decided {
            self.app.engine().review().act(&act).unwrap();
        }
        let now = self.app.engine().now();
        self.app.engine().store().write(|tx| tx.memories().relate(from, relation, to, Some(0.54), now)).unwrap();
        dispatch(&self.app, "memory_get", json!({ "id": from })).unwrap()["near"].clone()
    }
}

#[test]
fn only_an_approved_memory_that_says_the_same_of_the_same_one_can_be_merged_with() {
    let check = |(from, whose): (&str, &str), relation: Relation, decide: fn(MemoryId) -> Option<Act>, expect: Option<bool>| {
        let desk = Desk::new();
        let (from, to) = (desk.id_of(from, whose), desk.id_of("I live in Oslo", "User"));
        let near = desk.near(&from, relation, &to, decide(to.clone()));
        assert_eq!(near["can_merge"].as_bool(), expect, "{near}");
        assert_eq!(near["id"].as_str().is_some(), expect.is_some(), "{near}");
    };
    let approve = |id| Some(Act::Approve(vec![id]));
    check(("cello", "User"), Relation::Extends, approve, Some(true));
    check(("harbour", "User"), Relation::Related, approve, Some(false));
    check(("Oslo too", "Ana"), Relation::Extends, approve, Some(false));
    check(("cello", "User"), Relation::Extends, |_| None, Some(false));
    check(("cello", "User"), Relation::Extends, |id| Some(Act::Reject(vec![id], None)), None);
}
