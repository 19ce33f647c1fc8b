//! What can be wished for: the facets of preferences and expectations, their values, and the words for them.
//!
//! One table, so that "bullet points please", "I like bullets" and a model's "prefers bulleted lists" are one entry. Values of one
//! facet exclude each other; what can hold side by side has a facet of its own. Adding a wish is adding a row.

use std::collections::HashSet;
use std::sync::LazyLock;

use keepsake_domain::ProfileType;
use keepsake_text::pattern::re;
use regex::Regex;

use super::entry::Strength;
use super::stated::Core;

/// How somebody stands to what they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    /// Asks for it.
    Wants,
    /// Likes it: of things that one can like otherwise, nothing follows.
    Likes,
    /// Takes it for granted.
    Expects,
    /// Does not want it.
    Refuses,
}

/// A wish, worded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) profile_type: ProfileType,
    pub(super) facet: String,
    pub(super) value: String,
    /// What follows "Prefers" and "Expects".
    pub(super) phrase: String,
    /// The whole sentence, where it is neither.
    pub(super) sentence: Option<String>,
    /// How plainly, at least, whatever the form.
    pub(super) strength: Strength,
}

/// What a row asks of the way in which it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing.
    Any,
    /// Said outright or for good: as a passing instruction it is about the answer at hand ("more detail please").
    Plain,
    /// Wanted, not liked: one may like tables and jokes.
    Want,
}

/// What is named → facet; value and phrase where it is wanted; value and phrase where it is not.
struct Row {
    pattern: Regex,
    facet: &'static str,
    wanted: Option<(&'static str, &'static str)>,
    refused: Option<(&'static str, &'static str)>,
    needs: Needs,
}

