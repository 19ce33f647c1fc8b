//! Distinguishes what a person wrote from what Meta's programs wrote in the person's name.
//!
//! In the download, a notice is a message from the person who caused it: a sentence in the language of the account. Only the
//! English sentences are recognized here; in other languages they are imported as text. Member changes and calls have types of
//! their own, so their language does not matter.

/// What the text of a message is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The person's words.
    ByPerson,
    /// A notice.
    Notice,
    /// A repetition of a reaction that its message already has.
    Reaction,
    /// Words that replace an attachment.
    Placeholder,
}

/// Text after the name of the person who caused a notice.
const NOTICES: [&str; 24] = [
    "named the group", "set the nickname for", "set your nickname", "set their own nickname", "set his own nickname",
    "set her own nickname", "cleared the nickname", "changed the theme", "changed the chat theme", "set the emoji to",
    "set the quick reaction to", "changed the group photo", "changed the group name", "created the group", "joined the call",
    "joined the video chat", "started a video chat", "started a call", "started an audio call", "created a poll", "voted for",
    "changed their vote", "pinned a message", "turned on vanish mode",
];

/// Notices that name no person.
const WHOLE_NOTICES: [&str; 5] = [
    "You are now connected on Messenger",
    "Say hi to your new Facebook friend",
    "The video chat ended",
    "This poll is no longer available",
    "You can now message and call each other",
];

/// Endings of sentences that replace an attachment.
const PLACEHOLDERS: [&str; 6] =
    ["sent an attachment.", "sent a photo.", "sent a video.", "sent a voice message.", "sent a link.", "shared a story."];

/// Shortest account name in the notice of a like, in bytes. Shorter names may be ordinary words, as in "who liked a message".
const ACCOUNT_BYTES_MIN: usize = 6;

/// Whether `content` is Instagram's older notice of a like, which begins with the name of the account: "ana.lima liked a
/// message".
fn is_like(content: &str) -> bool {
    content.strip_suffix(" liked a message").is_some_and(|account| {
        account.len() >= ACCOUNT_BYTES_MIN
            && account.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_'))
    })
}

/// Who wrote `content`, a message from `sender`.
pub(super) fn written(content: &str, sender: &str) -> Written {
    let content = content.trim();
    if content == "Liked a message" || is_like(content) || content.contains("eacted ") && content.ends_with(" to your message") {
        return Written::Reaction;
    }
    if WHOLE_NOTICES.iter().any(|notice| content.starts_with(notice)) {
        return Written::Notice;
    }
    let first = sender.split(' ').next().unwrap_or(sender);
    let rest = [sender, first, "You"]
        .iter()
        .filter(|name| !name.is_empty())
        .find_map(|name| content.strip_prefix(name)?.strip_prefix(' '));
    match rest {
        Some(rest) if NOTICES.iter().any(|notice| rest.starts_with(notice)) => Written::Notice,
        Some(rest) if PLACEHOLDERS.contains(&rest) => Written::Placeholder,
        _ => Written::ByPerson,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_wrote_is_no_word_of_the_person() {
        for (content, expect) in [
            ("Ana Lima named the group Beans.", Written::Notice),
            ("Ana set the nickname for Ben to Bee.", Written::Notice),
            ("You changed the theme to Ocean.", Written::Notice),
            ("You are now connected on Messenger", Written::Notice),
            ("Liked a message", Written::Reaction),
            ("ana.lima_9 liked a message", Written::Reaction),
            ("they liked a message", Written::ByPerson),
            ("Ana Lima liked a message", Written::ByPerson),
            ("Reacted 😢 to your message ", Written::Reaction),
            ("Ana sent an attachment.", Written::Placeholder),
            ("I named the group Beans.", Written::ByPerson),
            ("Ana is here. She named the group Beans.", Written::ByPerson),
            ("I liked a message", Written::ByPerson),
            ("Anabel named the group", Written::ByPerson),
        ] {
            assert_eq!(written(content, "Ana Lima"), expect, "{content}");
        }
        assert_eq!(written(" voted for", ""), Written::ByPerson);
    }
}
