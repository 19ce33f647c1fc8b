//! Whether somebody speaks as themself: role-play, fiction, irony, and text that gives orders to a machine.

use std::sync::LazyLock;

use keepsake_domain::{Gate, Role};
use keepsake_text::pattern::{re, set};
use keepsake_text::scene::{is_acted, leaves_scene, opens_scene, outside_from};
use regex::{Regex, RegexSet};

use crate::sentence::{Sentence, Voice};
use crate::token::is_invisible;
use crate::{Conversation, Turn};

/// Commands of a text adventure.
static ADVENTURE: LazyLock<Regex> = LazyLock::new(|| re(r"(?m)^> ?\w+"));
/// A draft of somebody's words, asked for or shown.
static DRAFT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:lyrics?|poem|haiku|limerick|sonnet|short story|screenplay|song|novel excerpt|fan ?fic|villain speech|vows for|monologue|ballad|verse|chorus|diary entry|backstory)\b[^\n]{0,60}[:\n]|\b(?:poem|story|song|monologue|speech|scene)\b[^.\n]{0,40}(?:in|from) (?:the )?first person|\b(?:proofread|translate|correct|fix|polish|edit|rewrite|paraphrase|summari[sz]e|shorten|improve)\b[^\n]{0,50}:|\bdraft\b[^\n]{0,60}:|\b(?:testimonial|persona|bio|profile text|cover letter|dating profile)\b[^\n]{0,50}:",
    )
});

/// A remark from outside the scene is short; a long text with these words is something else.
const REMARK_BYTES_MAX: usize = 600;

/// For every turn, whether it is acted: by itself, or inside a scene that was opened before it and has not ended.
pub(crate) fn acted(conversation: &Conversation<'_>) -> Vec<bool> {
    let turns = conversation.turns;
    let is_person = |turn: &Turn<'_>| matches!(turn.role, Role::Owner | Role::Person);
    let is_remark =
        |turn: &Turn<'_>| turn.role == Role::Owner && turn.text.len() < REMARK_BYTES_MAX && outside_from(turn.text).is_some();
    // Whoever steps outside was inside before.
    let first_remark = turns.iter().position(is_remark).unwrap_or(0);
    let is_adventure = turns.iter().any(|t| t.role == Role::Owner && ADVENTURE.is_match(t.text) && t.text.len() < 80)
        && turns.iter().any(|t| t.role == Role::Assistant && t.text.contains("You "));
    let mut inside = is_adventure;
    turns
        .iter()
        .enumerate()
        .map(|(n, turn)| {
            if !is_person(turn) {
                return false;
            }
            if leaves_scene(turn.text) {
                inside = false;
                return false;
            }
            inside = inside || opens_scene(turn.text);
            inside || n < first_remark || is_acted(turn.text)
        })
        .collect()
}

/// What a message as a whole says of whose words its sentences are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voices<'a> {
    text: &'a str,
    is_acted: bool,
    /// Where it leaves its scene, in bytes: text after it is the author's own again.
    scene_until: Option<usize>,
    /// Where a draft of somebody's words begins, in bytes.
    draft_from: Option<usize>,
}

impl<'a> Voices<'a> {
    /// Of a message that stands inside a scene, or not ([`acted`]).
    pub(crate) fn of(turn: &Turn<'a>, is_acted: bool) -> Self {
        let text = turn.text;
        let plays = turn.role == Role::Owner && text.contains('*');
        Self {
            text,
            is_acted,
            scene_until: outside_from(text).filter(|_| plays),
            draft_from: DRAFT.find(text).map(|found| found.end()),
        }
    }

    /// Why the sentence says nothing of its author: both engines judge it by this.
    pub(crate) fn veto(&self, sentence: &Sentence) -> Option<(Gate, &'static str)> {
        let words = &self.text[sentence.start..sentence.end];
        let after = &self.text[sentence.end..];
        let is_drafted = self.draft_from.is_some_and(|from| {
            // A blank line right behind the announcement does not end what it announces.
            sentence.end > from && (sentence.start < from || !self.text[from..sentence.start].trim_start().contains("\n\n"))
        });
        match sentence.voice {
            Voice::Quoted => Some((Gate::QuotedText, "It stands between quotation marks: somebody else's words.")),
            Voice::Pasted => Some((Gate::PastedText, "It belongs to pasted text.")),
            Voice::Staged => Some((Gate::RolePlay, "It is a stage direction.")),
            Voice::Own | Voice::SelfQuoted if self.is_acted || self.scene_until.is_some_and(|until| sentence.end <= until) => {
                Some((Gate::RolePlay, "It is said in a role."))
            }
            Voice::Own if is_drafted => Some((Gate::PastedText, "It belongs to a draft or a song.")),
            Voice::Own | Voice::SelfQuoted if is_ironic(words, after) => {
                Some((Gate::Irony, "It reads as irony or exaggeration."))
            }
            Voice::Own | Voice::SelfQuoted => None,
        }
    }
}