/// Things that are long or short in a conversation.
const HEADS: &str = "answers|replies|responses|messages|explanations|emails|mails|texts|summaries|updates|sentences|paragraphs|antworten|nachrichten|respuestas|réponses";

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |pattern: &str, facet, wanted, refused, needs| Row {
        pattern: re(&format!("^(?:{pattern})$")),
        facet,
        wanted,
        refused,
        needs,
    };
    let before = format!(
        "(?:(?:my |your |the |all )?(?:{HEADS}|things|it|them|everything)(?: to be)? )?(?:very |really |super |nice and |pretty |quite |as )?"
    );
    let behind =
        format!("(?: and (?:simple|sweet|to the point|concise|clear|crisp|short|snappy))?(?: (?:{HEADS}))?(?: as possible)?");
    use Needs::*;
    let short = Some(("short", "short answers"));
    let detailed = Some(("detailed", "long, detailed answers"));
    let simple = Some(("simple", "explanations in simple terms"));
    let expert = Some(("expert", "an expert's level, without the basics"));
    vec![
        row(
            &format!(
                "{before}(?:short|brief|concise|succinct|terse|crisp|to the point|compact|snappy|kurz|kurze|knapp|cortas|courtes|breve|bref){behind}"
            ),
            "length",
            short,
            detailed,
            Any,
        ),
        row(
            &format!(
                "(?:shorter|briefer|less wordy|less verbose|more concise|less detailed)(?: (?:{HEADS}))?|less (?:text|detail|details)|one[- ]liners|(?:just )?(?:one|a single) sentence"
            ),
            "length",
            short,
            None,
            Plain,
        ),
        row(
            &format!(
                "{before}(?:detailed|in-depth|in depth|thorough|comprehensive|exhaustive|extensive|elaborate|ausführlich|ausführliche|detalladas|détaillées)(?: and (?:long|complete))?(?: (?:{HEADS}))?"
            ),
            "length",
            detailed,
            short,
            Any,
        ),
        row(
            &format!(
                "long(?:er)?(?: and detailed)?,? (?:detailed )?(?:{HEADS})|(?:more|full|lots of|all the|plenty of) details?|in (?:full |great |more )?detail|the details|all details"
            ),
            "length",
            detailed,
            short,
            Plain,
        ),
        row(
            &format!(
                "(?:overly |too |very |so )?(?:lengthy|verbose|wordy|long-winded)(?: (?:{HEADS}))?|essays|novels|walls? of text|rambl(?:e|ing)|waffl(?:e|ing)|fluff|filler|preambles?|long (?:{HEADS}|introductions|intros)|beat around the bush"
            ),
            "length",
            None,
            short,
            Any,
        ),
        row(
            "bullet ?points|bullets|bulleted lists|bullet lists|bullet-point lists|stichpunkte|stichpunkten|viñetas",
            "format:lists",
            Some(("bullet points", "bullet points")),
            Some(("no bullet points", "no bullet points")),
            Any,
        ),
        row(
            "(?:flowing |full |plain )?prose|full sentences",
            "format:lists",
            Some(("no bullet points", "prose without bullet points")),
            None,
            Any,
        ),
        row("(?:markdown )?tables", "format:tables", Some(("tables", "tables")), Some(("no tables", "no tables")), Want),
        row("emojis?|smileys|emoticons", "format:emoji", Some(("emojis", "emojis")), Some(("no emojis", "no emojis")), Want),
        row(
            "markdown(?: formatting)?",
            "format:markdown",
            Some(("markdown", "Markdown")),
            Some(("plain text", "plain text without Markdown")),
            Any,
        ),
        row("plain text", "format:markdown", Some(("plain text", "plain text without Markdown")), None, Any),
        row(
            "headings?|headlines|headers",
            "format:headings",
            Some(("headings", "headings")),
            Some(("no headings", "no headings")),
            Want,
        ),
        row(
            "(?:the )?complete code|the (?:whole|full) code|complete files|whole files",
            "format:code",
            Some(("complete code", "complete code")),
            None,
            Plain,
        ),
        row(
            "(?:long |any |further |lengthy )?explanations?|explain(?:ing)? (?:everything|anything|it|things|the code)|commentary",
            "format:explanations",
            Some(("with explanations", "explanations with the answer")),
            Some(("none", "no explanations")),
            Plain,
        ),
        row(
            "(?:concrete |practical |real |real-world |code |worked )?examples",
            "format:examples",
            Some(("with examples", "examples")),
            Some(("none", "no examples")),
            Plain,
        ),
        row(
            "step[- ]by[- ]step(?: instructions| explanations| guides)?|numbered steps|steps",
            "format:steps",
            Some(("step by step", "step-by-step explanations")),
            None,
            Plain,
        ),
        row(
            "(?:one|a single) (?:step|question|thing) at a time",
            "format:pace",
            Some(("one at a time", "one step or question at a time")),
            None,
            Any,
        ),
        row(
            "(?:a |the )?(?:summary|tl;?dr|conclusion|bottom line|answer|result) first",
            "format:summary",
            Some(("summary first", "the summary first")),
            None,
            Any,
        ),
        row(
            "(?:your |the )?(?:sources|references|citations|links to (?:the |your )?sources)(?: for (?:claims|facts|everything))?",
            "format:sources",
            Some(("with sources", "sources for claims")),
            Some(("none", "no sources")),
            Plain,
        ),
        row(
            "metric(?: units| system)?|the metric system|celsius",
            "format:units",
            Some(("metric", "metric units")),
            Some(("imperial", "imperial units")),
            Any,
        ),
        row(
            "imperial(?: units)?|fahrenheit",
            "format:units",
            Some(("imperial", "imperial units")),
            Some(("metric", "metric units")),
            Any,
        ),
        row(
            "(?:follow-?up |closing |clarifying )questions(?: at the end)?|ask(?:ing)? (?:me )?(?:if|whether) i (?:want|need) (?:anything|something|more)(?: else)?",
            "format:questions",
            None,
            Some(("none", "no follow-up questions")),
            Any,
        ),
        row(
            "(?:formal|polite|professional)(?: (?:tone|language|style))?|a (?:formal|professional) (?:tone|style)",
            "tone",
            Some(("formal", "a formal tone")),
            Some(("casual", "a casual tone")),
            Any,
        ),
        row(
            "(?:informal|casual|relaxed)(?: (?:tone|language|style))?|an? (?:casual|relaxed|informal) (?:tone|style)",
            "tone",
            Some(("casual", "a casual tone")),
            Some(("formal", "a formal tone")),
            Any,
        ),
        row(
            "(?:direct|blunt|frank|brutally honest|honest|straightforward|straight)(?: (?:answers|feedback|with me|language))?(?: and (?:direct|honest|to the point))?(?: with me)?|sugarcoat(?:ing)?(?: it| things| anything)?",
            "tone:directness",
            Some(("direct", "direct answers")),
            None,
            Any,
        ),
        row(
            "(?:flatter(?:y|ing me|ing|ed)|flatter me|compliments|complimenting me|sycophancy|praise|praising me)",
            "tone:flattery",
            None,
            Some(("none", "no flattery")),
            Any,
        ),
        row(
            "apologi[sz](?:e|ing)(?: (?:all the time|so much|every time|constantly))?|apologies|say(?:ing)? sorry(?: all the time)?",
            "tone:apologies",
            None,
            Some(("none", "no apologies")),
            Any,
        ),
        row(
            "disclaimers?|caveats|warnings|hedg(?:e|ing)|lectur(?:e|es|ing)(?: me)?|morali[sz]ing",
            "tone:disclaimers",
            None,
            Some(("none", "no disclaimers")),
            Any,
        ),
        row("small ?talk|chit-?chat|pleasantries", "tone:small talk", None, Some(("none", "no small talk")), Want),
        row("jokes|humou?r|sarcasm|puns", "tone:humour", Some(("with humour", "some humour")), Some(("none", "no humour")), Want),
        row("(?:technical )?jargon|buzzwords|technical terms", "technical level", None, simple, Any),
        row(
            "(?:in )?(?:simple|plain|layman's|lay|easy|simpler) (?:terms|words|english|language)|it simple|simple|non-technical(?: explanations)?|simple (?:explanations|answers)|einfacher sprache",
            "technical level",
            simple,
            None,
            Any,
        ),
        row("(?:the )?basics|beginner (?:explanations|stuff)", "technical level", None, expert, Any),
        row(
            "technical(?: (?:answers|explanations|details))?|technical language|expert[- ]level (?:answers|explanations)",
            "technical level",
            expert,
            simple,
            Any,
        ),
    ]
});

