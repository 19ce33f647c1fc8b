//! Determines which parts of a call are logged, and under which ids, so that a message that is sent again is recognized as the
//! same message of the same conversation. Pure.
//!
//! A program sends the whole conversation with every call. Its messages are therefore identified by a chain of hashes: the id
//! of each message depends on all messages before it. A conversation is identified by the name that the program gives it, by
//! the response that it continues, or by how it began: the user's first words and the first answer.

use std::collections::{HashMap, VecDeque};

use keepsake_engine::{AppendMessage, AppendRole};

use crate::answer::Answer;
use crate::request::{Api, Said, Speaker};

/// Maximum number of responses whose conversation is remembered, so that a program that runs for months does not fill the
/// memory. A call that continues an older response starts a new conversation.
const REMEMBERED_MAX: usize = 10_000;

/// The parts of a call that are logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The API used for the call.
    pub(crate) api: Api,
    /// Name of the agent.
    pub(crate) agent: String,
    /// Whether the agent talks with the owner.
    pub(crate) hears_owner: bool,
    /// The conversation that the program names.
    pub(crate) named: Option<String>,
    /// Whether the model's server keeps the named conversation, so that the call contains only new messages.
    pub(crate) is_kept_by_server: bool,
    /// The response that the call continues; such a call also contains only new messages.
    pub(crate) previous: Option<String>,
    /// The program's name for its user.
    pub(crate) user: Option<String>,
    /// What was said before the answer.
    pub(crate) said: Vec<Said>,
}

/// What is logged of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    /// The agent's id for the conversation.
    pub(crate) conversation: String,
    /// The messages in order, new and known.
    pub(crate) messages: Vec<AppendMessage>,
}

/// A hash of several strings. The length of each string is hashed as well, so that different lists have different hashes.
fn link(texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// What is logged of a call and its answer. `continued` is the conversation of the response that the call continues, if it is
/// remembered. `None` if there is nothing to log yet: an unnamed conversation can be identified only with its first answer.
pub(crate) fn logged(turn: Turn, continued: Option<String>, answer: &Answer) -> Option<Logged> {
    let mut said = turn.said;
    if !answer.text.trim().is_empty() {
        said.push(Said { by: Speaker::Assistant, name: None, text: answer.text.clone() });
    }
    let first = |by: Speaker| said.iter().find(|said| said.by == by).map(|said| said.text.trim());
    let answer_id = answer.id.as_deref();
    // Distinguishes this call from others of the same conversation, so that the same words said twice are two messages.
    let before = turn.previous.as_deref().or(answer_id.filter(|_| turn.is_kept_by_server)).unwrap_or_default();
    let (conversation, start) = match turn.named.or(continued) {
        Some(known) => {
            let start = link(&["known", &known, before]);
            (known, start)
        }
        None => {
            // A response that only calls tools is identified by its id. A chat sends its beginning again with the next call.
            let answered = first(Speaker::Assistant).or(answer_id.filter(|_| turn.api == Api::Responses))?;
            let began = link(&["began", &turn.agent, before, first(Speaker::User)?, answered]);
            (began.clone(), began)
        }
    };
    let mut id = start;
    let messages: Vec<AppendMessage> = said
        .into_iter()
        .map(|said| {
            let (role, word) = match said.by {
                Speaker::User => (AppendRole::User, "user"),
                Speaker::Assistant => (AppendRole::Assistant, "assistant"),
            };
            id = link(&[&id, word, said.text.trim()]);
            // The person's settings determine whose words these are. The program's user matters only if the agent talks with
            // others.
            let handle = turn.user.clone().filter(|_| said.by == Speaker::User && !turn.hears_owner);
            AppendMessage {
                id: id.clone(),
                role,
                author: handle.clone().map(|handle| said.name.unwrap_or(handle)),
                author_handle: handle,
                text: said.text,
                time: None,
                reply_to: None,
                tool: None,
            }
        })
        .collect();
    (!messages.is_empty()).then_some(Logged { conversation, messages })
}

/// The conversations of the newest responses.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    conversations: HashMap<(String, String), String>,
    order: VecDeque<(String, String)>,
}

impl Remembered {
    /// The conversation of an agent's response.
    pub(crate) fn of(&self, agent: &str, response: &str) -> Option<String> {
        self.conversations.get(&(agent.to_owned(), response.to_owned())).cloned()
    }

    /// Remembers the conversation of a response, and forgets the oldest one if there are too many.
    pub(crate) fn add(&mut self, agent: &str, response: &str, conversation: &str) {
        let key = (agent.to_owned(), response.to_owned());
        if self.conversations.insert(key.clone(), conversation.to_owned()).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > REMEMBERED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.conversations.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(by: Speaker, text: &str) -> Said {
        Said { by, name: None, text: text.to_owned() }
    }

    fn history(texts: &[&str]) -> Vec<Said> {
        let speakers = [Speaker::User, Speaker::Assistant].into_iter().cycle();
        texts.iter().zip(speakers).map(|(text, by)| said(by, text)).collect()
    }

    fn turn(texts: &[&str]) -> Turn {
        Turn {
            api: Api::Chat,
            agent: "bot".to_owned(),
            hears_owner: true,
            named: None,
            is_kept_by_server: false,
            previous: None,
            user: None,
            said: history(texts),
        }
    }

    fn response(texts: &[&str], previous: Option<&str>) -> Turn {
        Turn { api: Api::Responses, previous: previous.map(str::to_owned), ..turn(texts) }
    }

    fn answer(text: &str, id: &str) -> Answer {
        Answer { text: text.to_owned(), id: Some(id.to_owned()), ..Answer::default() }
    }

    fn ids(logged: &Logged) -> Vec<&str> {
        logged.messages.iter().map(|message| message.id.as_str()).collect()
    }

    #[test]
    fn a_history_that_is_sent_again_is_the_same_messages_of_the_same_conversation() {
        let first = logged(turn(&["hi"]), None, &answer("hello", "1")).unwrap();
        let second = logged(turn(&["hi", " hello\n", "yes"]), None, &answer("ok", "2")).unwrap();
        assert_eq!(first.conversation, second.conversation);
        assert_eq!(ids(&first), ids(&second)[..2], "known, although the answer came back with other spaces around it");
        let third = logged(turn(&["hi", "hello", "yes", "ok", "yes"]), None, &answer("ok", "3")).unwrap();
        let mut all = ids(&third);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6, "the same words later are other messages");
    }

