//! Assigns turns to pairs of one user and one agent, in conversations where several users or agents may speak.
//!
//! An agent's turns belong to the user who spoke last before them. If an agent speaks before any user, its turns belong to the
//! first user who speaks. A user's turns belong to every agent in the conversation. A record about one user therefore never
//! quotes an answer to another user.

use keepsake_domain::{MessageType, Role};

use crate::Turn;

/// A participant, as identified by the caller that loaded the conversation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speaker<'a> {
    /// For a user, the speaker's id; for an agent, its name in lowercase.
    pub key: &'a str,
    /// The role of the turn.
    pub role: Role,
}

/// The turns of one user with one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange<'a> {
    /// The agent's key.
    pub agent: &'a str,
    /// The user's key.
    pub user: &'a str,
    /// Indices of their turns, in order.
    pub turns: Vec<usize>,
}

/// All exchanges in which both the user and the agent say something, ordered by their first turn. `speakers` lists the speaker of
/// each turn; system text belongs to no exchange.
pub fn exchanges<'a>(turns: &[Turn<'_>], speakers: &[Speaker<'a>]) -> Vec<Exchange<'a>> {
    let is_user = |speaker: &Speaker<'_>| matches!(speaker.role, Role::Owner | Role::Person);
    let says = |index: usize| {
        turns.get(index).is_some_and(|turn: &Turn<'_>| {
            !turn.is_branch
                && (turn.is_plain()
                    || matches!(turn.message_type, MessageType::ToolUse | MessageType::ToolResult | MessageType::Command))
        })
    };
    let first_user =
        speakers.iter().enumerate().find(|(at, speaker)| is_user(speaker) && says(*at)).map(|(_, speaker)| speaker.key);
    let Some(first_user) = first_user else { return Vec::new() };
    let mut agents: Vec<&str> = Vec::new();
    for (_, speaker) in speakers.iter().enumerate().filter(|(at, speaker)| speaker.role == Role::Assistant && says(*at)) {
        if !agents.contains(&speaker.key) {
            agents.push(speaker.key);
        }
    }
    let mut found: Vec<Exchange<'a>> = Vec::new();
    for agent in agents {
        let mut own: Vec<Exchange<'a>> = Vec::new();
        let (mut user, mut has_floor) = (first_user, false);
        for (index, speaker) in speakers.iter().enumerate().filter(|(index, _)| says(*index)) {
            let belongs = match speaker.role {
                Role::Owner | Role::Person => {
                    user = speaker.key;
                    true
                }
                Role::Assistant => {
                    has_floor = speaker.key == agent;
                    has_floor
                }
                // Tool output belongs to the agent that spoke last.
                Role::Tool => has_floor,
                Role::System => false,
            };
            if !belongs {
                continue;
            }
            match own.iter_mut().find(|exchange| exchange.user == user) {
                Some(exchange) => exchange.turns.push(index),
                None => own.push(Exchange { agent, user, turns: vec![index] }),
            }
        }
        own.retain(|exchange| {
            let has = |role: fn(Role) -> bool| exchange.turns.iter().any(|at| speakers.get(*at).is_some_and(|s| role(s.role)));
            has(|role| matches!(role, Role::Owner | Role::Person)) && has(|role| role == Role::Assistant)
        });
        found.extend(own);
    }
    found
}

#[cfg(test)]
mod tests {
    use keepsake_domain::Timestamp;

    use super::*;

    fn check(lines: &[(Role, &str)], expect: &[(&str, &str, &[usize])], why: &str) {
        let turns: Vec<Turn<'_>> = lines
            .iter()
            .map(|(role, key)| Turn {
                id: key,
                role: *role,
                author: key,
                text: "Said.",
                time: Timestamp(1),
                message_type: if *role == Role::Tool { MessageType::ToolResult } else { MessageType::Text },
                is_branch: false,
            })
            .collect();
        let speakers: Vec<Speaker<'_>> = lines.iter().map(|(role, key)| Speaker { key, role: *role }).collect();
        let found = exchanges(&turns, &speakers);
        let found: Vec<(&str, &str, &[usize])> = found.iter().map(|e| (e.agent, e.user, e.turns.as_slice())).collect();
        assert_eq!(found, expect, "{why}");
    }

    #[test]
    fn an_answer_belongs_to_the_one_who_asked() {
        use Role::{Assistant as A, Owner as O, Person as P, System as S, Tool as T};
        check(&[(O, "mara"), (A, "nova"), (T, "grep"), (O, "mara")], &[("nova", "mara", &[0, 1, 2, 3])], "one user, one agent");
        check(&[(A, "nova"), (O, "mara")], &[("nova", "mara", &[0, 1])], "a greeting belongs to the first who spoke");
        check(
            &[(O, "mara"), (A, "nova"), (P, "ana"), (A, "nova"), (O, "mara")],
            &[("nova", "mara", &[0, 1, 4]), ("nova", "ana", &[2, 3])],
            "two users are never mixed",
        );
        check(
            &[(O, "mara"), (A, "nova"), (A, "elm"), (T, "grep")],
            &[("nova", "mara", &[0, 1]), ("elm", "mara", &[0, 2, 3])],
            "two agents, each with its own tools",
        );
        check(&[(O, "mara"), (P, "ana")], &[], "without an agent there is no session");
        check(&[(A, "nova"), (S, "system")], &[], "without a user neither");
        check(
            &[(O, "mara"), (P, "ana"), (A, "nova")],
            &[("nova", "ana", &[1, 2])],
            "whom the agent never answered has no session",
        );
    }
}