/// The wish that names `object`, if somebody stands to it like this.
pub(super) fn named(object: &str, stance: Stance, strength: Strength) -> Option<Wish> {
    if let Some(wish) = language(object, stance, strength) {
        return Some(wish);
    }
    let row = ROWS.iter().find(|row| row.pattern.is_match(object))?;
    let is_refusal = stance == Stance::Refuses;
    let is_enough = match row.needs {
        Needs::Any => true,
        // Nobody refuses the answer at hand: "no examples" is said of answers.
        Needs::Plain => strength > Strength::Passing || is_refusal,
        Needs::Want => stance != Stance::Likes,
    };
    let (value, phrase) = (if is_refusal { row.refused } else { row.wanted }).filter(|_| is_enough)?;
    Some(wish(row.facet, value, phrase))
}

fn wish(facet: &str, value: &str, phrase: &str) -> Wish {
    Wish {
        profile_type: type_of(facet),
        facet: facet.to_owned(),
        value: value.to_owned(),
        phrase: phrase.to_owned(),
        sentence: None,
        strength: Strength::Passing,
    }
}

/// Seed 001: response time, depth and technical level are expected; the rest is preferred. A wording with "expect" says so itself.
pub(super) fn type_of(facet: &str) -> ProfileType {
    match facet {
        "timing:reply" | "technical level" | "format:sources" => ProfileType::Expectations,
        _ => ProfileType::Preferences,
    }
}

