//! What is said in a private room stays there, even if someone joins it or it is opened to everyone while it is being read:
//! tested with a real homeserver and with everything that an agent can ask.

use keepsake_testkit::Traces;
use serde_json::{Value, json};

use crate::harness::{Home, text};
use crate::http::Served;
use crate::matrix::until;
use crate::noninterference::{SECRETS, approve_all, told};

#[path = "../src-tauri/crates/connectors/tests/connectors/matrix/synapse.rs"]
#[expect(dead_code, reason = "the tests of the connector use more of it")]
mod synapse;

use synapse::{PASSWORD, Synapse, User};

/// A homeserver and its users, for a test that waits for each step.
struct Rooms {
    runtime: tokio::runtime::Runtime,
    synapse: Synapse,
}

impl Rooms {
    fn start() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let synapse = runtime.block_on(Synapse::start());
        Self { runtime, synapse }
    }

    fn user(&self, name: &str) -> User {
        self.runtime.block_on(self.synapse.user(name))
    }

    fn room(&self, by: &User, with: &User, preset: &str, name: &str) -> String {
        self.runtime.block_on(by.create_room(&[with], json!({ "preset": preset, "name": name })))
    }

    fn say(&self, user: &User, room: &str, words: &str) {
        let content = json!({ "msgtype": "m.text", "body": words });
        self.runtime.block_on(user.send(room, "m.room.message", content, &synapse::percent(words)));
    }
}

/// A private message, with words that also occur in the open room.
fn secretly(secret: &str) -> String {
    format!("I live in Porto with my sister Ana. The word is {secret}. I love {secret}.")
}

fn wait_for(home: &Home, words: &str) {
    until(words, || home.rows(&["search", words]).iter().any(|row| row.to_string().contains(words)));
}

/// Reads everything that was stored, and approves all proposals.
fn settle(home: &Home) {
    home.run(&["run-jobs", "--until-idle"]).ok();
    approve_all(home);
}

/// Number of answers that reveal what was said in private.
fn leaks(answers: &[(String, Value)]) -> usize {
    let is_told = |answer: &Value| SECRETS.iter().any(|secret| answer.to_string().contains(&format!("The word is {secret}")));
    answers.iter().filter(|(asked, answer)| !asked.starts_with("remember") && is_told(answer)).count()
}

#[test]
fn what_was_said_in_a_private_room_stays_there_when_somebody_joins_or_it_is_opened_while_it_is_read() {
    let rooms = Rooms::start();
    let [ana, ben, cleo] = ["ana", "ben", "cleo"].map(|name| rooms.user(name));
    let town = rooms.room(&ben, &ana, "public_chat", "Town");
    let den = rooms.room(&ben, &ana, "private_chat", "Den");
    rooms.say(&ana, &town, "I live in Porto. I work as a teacher.");
    rooms.say(&ben, &town, "Welcome to Porto!");

    let mut served = Served::start();
    for agent in [&["Public", "--public"][..], &["Host", "--with-others", "--channel", "matrix"]] {
        served.home.run(&[&["agents", "add"], agent].concat()).ok();
    }
    let add = ["sources", "add", "matrix", "--homeserver", &rooms.synapse.address(), "--user", "ana", "--json"];
    let added: Value = serde_json::from_str(&served.home.run_with(&add, PASSWORD).ok()).unwrap();
    let id = text(&added, "id");
    served.home.run(&["sources", "choose", &id, "remember", &town]).ok();
    wait_for(&served.home, "Welcome to Porto!");
    served.kill();
    settle(&served.home);
    assert!(!served.home.ids("active").is_empty(), "something is known of the town");
    // From here on, the two stores differ only in what is said in the private room.
    let open = served.home.copied();

    let mut served = served.again();
    served.home.run_with(&["sources", "login", &id], PASSWORD).ok();
    served.home.run(&["sources", "choose", &id, "remember", &den]).ok();
    rooms.say(&ana, &den, &secretly(SECRETS[0]));
    wait_for(&served.home, SECRETS[0]);
    rooms.runtime.block_on(async {
        ben.invite(&den, &cleo).await;
        cleo.join(&den).await;
    });
    rooms.say(&ben, &den, &secretly(SECRETS[1]));
    wait_for(&served.home, SECRETS[1]);
    // Sent just before the room is opened, so that both may arrive in one answer.
    rooms.say(&ana, &den, &secretly(SECRETS[2]));
    rooms.runtime.block_on(ben.set_state(&den, "m.room.join_rules", json!({ "join_rule": "public" })));
    rooms.say(&cleo, &den, "Hello everybody.");
    wait_for(&served.home, "Hello everybody.");
    wait_for(&served.home, SECRETS[2]);
    let listed = served.home.rows(&["sources", "channels", &id]);
    let is_public = |room: &str| listed.iter().find(|row| text(row, "channel") == room).map(|row| row["is_public"] == true);
    assert_eq!((is_public(&den), is_public(&town)), (Some(true), Some(true)), "it is known as a place that anybody reads");
    served.kill();
    settle(&served.home);
    let more = &served.home;

    let (here, there) = (told(&open.copied(), "Public", &Value::Null), told(&more.copied(), "Public", &Value::Null));
    assert_eq!(here.len(), there.len());
    for ((asked, here), (_, there)) in here.iter().zip(&there) {
        assert_eq!(here, there, "an agent that is told public things alone notices the private room by {asked}");
    }
    assert!(there.iter().any(|(_, answer)| answer.to_string().contains("Porto")), "control: it is told what the town heard");
    // Named as the place, and where the one who joined is: to both, its words are those of others.
    let in_den = json!({ "channel": format!("matrix:{den}") });
    let in_town = json!({ "channel": format!("matrix:{town}"), "person": format!("matrix:{}", cleo.id) });
    for (agent, place) in [("Public", &in_den), ("Public", &in_town), ("Host", &in_town)] {
        assert_eq!(leaks(&told(&more.copied(), agent, place)), 0, "{agent} {place}");
    }
    // The control: with the wrong label, the same questions find it.
    let wrong = more.copied();
    wrong.run(&["channel", &format!("matrix:{den}"), "public"]).ok();
    let found = leaks(&told(&wrong, "Public", &Value::Null));
    assert!(found > 3, "control: a room with the wrong label is told of: {found}");
    Traces::default().folder(&more.data()).assert_free_of(&[PASSWORD]);
}
