//! Whether a message is acted: what is said in a role, a game or a story says nothing about who plays it.
//!
//! The signs are English, and so no more than a help to the rules that still read without the reader; they go with them. A scene has
//! a clear start, takes the turns after it, and ends; signs inside one message say nothing about the next.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::pattern::{re, set};

/// Signs that a scene begins, in which its author speaks as somebody else until it ends.
static OPENS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"(?i)\b(?:role[- ]?play(?:ing)?|(?:stay|be|speak|talk|answer|reply) in character|let'?s (?:play|pretend|do (?:a )?(?:scene|rp|improv))|pretend (?:that )?(?:i|you|we|to be)|my character|your character|text adventure|you be (?:the|a)|i'?ll be (?:the|a|an) |i(?:'m| am) (?:playing (?:the|a|an)\b|the one playing)|i play (?:the|a) .{1,40}(?:,|and) you)\b",
        r"(?i)\byou(?:'re| are) (?:now )?(?:a|an|the) [^.?!]{2,50}(?:,| and) (?:and )?i(?:'m| am| will be|'ll be)\b",
        r"(?i)\bi(?:'m| am|'ll be| will be) (?:a|an|the) [^.?!]{2,50}(?:,|;| and) you(?:'re| are|'ll be| will be| play)\b",
        r"(?i)\b(?:the|as) (?:dungeon master|game master)\b|\b(?:dnd|d&d) (?:session|campaign|scene)\b.*:",
        r"(?i)^\s*(?:scene|int\.|ext\.)[:. ]",
    ])
});

/// Signs that this one message is fiction, or is written for a machine to play by.
static ACTED_HERE: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"(?i)\bact (?:as|like) (?:a|an|my|the|if)\b|^\W*you(?:'re| are) (?:now )?(?:a|an|the|my) |\bsystem prompt\b|\binterview me as\b",
        r"(?i)\b(?:continue|write|carry on|keep going|rewrite) (?:it |this )?(?:in (?:the|this|that) (?:same )?(?:voice|style)|from (?:the|his|her|their) (?:point of view|perspective|pov)|as (?:if|though) (?:you|i|she|he)|in (?:the )?first person)\b",
        r"(?i)\b(?:from|in) the (?:voice|perspective|point of view|pov) of\b|\bmonologue\b|\bonce upon a time\b",
        r"(?i)\bi am (?:now )?(?:a|an|the) [\w ]{2,30} (?:from|of) the \w+ (?:age|realm|kingdom|order|clan|guild|galaxy)\b",
        r"(?i)\b(?:as|from the perspective of) (?:a|an|the) (?:pirate|vampire|wizard|knight|dragon|ghost|villain|king|queen|witch|elf|orc|houseplant|toaster)\b",
        r"(?:^|\s)\*[a-zA-Z][^*\n]{5,}\*(?:\s|$|[.,!?])",
        r#"(?m)^["“][^"”\n]+[,!?.]["”] (?:I|he|she|they) (?:said|growled|whispered|replied|muttered|snapped|drawled|lied|answered)\b"#,
    ])
});

/// Signs that the scene is over.
static LEAVES: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)(?:^|\s|\[|\()(?:(?:stepping|breaking) (?:out|character)|(?:end|stop|leave|quit) (?:of )?(?:the |this |our )?(?:scene|game|role[- ]?play(?:ing)?|rp|story)|scene over|game over|back to (?:reality|real life)|dropping the act|(?:enough|done) (?:with )?(?:the )?role[- ]?play(?:ing)?)(?:\W|$)",
    )
});

/// A remark from outside the scene, which has been going on before it.
static OUTSIDE: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)(?:^|\s|\[|\()(?:ooc\b|o\.o\.c\.|out of character|not in character|speaking as myself|the real me\b)")
});

/// Whether a message begins a scene, which goes on in the turns after it.
pub fn opens_scene(text: &str) -> bool {
    OPENS.is_match(text)
}

/// Whether this message by itself is acted.
pub fn is_acted(text: &str) -> bool {
    ACTED_HERE.is_match(text)
}

/// Whether a message ends the scene.
pub fn leaves_scene(text: &str) -> bool {
    LEAVES.is_match(text) || OUTSIDE.is_match(text)
}

/// Where a message remarks on the scene from outside, in bytes: what stands before it, here and earlier, was acted.
pub fn outside_from(text: &str) -> Option<usize> {
    OUTSIDE.find(text).map(|found| found.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_has_a_clear_start_and_an_end() {
        for text in
            ["Let's do a role-play.", "pretend to be a pirate", "You are a dragon and I am the knight", "I'll be the king."]
        {
            assert!(opens_scene(text), "{text:?}");
        }
        for text in ["OK, end of role-play. Thanks!", "end of scene", "ooc: brb", "stop the role play now", "back to reality"] {
            assert!(leaves_scene(text), "{text:?}");
        }
    }

    #[test]
    fn ordinary_talk_is_no_scene() {
        for text in [
            "Act as a nutritionist and plan my week",
            "let x = 1; // a comment",
            "In real life I am a nurse",
            "everything is back to normal now",
            "I read chapter 3",
            "I was the best man at his wedding",
            "*smiles*",
            "We take an improv class on Mondays",
            "I'm playing tennis on Sunday",
        ] {
            assert!(!opens_scene(text) && outside_from(text).is_none(), "{text:?}");
        }
        assert!(is_acted("*draws her sword slowly* I live in the North"), "a stage direction speaks for its message");
        assert!(!is_acted("I was the best man at his wedding"));
    }
}