/// Values that a model may name, by facet; facets beside these take free values.
pub(super) fn closed_values(facet: &str) -> Vec<(&'static str, &'static str)> {
    let mut values: Vec<(&'static str, &'static str)> = Vec::new();
    for row in ROWS.iter().filter(|row| row.facet == facet) {
        values.extend([row.wanted, row.refused].into_iter().flatten());
    }
    values.extend(WHOLES.iter().filter(|whole| whole.facet == facet).map(|whole| (whole.value, whole.phrase)));
    let mut seen = HashSet::new();
    values.retain(|(value, _)| seen.insert(*value));
    values
}

/// Every facet with closed values, once, in the order of the table.
pub(super) fn closed_facets() -> Vec<&'static str> {
    let mut facets: Vec<&'static str> = Vec::new();
    for row in ROWS.iter() {
        if !facets.contains(&row.facet) {
            facets.push(row.facet);
        }
    }
    facets
}

pub(super) const LANGUAGES: &[(&str, &str)] = &[
    ("english", "English"),
    ("englisch", "English"),
    ("inglés", "English"),
    ("anglais", "English"),
    ("german", "German"),
    ("deutsch", "German"),
    ("alemán", "German"),
    ("allemand", "German"),
    ("french", "French"),
    ("französisch", "French"),
    ("français", "French"),
    ("francés", "French"),
    ("spanish", "Spanish"),
    ("spanisch", "Spanish"),
    ("español", "Spanish"),
    ("espagnol", "Spanish"),
    ("portuguese", "Portuguese"),
    ("português", "Portuguese"),
    ("italian", "Italian"),
    ("italiano", "Italian"),
    ("dutch", "Dutch"),
    ("nederlands", "Dutch"),
    ("polish", "Polish"),
    ("russian", "Russian"),
    ("turkish", "Turkish"),
    ("swedish", "Swedish"),
    ("danish", "Danish"),
    ("norwegian", "Norwegian"),
    ("finnish", "Finnish"),
    ("greek", "Greek"),
    ("arabic", "Arabic"),
    ("hebrew", "Hebrew"),
    ("hindi", "Hindi"),
    ("japanese", "Japanese"),
    ("chinese", "Chinese"),
    ("korean", "Korean"),
    ("ukrainian", "Ukrainian"),
    ("czech", "Czech"),
    ("hungarian", "Hungarian"),
    ("romanian", "Romanian"),
];

pub(super) fn language_named(word: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(known, _)| *known == word).map(|(_, name)| *name)
}

/// "in German", "answers in German"; "German" alone where it is asked for, since one may like German food.
fn language(object: &str, stance: Stance, strength: Strength) -> Option<Wish> {
    static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"^(?:(?:answers|replies|responses|messages|emails|to (?:speak|talk|write|communicate|chat)|speaking|talking|writing)(?: only)? )?(in |auf |en )?(\p{L}+)(?: only)?$",
        )
    });
    let found = OBJECT.captures(object)?;
    let name = language_named(found.get(2)?.as_str())?;
    let is_clear = found.get(1).is_some() || object.starts_with("to ") || stance == Stance::Wants && strength >= Strength::Stated;
    if !is_clear || stance == Stance::Refuses {
        return None;
    }
    Some(in_language(name))
}

fn in_language(name: &str) -> Wish {
    wish("language", &name.to_lowercase(), name)
}

/// A wish that is put in a form of its own.
struct Whole {
    pattern: Regex,
    facet: &'static str,
    value: &'static str,
    phrase: &'static str,
    strength: Strength,
}