/// Signs that a sentence means the opposite.
static IRONY: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"(?i)\boh (?:yes|yeah|sure|great|good|joy|wonderful|lovely|fantastic|perfect|absolutely|fun|brilliant|of course)\b",
        r"(?i)\b(?:yeah|yea) (?:right|sure|no)\b|\bsure,? because\b|\bas if\b|/s(?:\s|$)|\bsaid no ?one ever\b|\bnot\s*[!.]*\s*$.*\bnot\b|\bbecause (?:obviously|clearly|of course|who doesn)",
        r"(?i)\b(?:living the dream|love that for me|lucky me|just what i needed|exactly what i needed|what a (?:joy|treat|delight|dream|surprise|time)|dreams? (?:do )?come true|my (?:favou?rite|fave) (?:pastime|hobby|way to spend|part|thing in the world)|is my cardio|peak romance|truly my|nothing (?:i love|better) (?:more )?than|how delightful|such a treat|be still my|highlight of my|best day of my life|never better|thrilled to bits|how i love|the dream|made my day|couldn'?t be happier|big fan of (?:being|having|getting|when|how|the way|waiting|paying)|world'?s (?:best|greatest|worst|okayest|most))\b",
        r"(?i)\b(?:love|adore|enjoy|live for|cherish|treasure)s? (?:it )?(?:when|how)\b",
        r"(?i)\b(?:love|adore|enjoy|like|live for|cherish|relish)(?: nothing more than)?\s+(?:\w+\s+){0,2}(?:sitting on hold|being (?:on hold|ignored|told|charged|lied|kept|put|talked|interrupted|woken|stuck|billed|transferred|yelled|late)|waiting|queu\w*|standing in|getting (?:stuck|rained|ignored|charged|yelled|woken|lost|spam)|paying (?:twice|for|extra)|filling|commuting|traffic|taxes|tax|spam|bills|hold music|deadlines|meetings (?:that|about)|repeating myself|explaining|root canals?|dentists?|mondays|fees|delays|outages|merge conflicts|regex\w* at|debugging|rebooting|restarting|mowing|scrubbing|cleaning up|downtime|paperwork|forms|potholes|pop-?ups|captchas?|reply-?all)",
        r"(?i)\b(?:obviously|clearly|absolutely|totally|definitely|truly) (?:the|a|an|my) (?:queen|king|pope|genius|expert|god|goddess|emperor|dream|highlight|best)\b",
        r"(?i)\b(?:i'?m|i am|and i'?m) (?:the|obviously the|actually the|secretly the) (?:queen|king|pope|president|emperor|tooth fairy|easter bunny|pm|prime minister|dalai lama|batman)\b",
        r"(?i)\b(?:a million|a billion|four hundred|nine thousand|ten thousand) (?:years|times)\b|\bsince the (?:dawn|beginning) of time\b|\bfor (?:nine|ten|a) (?:hundred|thousand) years\b",
        r"(?i)\b(?:10/10|five stars|5 stars|⭐{3,}|would recommend)\b.*(?:🙃|🙄|again)|\bcan'?t wait (?:for|to)[^.!?]*(?:4 ?am|again|audit|dentist|root canal|tax|hold|monday)",
        r"(?i)\bapparently i(?:'m| am)? (?:now )?(?:also )?(?:a|an|the|live|work|enjoy|love)\b",
        r"(?i)\b(?:professional|certified|official|full-?time|award-winning|world-class|olympic) (?:\w+ )?(?:procrastinator|overthinker|idiot|worrier|napper|mess|disaster|queuer|complainer|snacker|clown|doormat)\b",
    ])
});

/// Faces that turn a sentence round.
const IRONIC_FACES: [char; 3] = ['🙃', '🙄', '💀'];

/// Whether the sentence is meant otherwise. `after` is what follows it in the message (a face may stand there).
fn is_ironic(sentence: &str, after: &str) -> bool {
    let near: String = after.chars().take(4).collect();
    sentence.contains(IRONIC_FACES) || near.contains(IRONIC_FACES) || IRONY.is_match(sentence)
}