    #[test]
    fn conversations_are_told_apart() {
        let conversation = |turn: Turn, text: &str, id: &str| logged(turn, None, &answer(text, id)).unwrap().conversation;
        let one = conversation(turn(&["hi"]), "hello", "1");
        assert_eq!(one, conversation(turn(&["hi"]), "hello", "2"), "control: a retry with the same answer");
        assert_ne!(one, conversation(turn(&["hi"]), "good day", "1"), "another answer");
        assert_ne!(one, conversation(Turn { agent: "other".to_owned(), ..turn(&["hi"]) }, "hello", "1"), "another agent");
        let unknown = |previous| conversation(response(&["yes"], Some(previous)), "ok", "9");
        assert_ne!(unknown("a"), unknown("b"), "what continues different responses that are not remembered");
        let named = Turn { named: Some("trip".to_owned()), ..turn(&["hi"]) };
        assert_eq!(conversation(named, "hello", "1"), "trip");
    }

    #[test]
    fn what_brings_only_the_new_words_continues_its_conversation() {
        let first = logged(response(&["hi"], None), None, &answer("hello", "r1")).unwrap();
        let continued = |previous: &str, id| {
            logged(response(&["yes"], Some(previous)), Some(first.conversation.clone()), &answer("ok", id)).unwrap()
        };
        let (second, again, third) = (continued("r1", "r2"), continued("r1", "r9"), continued("r2", "r3"));
        assert_eq!(second.conversation, first.conversation);
        assert_eq!(ids(&second), ids(&again), "a retry");
        assert_ne!(ids(&second), ids(&third), "the same words said twice are two messages");
        let kept = |id| {
            let turn = Turn { named: Some("conv_1".to_owned()), is_kept_by_server: true, ..response(&["yes"], None) };
            logged(turn, None, &answer("ok", id)).unwrap()
        };
        assert_ne!(ids(&kept("r1")), ids(&kept("r2")), "the same words in a conversation that the server keeps");
    }

    #[test]
    fn what_has_no_text_or_no_beginning_is_not_logged_yet() {
        let check = |turn: Turn, text: &str, expect: usize, why: &str| {
            let found = logged(turn, None, &answer(text, "r1")).map_or(0, |logged| logged.messages.len());
            assert_eq!(found, expect, "{why}");
        };
        check(turn(&["hi"]), "", 0, "a chat that only calls tools comes again with its history");
        check(response(&["hi"], None), "", 1, "a response that only calls tools does not");
        check(response(&[], Some("r0")), "done", 0, "the result of a tool, continuing what is not remembered");
        check(turn(&[]), "hello", 0, "nobody asked");
        check(Turn { named: Some("c".to_owned()), ..turn(&[]) }, " ", 0, "nothing was said");
    }

    #[test]
    fn only_where_an_agent_talks_with_others_is_its_user_named() {
        let author = |hears_owner, user: Option<&str>| {
            let turn = Turn { hears_owner, user: user.map(str::to_owned), ..turn(&["hi"]) };
            let logged = logged(turn, None, &answer("hello", "1")).unwrap();
            assert_eq!(logged.messages[1].author, None, "the model is nobody's words");
            logged.messages[0].author_handle.clone()
        };
        assert_eq!(author(true, Some("ben")), None);
        assert_eq!(author(false, Some("ben")).as_deref(), Some("ben"));
        assert_eq!(author(false, None), None, "the engine then refuses it");
    }

    #[test]
    fn the_oldest_response_is_forgotten_first() {
        let mut remembered = Remembered::default();
        for n in 0..=REMEMBERED_MAX {
            remembered.add("bot", &n.to_string(), "c");
            remembered.add("bot", &n.to_string(), "c");
        }
        assert_eq!(remembered.of("bot", "0"), None);
        assert_eq!(remembered.of("bot", "1").as_deref(), Some("c"));
        assert_eq!(remembered.of("other", "1"), None, "another agent's response");
        assert_eq!(remembered.conversations.len(), REMEMBERED_MAX);
    }

    proptest! {
        #[test]
        fn ids_are_stable_while_a_conversation_grows(texts in proptest::collection::vec("[ab]{1,3}", 2..12), at in 1usize..6) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let cut = |turns: usize| {
                let end = (2 * turns).min(texts.len() / 2 * 2);
                logged(turn(&texts[..end - 1]), None, &answer(texts[end - 1], "x")).unwrap()
            };
            let (before, after) = (cut(at), cut(at + 1));
            prop_assert_eq!(&before.conversation, &after.conversation);
            prop_assert_eq!(ids(&before), ids(&after)[..before.messages.len()].to_vec());
        }
    }
}