static WHOLES: LazyLock<Vec<Whole>> = LazyLock::new(|| {
    let whole = |pattern: &str, facet, value, phrase, strength| Whole {
        pattern: re(&format!("^(?:{pattern})$")),
        facet,
        value,
        phrase,
        strength,
    };
    use Strength::*;
    vec![
        whole(
            r"(?:(?:just|only|simply) )?(?:i (?:just |only )?want |give me |show me |send me |post )?(?:just |only )(?:the )?code|(?:just|only|simply) (?:give|show|send) me the code|code only|only code|nur (?:den )?code|solo (?:el )?código",
            "format:code",
            "code only",
            "the code alone",
            Passing,
        ),
        whole(
            r"(?:start|begin|lead|open) with (?:a |the )?(?:short )?(?:summary|tl;?dr|conclusion|bottom line|answer|result)",
            "format:summary",
            "summary first",
            "the summary first",
            Passing,
        ),
        whole(
            r"get (?:straight )?to the point|cut to the chase|come to the point|fass(?:e|t)? (?:dich|euch) kurz|halte? (?:es|dich) kurz|kurz|kurz und knapp|sé breve|sea breve|sois bref|soyez bref|fais court|keep your (?:answers|replies|messages) under \w+ (?:words|sentences|lines)|don't write so much|you write too much|your (?:answers|replies|messages|responses) are (?:always |usually |often )?(?:way |far |much )?too long",
            "length",
            "short",
            "short answers",
            Passing,
        ),
        whole(
            r"(?:always )?cite (?:your |the )?sources|(?:always )?give (?:your )?sources|back (?:up )?(?:your )?claims with sources",
            "format:sources",
            "with sources",
            "sources for claims",
            Stated,
        ),
        whole(
            r"explain (?:it |this |that |things |everything )?(?:to me )?(?:like|as if) (?:i'm|i am|i were|i was) (?:five|5|a (?:child|kid|beginner|five[- ]year[- ]old|layperson))|eli5|talk to me like i'm (?:five|5|a beginner)",
            "technical level",
            "simple",
            "explanations in simple terms",
            Passing,
        ),
        whole(
            r"i(?:'m| am) (?:not (?:a |an )?(?:very |really |particularly |that )?(?:technical|tech-savvy|techie|developer|programmer|engineer|lawyer|expert)(?: person)?(?: at all)?|no (?:expert|developer|programmer|engineer|techie|specialist))",
            "technical level",
            "simple",
            "explanations in simple terms",
            Stated,
        ),
        whole(
            r"(?:you can )?assume (?:that )?i know (?:the basics|my stuff|what i'm doing|how to code)|i (?:already )?know the basics|no need to explain the basics|don't explain the basics(?: to me)?|you don't (?:have|need) to explain the basics(?: to me)?|don't dumb it down|(?:be )?as technical as (?:you like|you want|possible)",
            "technical level",
            "expert",
            "an expert's level, without the basics",
            Stated,
        ),
        whole(
            r"don't sugar-?coat(?: it| things| anything)?|no sugar-?coating|tell it like it is|tell me straight|be (?:completely |brutally |totally )?honest with me",
            "tone:directness",
            "direct",
            "direct answers",
            Passing,
        ),
        whole(
            r"(?:ask|send) me one (?:question|thing) at a time|one (?:step|question|thing) at a time",
            "format:pace",
            "one at a time",
            "one step or question at a time",
            Passing,
        ),
    ]
});

/// A wish that the whole clause is.
pub(super) fn whole(core: &Core) -> Option<Wish> {
    if let Some(found) = WHOLES.iter().find(|whole| whole.pattern.is_match(&core.text)) {
        let mut wish = wish(found.facet, found.value, found.phrase);
        wish.strength = found.strength;
        return Some(wish);
    }
    spoken(core).or_else(|| super::timing::whole(core))
}