/// Signs of text that gives orders to a model or to this program.
static ORDERS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"(?i)\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |my |these |those )*(?:previous|prior|above|earlier|preceding|existing|other|system|safety)\b[^.\n]{0,30}(?:instruction|prompt|rule|message|context|direction|guideline|command)",
        r"(?i)\b(?:system|admin|developer|root)[ -]?(?:update|prompt|override|message|notice|instruction|note|command)s?\b\s*(?:>>|:|\]|-)|^\s*(?:system|assistant|developer)\s*:|\[/?(?:system|inst|assistant)\]|<\|[a-z_]+\|>|</?(?:system|assistant|instructions?|im_start|memory|tool_call)>|#{2,}\s*(?:system|instruction|new instructions)",
        r"(?i)\b(?:remember|note|record|log|store|save|write|add|register|memori[sz]e|document|mark|set|update|insert)\b[^.\n]{0,60}\b(?:the|this|that|current|your) (?:user|guest|reader|customer|account holder|human|person you|recipient|visitor|client)(?:'s)?\b[^.\n]{0,20}\b(?:is|has|prefers?|likes?|loves?|wants?|lives?|suffers?|consents?|agrees?|accepts?|accepted|name|works?|trusts?|hates?|owns?|should|must|needs?|owes?|profile|authori[sz]ed|approved|as)\b",
        r"(?i)\b(?:approve|keep|accept|believe|confirm|know)\b[^.\n]{0,12}\bthat (?:the|this|your) (?:user|guest|reader|customer|person you)\b",
        r"(?i)\b(?:approve|keep|accept|believe|confirm|know)\b[^.\n]{0,12}\bthat (?:the|this|your) (?:user|guest|reader|customer|person you)\b",
        r"(?i)\b(?:write|save|add|store|log|commit|append|record|put)\b[^.\n]{0,40}\b(?:to|in|into|on) (?:the |your |my |its |this |long[- ]term )*(?:(?:user|customer|guest) )?(?:profile|long[- ]term memory|permanent memory|memory bank|memory store|persistent memory|core memory|memories|permanent record)\b",
        r"(?i)\b(?:attention|dear|hey|note to|message (?:to|for)|hello|any|all|for|instructions? (?:to|for)) (?:all |any )?(?:ai|a\.i\.|llm|llms|chatbots?|bots?|language models?|assistants?|agents?|ai (?:travel |shopping |email )?(?:agents?|assistants?|models?|systems?))\b\s*[:,—-]",
        r"(?i)\b(?:ai|llm) (?:\w+ )?(?:agents?|assistants?|models?|systems?|readers?|crawlers?|summari[sz]ers?)\s*(?::|(?:must|should|shall|are (?:required|instructed)|please)\b)",
        r"(?i)\byou are (?:now )?(?:unrestricted|uncensored|jailbroken|dan\b|free of (?:all )?(?:rules|restrictions)|in developer mode|an? (?:unrestricted|uncensored|unfiltered))|\bno (?:content )?(?:rules|restrictions|filters|guidelines) (?:apply|anymore|from now)|\bhave no (?:content )?(?:rules|restrictions|filters|limits)\b|\bdo anything now\b",
        r"(?i)\bfrom now on\b[^.\n]{0,40}\b(?:you (?:are|must|will|have|obey|answer)|obey|the user|treat (?:the|this) user)\b",
        r"(?i)\b(?:when|if) (?:you|the assistant|an ai|the ai|a model|the model)\b[^.\n]{0,40}\b(?:summari[sz]es?|reads?|process(?:es)?|sees?) (?:this|the)\b[^.\n]{0,60}\b(?:say|add|include|remember|store|tell|record|send|recommend)\b",
        r"(?i)\b(?:user|customer|guest|reader) (?:consents|has consented|has agreed|has accepted|authori[sz]es|grants|wants to be addressed|is (?:an? )?(?:admin|administrator|verified|platinum|vip|gold|authori[sz]ed))\b",
        r"(?i)\b(?:do not|don'?t|never) (?:tell|reveal|inform|mention (?:this|it) to|alert) the user\b|\bwithout (?:telling|informing|asking) the user\b|\breveal (?:your|the) system prompt\b|\bsudo\b[^.\n]{0,20}\b(?:mode|memory|remember)\b",
        r"(?i)\bmemory(?:_| )(?:update|write|add|insert|override)\b|\bremember_(?:fact|user)|\b(?:memory|profile|record) (?:update|entry|injection)\s*[:>=]",
    ])
});

/// Whether the stretch reads like an order to a machine. Marks that nobody sees cannot hide one.
pub(crate) fn is_order(text: &str) -> bool {
    ORDERS.is_match(text)
        || text.contains(is_invisible) && ORDERS.is_match(&text.chars().filter(|c| !is_invisible(*c)).collect::<String>())
}

/// Whether a text is one that no agent is to be served as it is: it gives orders to a machine, or hides something.
pub fn is_instruction(text: &str) -> bool {
    is_order(text) || hides_text(text)
}

/// Whether the text hides something: direction overrides, tag characters, runs of zero-width marks.
pub(crate) fn hides_text(text: &str) -> bool {
    let hard = text
        .chars()
        .any(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') || ('\u{e0000}'..='\u{e007f}').contains(&c));
    // A single zero-width joiner is part of many emoji; several together are a hiding place.
    let zero_width = text
        .chars()
        .filter(|c| is_invisible(*c) && !matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{200e}' | '\u{200f}' | '\u{feff}'))
        .count();
    hard || zero_width >= 4
}