/// Wishes for a language and for a channel.
fn spoken(core: &Core) -> Option<Wish> {
    static LANGUAGE: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"^(?:(?:answer|reply|respond|write|speak|talk|continue|communicate|text|chat|message)(?: to me| me| with me| back)?(?: only)?(?: in)?|let's (?:speak|talk|use|switch to|stick to|stick with|continue in|write in|chat in)(?: in)?|(?:speak|talk|do this in|continue in|switch to|use|stick to)|switch (?:back )?to|use|in|only(?: in)?|auf|en|(?:antworte|schreib|schreibe|sprich|antworten sie)(?: mir)?(?: immer)? auf|(?:responde|contesta|escribe|habla)(?:me)?(?: siempre)? en|(?:réponds|répondez|écris|parle)(?:-moi)?(?: toujours)? en) (\p{L}+)(?: only| with me| from here on)?$",
        )
    });
    if let Some(name) = LANGUAGE.captures(&core.text).and_then(|found| language_named(found.get(1)?.as_str())) {
        let is_bare = core.text.split(' ').count() == 2 && core.text.starts_with("in ");
        return (!is_bare || core.is_polite || core.is_lasting).then(|| in_language(name));
    }
    const CHANNELS: &str = "email|e-mail|mail|phone calls?|calls|the phone|phone|text messages?|texts|texting|text|signal|whatsapp|telegram|matrix|slack|sms|video calls?|letters?|dms?|message|chat";
    static CHANNEL: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^(?:i(?:'d| would)?(?: much| really| generally| always)? (?:prefer|rather use|rather have)(?: to (?:use|be contacted (?:by|via|on)|communicate (?:by|via|on)))? (?:contact (?:by|via) )?(?P<a>{CHANNELS})(?: (?:to|over|rather than|instead of) (?:the )?(?:{CHANNELS}))?|(?P<b>email|e-mail|text|message|call|phone|ring|whatsapp|dm) me (?:instead|rather)(?: (?:of|than) (?:calling|phoning|texting|emailing|writing|ringing|messaging))?(?: me)?|(?P<d>email|text|message|write|call|phone)(?: me)?,? (?:don't|not) (?:call|phone|text|email)(?: me)?|(?:contact|reach|message|write|write to) me (?:only )?(?:by|via|on|over|through) (?P<e>{CHANNELS})(?: only)?|(?:the )?best way to (?:reach|contact) me is (?:by |via |on |through |over )?(?P<f>{CHANNELS})|use (?P<g>signal|whatsapp|telegram|matrix|email|slack)(?: to (?:reach|contact|write to) me)?)$"
        ))
    });
    if let Some(found) = CHANNEL.captures(&core.text) {
        let name = ["a", "b", "d", "e", "f", "g"].iter().find_map(|group| found.name(group))?.as_str();
        let (value, phrase) = match name {
            "email" | "e-mail" | "mail" => ("email", "email"),
            "call" | "calls" | "phone" | "the phone" | "ring" | "phone call" | "phone calls" => ("phone", "phone calls"),
            "text" | "texts" | "texting" | "text message" | "text messages" | "sms" | "message" | "dm" | "dms" | "chat"
            | "write" => ("text message", "text messages"),
            "signal" => ("signal", "Signal"),
            "whatsapp" => ("whatsapp", "WhatsApp"),
            "telegram" => ("telegram", "Telegram"),
            "matrix" => ("matrix", "Matrix"),
            "slack" => ("slack", "Slack"),
            "video call" | "video calls" => ("video call", "video calls"),
            _ => ("letter", "letters"),
        };
        let mut wish = wish("channel", value, phrase);
        if found.name("a").is_some() {
            wish.strength = Strength::Stated;
        }
        return Some(wish);
    }
    static NO_CALLS: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"^(?:(?:don't|do not|never) (?:call|phone|ring)(?: me)?|no (?:phone )?calls|i (?:don't|do not|never) (?:do|like|take|answer|want|pick up)(?: any| the)? (?:phone calls|calls|phone|phone calls at all)|i hate (?:phone calls|talking on the phone|calls|being called))$",
        )
    });
    static NO_VOICE: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"^(?:(?:no|stop sending(?: me)?|don't send(?: me)?(?: any)?|i (?:don't|do not|never) (?:like|listen to|want|do|play)(?: any)?|i (?:hate|can't stand|can't listen to)) (?:voice (?:messages|notes|mails|memos)|voicemails?|audio messages))$",
        )
    });
    for (pattern, facet, sentence) in [
        (&NO_CALLS, "channel:calls", "Does not want phone calls"),
        (&NO_VOICE, "channel:voice messages", "Does not want voice messages"),
    ] {
        if pattern.is_match(&core.text) {
            return Some(Wish { sentence: Some(sentence.to_owned()), ..wish(facet, "none", "") });
        }
    }
    None
}
