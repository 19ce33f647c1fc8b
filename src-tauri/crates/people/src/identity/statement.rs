//! Statements that people make about their own addresses: "my email is …", "I'm @mara on Matrix", a signature.
//!
//! The rules require the first person and adjacent words: "my number is" counts, "my sister's number is" does not; "I'm @mara"
//! counts, "I'm with @mara" does not. There are rules for English, German, French and Spanish; in other languages, only
//! signatures count.
//!
//! Deliberately not here: finding the handle that a mention refers to, because that requires all handles.

use crate::identity::rules::MESSAGE_BYTES_READ_MAX;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use keepsake_prompt::scrub::{Contact, ContactKind, Scrubber};
use regex::{Captures, Regex};

use super::error::IdentityError;
use super::guard::{is_asked, is_off_record, is_quoted, is_reported, pattern};
use super::handle::comparable;
use super::name::Names;
use super::own::{OwnText, Voices};
use super::types::ContactSource;

/// A statement by the writer about themselves; ranges are byte ranges in the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// This address or number is mine.
    Contact { value: String, source: ContactSource, bytes: Range<usize> },
    /// This handle is mine.
    Handle { mention: Mention, bytes: Range<usize> },
    /// This handle or address is not mine.
    NotMine { mention: Mention, bytes: Range<usize> },
}

/// A handle named in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// The handle as written, without quotation marks.
    pub(super) handle: String,
    /// The canonical name of the channel named with it.
    pub(super) channel: Option<&'static str>,
    /// True if the wording could also address someone ("it's me, @jonas"). Such a mention does not count if that handle is
    /// present.
    pub(super) may_be_vocative: bool,
    /// True if the wording clearly names an account ("my GitHub is …"), so that it counts even if no such handle is known.
    pub(super) names_account: bool,
}

/// Names that people use for channels, each with its canonical name.
const CHANNELS: &[(&str, &str)] = &[
    ("matrix", "matrix"),
    ("element", "matrix"),
    ("signal", "signal"),
    ("telegram", "telegram"),
    ("tg", "telegram"),
    ("whatsapp", "whatsapp"),
    ("discord", "discord"),
    ("slack", "slack"),
    ("github", "github"),
    ("gitlab", "gitlab"),
    ("codeberg", "codeberg"),
    ("mastodon", "mastodon"),
    ("fediverse", "mastodon"),
    ("irc", "irc"),
    ("simplex", "simplex"),
    ("twitter", "twitter"),
    ("threema", "threema"),
    ("xmpp", "xmpp"),
    ("jabber", "xmpp"),
    ("linkedin", "linkedin"),
    ("reddit", "reddit"),
    ("keybase", "keybase"),
    ("skype", "skype"),
    ("bluesky", "bluesky"),
    ("bsky", "bluesky"),
    ("instagram", "instagram"),
    ("insta", "instagram"),
    ("zulip", "zulip"),
    ("mattermost", "mattermost"),
    ("sms", "sms"),
    ("zoom", "meeting"),
];

/// Patterns for statements about one's own handle. Slots: `{H}` is a handle with its sign, `{W}` a handle or one bare word, `{C}`
/// a channel, `{NAME}` a name, `{T}` the kind of place.
const DECLARED: &[&str] = &[
    // English
    r"\b(?:i\ am|i['’]?m|im)\s+(?:also\s+|just\s+|still\s+|now\s+|actually\s+|really\s+|known\s+as\s+|called\s+|usually\s+|the\s+same\s+(?:person\s+)?as\s+|the\s+one\s+behind\s+|the\s+)*{H}(?:\s+(?:over\s+)?(?:on|in|at|from|over\ on|over\ at)\s+(?:the\s+|our\s+)?{C})?",
    r"\bmy\s+(?:own\s+|new\s+|other\s+|old\s+|personal\s+|work\s+|private\s+|main\s+|second\s+|public\s+)*{C}(?:[\s-]?(?:handle|id|user\s?name|username|account|nick|nickname|name|address|profile|user|login|alias|tag))?(?:\s+there)?(?:\s+is|['’]s|\s*:|\s*=)\s*(?:still\s+|now\s+|just\s+|also\s+|called\s+|simply\s+)*{W!}",
    r"\bmy\s+(?:\w+\s+)?(?:handle|user\s?name|username|account|id|nick|nickname|name|login|alias|user)\s+(?:over\s+)?(?:on|in|at|for)\s+(?:the\s+|our\s+)?{C}(?:\s+{T})?\s+is\s+(?:still\s+|just\s+|now\s+)*{W!}",
    r"\b(?:find|reach|message|ping|dm|add|text|write|write\s+to|contact|follow|get|catch|mention|poke|tag|look\s+for|look\s+me\s+up|search)\s+(?:for\s+)?(?:me\s+)?(?:up\s+)?(?:over\s+)?(?:on|in|at|via)\s+(?:the\s+|our\s+)?{C}(?:\s+{T})?\s*(?:as|under|by|with|,?\s*where\s+i['’]?m|,?\s*i['’]?m|[:–(—-])\s*(?:the\s+(?:name|handle|nick)\s+(?:of\s+)?)?{W}",
    r"\b(?:find|reach|message|ping|dm|add|text|contact|follow|get|catch|know|see)\s+me\s+(?:as|under|at|via)\s+{W!}\s+(?:over\s+)?(?:on|in|from)\s+(?:the\s+|our\s+)?{C}",
    r"\b(?:over\s+)?(?:on|in|at)\s+(?:the\s+|our\s+)?{C}(?:\s+{T})?,?\s+(?:i\ am|i['’]?m|i\s+go\s+by|i\s+go\s+as|i\s+use|i\s+write\s+as|i\s+post\s+as|i\s+have|my\s+(?:\w+\s+)?(?:handle|name|nick|nickname|username|id|user\s?name|account)\s+is|you(?:['’]ll|\s+will|\s+can)?\s+(?:know|find|see|have|spot)\s+me\s+as|people\s+know\s+me\s+as|it['’]s\s+me\s+as)\s+(?:also\s+|just\s+|simply\s+|still\s+|called\s+|known\s+as\s+|the\s+user\s+|under\s+)*{W}",
    r"\bi(?:['’]?m)?(?:\s+also|\s+mostly|\s+usually)?\s+(?:go\s+by|go\s+as|am\s+known\s+as|known\s+as|called|post\s+as|write\s+as|chat\s+as|hang\s+out\s+as|sign\s+in\s+as|log\s+in\s+as|use\s+the\s+(?:name|handle|nick)|use|have)\s+(?:the\s+(?:name|handle|nick)\s+)?{W!}\s+(?:over\s+)?(?:on|in|at|for)\s+(?:the\s+|our\s+)?{C}",
    r"\b(?:this\s+is|it['’]s|it\s+is|here\s+is|hi,?\s+i['’]?m|i['’]?m)\s+{NAME}\s+(?:from|in|over\s+in|on)\s+(?:the\s+|our\s+)?{C}(?:\s+{T})?\s*[(\[,–—-]+\s*{H}",
    r"\b(?:this\s+is|it['’]s|it\s+is|i['’]?m)\s+{NAME}\s*[(\[,–—-]+\s*(?:aka\s+|a\.k\.a\.\s+|alias\s+|known\s+as\s+|better\s+known\s+as\s+|the\s+)?{H}(?:\s+(?:from|on|in|over\s+on)\s+(?:the\s+|our\s+)?{C})?",
    r"\b{NAME}\s+here\s*[(\[,:–—-]+\s*{H}",
    r"\b(?:it['’]s|it\s+is|its|that['’]s|that\s+is|that\s+was|it\s+was)\s+(?:just\s+|only\s+|still\s+)?me(?:\s+again)?\s*[,:(–—-]+\s*{H?}",
    r"{H}[\s,;–—-]+(?:(?:over\s+)?(?:on|in|at|from)\s+(?:the\s+|our\s+)?{C}(?:\s+{T})?\s+)?(?:is|was|is\s+also|would\s+be|that['’]s|,?\s*that\s+is)\s+(?:also\s+|just\s+|really\s+|actually\s+|still\s+)*(?:me\b|mine\b|my\s+(?:\w+\s+){0,2}(?:account|handle|user|nick|profile|alias|login|id|username)\b)",
    r"\b(?:the|that)\s+{H}\s+(?:account\s+|user\s+|you\s+(?:know|see|meet|talk\s+to)\s+)?(?:(?:on|from|in)\s+(?:the\s+|our\s+)?{C}(?:\s+{T})?\s+)?(?:is|was)\s+(?:also\s+|just\s+|actually\s+)?(?:me\b|mine\b)",
    r"\bi(?:['’]ve|\s+have)?\s+(?:just\s+)?(?:moved|switched|changed|migrated)\s+(?:over\s+)?(?:my\s+(?:\w+\s+)?(?:handle|account|id)\s+)?to\s+{H}(?:\s+on\s+{C})?",
    r"\byou\s+(?:may\s+|might\s+|probably\s+|already\s+)*(?:know|remember|met|have\s+met)\s+me\s+(?:from\s+{C}\s+)?as\s+{W}(?:\s+(?:on|from|in)\s+(?:the\s+|our\s+)?{C})?",
    r"\b(?:this|that)\s+is\s+my\s+(?:\w+\s+)?{C}(?:[\s-]?(?:handle|id|user\s?name|username|account|nick|name))?\s*[:,–-]\s*{W!}",
    // German
    r"\bich\s+bin\s+(?:auch\s+|übrigens\s+|die\s+|der\s+|jetzt\s+|dort\s+|nun\s+)*{H}(?:\s+(?:auf|bei|in|im|von|aus)\s+(?:dem\s+)?{C})?",
    r"\b(?:auf|bei|in|im)\s+{C}(?:-?\w+)?\s+(?:bin\s+ich|hei(?:ß|ss)e\s+ich|findest\s+du\s+mich|findet\s+ihr\s+mich|finden\s+sie\s+mich|erreichst\s+du\s+mich|erreicht\s+ihr\s+mich|schreibe\s+ich|kennst\s+du\s+mich|kennt\s+ihr\s+mich|nenne\s+ich\s+mich)\s+(?:auch\s+|unter\s+|als\s+|der\s+|die\s+|dem\s+namen\s+)*{W}",
    r"\bmein(?:e|en)?\s+{C}[\s-]?(?:handle|name|kennung|adresse|id|konto|account|nick|benutzername)?\s*(?:ist|lautet|hei(?:ß|ss)t|:)\s*(?:jetzt\s+|noch\s+)?{W!}",
    r"\bhier\s+(?:ist\s+|schreibt\s+)?{NAME}\s+(?:aus|von|vom|auf)\s+(?:dem\s+|der\s+)?{C}(?:[\s-]?\w+)?\s*[(\[,–-]+\s*{H}",
    r"\bich\s+bin(?:['’]?s|\s+es)\s*[,:(–-]+\s*{H?}",
    r"\bich\s+(?:hei(?:ß|ss)e|bin|schreibe)\s+(?:auf|bei|in|im)\s+{C}\s+(?:als\s+|unter\s+|der\s+|die\s+|auch\s+)*{W}",
    r"\b(?:du\s+kennst|ihr\s+kennt|sie\s+kennen)\s+mich\s+(?:(?:von|aus|auf)\s+{C}\s+)?als\s+{W}(?:\s+(?:von|aus|auf|bei)\s+{C})?",
    // French
    r"\bje\s+suis\s+(?:aussi\s+|toujours\s+)?{W!}\s+sur\s+{C}",
    r"\bsur\s+{C},?\s+(?:je\s+suis|c['’]est|je\s+m['’]appelle|j['’]utilise|mon\s+(?:pseudo|identifiant|nom|compte)\s+est|tu\s+me\s+trouves(?:\s+sous)?|vous\s+me\s+trouvez(?:\s+sous)?|on\s+me\s+trouve\s+sous)\s+{W}",
    r"\bmon\s+(?:pseudo|identifiant|compte|handle|id|nom)\s+(?:sur\s+|de\s+)?{C}\s*(?:est|c['’]est|:)\s*{W!}",
    r"\bc['’]est\s+(?:encore\s+)?moi\s*[,:(–-]+\s*{H?}",
    r"\b(?:ici|c['’]est)\s+{NAME}\s+(?:de|du|sur)\s+(?:la\s+|le\s+)?(?:salon\s+)?{C}\s*[(\[,–-]+\s*{H}",
    // Spanish
    r"\bsoy\s+(?:también\s+)?{W!}\s+en\s+{C}",
    r"\ben\s+{C},?\s+(?:yo\s+)?(?:soy|me\s+llamo|estoy\s+como|uso|mi\s+usuario\s+es|me\s+(?:encuentras|puedes\s+encontrar|conoces)\s+como|aparezco\s+como)\s+{W}",
    r"\bmi\s+(?:usuario|cuenta|id|nick|nombre|alias)\s+(?:de|en)\s+{C}\s*(?:es|:)\s*{W!}",
    r"\bmi\s+{C}\s*(?:es|:)\s*{W!}",
    r"\bsoy\s+yo\s*[,:(–-]+\s*{H?}",
];

const DENIED: &[&str] = &[
    r"\b(?:i\ am|i['’]?m|im)\s+not\s+(?:the\s+|really\s+|actually\s+|the\s+same\s+(?:person\s+)?as\s+)*{H}",
    r"{H}\s+(?:(?:on|in|from)\s+(?:the\s+)?{C}\s+)?(?:is\s+not|isn['’]?t|was\s+not|wasn['’]?t|is\s+definitely\s+not)\s+(?:me\b|mine\b|my\s+(?:account|handle)\b)",
    r"\bich\s+bin\s+nicht\s+(?:die\s+|der\s+)?{H}",
    r"{H}\s+(?:auf\s+{C}\s+)?(?:bin\s+ich\s+nicht|bin\s+nicht\s+ich)\b",
    r"\bje\s+ne\s+suis\s+pas\s+{H}",
    r"\b(?:yo\s+)?no\s+soy\s+{H}",
];

/// Text that may come directly before the writer's own contact detail.
const CONTACT_BEFORE: &[&str] = &[
    // English
    r"\bmy\s+(?:(?:new|own|other|current|personal|private|work|business|home|main|primary|second|secondary|direct|better|best|preferred|usual|everyday|normal|actual|real|uni|university|school|company|proper|temporary|uk|us|german|french|spanish|dutch|swiss|mobile|cell|phone)\s+)*(?:e-?mail|mail|gmail|inbox|address|number|phone|telephone|cell(?:phone)?|mobile|whatsapp|signal|landline|contact\s+(?:details?|info|address|number)|sms|handy)(?:\s+(?:address|number|no\.?|id|contact|account))?(?:\s+(?:for|at|on|in|there)(?:\s+\w+){0,3})?\s*(?:(?:is|are|['’]s|will\s+be|has\s+changed\s+to|changed\s+to|would\s+be|remains|stays)\s*(?:still\s+|now\s+|just\s+|also\s+|the\s+same[,:]?\s*)*|[:=,–-]\s*)?:?\s*$",
    r"\b(?:reach|e-?mail|mail|call|text|ring|phone|write|write\s+to|message|ping|contact|find|get|catch|whatsapp|sms|try|dm|forward\s+(?:it|them)\s+to|invite|cc|add)\s+me\b\s*(?:back\s+|up\s+|directly\s+|privately\s+|instead\s+|again\s+|any\s?time\s+|now\s+|there\s+|also\s+|always\s+|best\s+|later\s+|tonight\s+|tomorrow\s+|by\s+(?:e-?mail|phone|mail)\s+)*(?:at|on|via|under|using|by|through|with)?(?:\s+(?:my|this|the)\s+(?:\w+\s+){0,3}(?:address|number|e-?mail|mail|phone|mobile|cell|one))?\s*[:,–-]?\s*$",
    r"\b(?:get\s+(?:back\s+)?(?:to|in\s+touch\s+with|hold\s+of|through\s+to)|write\s+(?:back\s+)?to|reply\s+to|respond\s+to)\s+me\s+(?:at|on|via|under|by)\s*:?\s*$",
    r"\b(?:drop|shoot|send|give)\s+me\s+(?:an?\s+|the\s+|your\s+|that\s+|those\s+|some\s+)?(?:\w+\s+){0,3}(?:at|on|to|via|under)\s*:?\s*$",
    r"\b(?:send|forward|mail|e-?mail|post|share)\s+(?:it|them|that|this|everything|stuff|a\s+copy|(?:the|your|those)\s+(?:\w+\s+){1,3})\s*(?:over\s+)?(?:to\s+me\s+)(?:at|on|via|under)\s*:?\s*$",
    r"\bi(?:['’]?m|\s+am)\s+(?:now\s+|also\s+|always\s+|best\s+|usually\s+|still\s+)*(?:reachable|available|reached|contactable)?\s*(?:best\s+)?(?:by\s+(?:e-?mail|phone|text)\s+)?(?:at|on|via|under)?\s*:?\s*$",
    r"\b(?:i\s+can|i['’]ll|you\s+can|you['’]ll|you)\s+(?:always\s+|also\s+|still\s+|best\s+)*(?:be\s+(?:best\s+|always\s+)?(?:reached|contacted|found)|(?:find|reach|get|catch|contact|call|text|e-?mail|write\s+to)\s+me)\s+(?:\w+\s+){0,2}(?:at|on|via|under|by)\s*:?\s*$",
    r"\b(?:that['’]?s|that\s+is|this\s+is|here['’]?s|here\s+is|it['’]?s|use|take|note|save|have)\s+my\s+(?:\w+\s+){0,2}(?:e-?mail|mail|address|number|phone|mobile|cell|contact|details)(?:\s+(?:address|number|again|too|just\s+in\s+case|in\s+case))*\s*[:,–-]*\s*$",
    r"\bi(?:['’]ve|\s+have)?\s+(?:just\s+|now\s+)?(?:changed|switched|moved)\s+(?:my\s+)?(?:number|e-?mail|mail|address|phone)?\s*(?:over\s+)?to\s*:?\s*$",
    r"\bmine\s+(?:is|['’]s|remains|stays)\s*(?:still\s+|now\s+|just\s+)*:?\s*$",
    r"\bi\s+(?:mostly\s+|now\s+|always\s+|usually\s+|only\s+)*(?:read|check|answer|get|receive)\s+(?:my\s+)?(?:e-?mail|mail|messages)\s+(?:at|on|under|via)\s+$",
    r"\b(?:it['’]s|it\s+is)\s+(?:just\s+)?me(?:\s+again)?\s*[,:(–-]+\s*$",
    // German
    r"\bmeine?\s+(?:(?:neue|alte|private|dienstliche|geschäftliche|aktuelle|andere|eigene|direkte|persönliche)[rsn]?\s+)*(?:e-?mail|mail|mailadresse|e-?mail-?adresse|adresse|nummer|handynummer|telefonnummer|handy|rufnummer|mobilnummer|festnetznummer|durchwahl|whatsapp(?:-?nummer)?|signal(?:-?nummer)?)(?:-?adresse)?\s*(?:(?:ist|lautet|wäre|bleibt)\s*(?:jetzt\s+|nun\s+|noch\s+|immer\s+noch\s+|weiterhin\s+|ab\s+sofort\s+)*|:\s*)?:?\s*$",
    r"\b(?:erreichst|erreicht|erreichen|findest|findet|finden|kontaktierst|kontaktieren|erreichbar)\s+(?:du\s+|ihr\s+|sie\s+)?(?:mich\s+|bin\s+ich\s+)(?:\w+\s+){0,3}(?:unter|auf|über|via|per\s+mail\s+(?:an|unter))(?:\s+der(?:\s+nummer)?)?\s*:?\s*$",
    r"\bschreib(?:e|t|en\s+sie)?\s+mir\s+(?:\w+\s+){0,3}(?:an|auf|unter)\s*:?\s*$",
    r"\bschick(?:e|t|en\s+sie)?\s+(?:\w+\s+){0,3}(?:mir\s+)(?:\w+\s+){0,3}(?:an|auf|unter)\s*:?\s*$",
    r"\bruf(?:t|en\s+sie)?\s+mich\s+(?:\w+\s+){0,3}(?:unter|auf)(?:\s+der)?\s*:?\s*$",
    r"\bich\s+bin\s+(?:\w+\s+){0,3}(?:unter|über|auf)(?:\s+der)?(?:\s+nummer)?\s*:?\s*$",
    // French
    r"\bm(?:on|a)\s+(?:(?:nouvelle?|nouveau|nouvel|vieille|ancienne?)\s+)*(?:e-?mail|mail|adresse(?:\s+(?:mail|e-?mail|courriel))?|courriel|numéro(?:\s+de\s+(?:téléphone|portable|mobile))?|tél(?:éphone)?|portable|mobile)(?:\s+(?:perso(?:nnelle?)?|pro(?:fessionnelle?)?))?\s*(?:(?:est|c['’]est|devient|reste)\s*(?:le\s+|maintenant\s+|toujours\s+|désormais\s+)*|:\s*)?:?\s*$",
    r"(?:\bm(?:e\s+|['’])(?:joindre|contacter|trouver|écrire|appeler)|\b(?:écris|écrivez|appelle|appelez|contacte|contactez|joins|joignez|envoie|envoyez)-moi)\s+(?:[\p{L}'’-]+\s+){0,3}(?:à|au|sur|via)(?:\s+l['’]adresse|\s+numéro)?\s*:?\s*$",
    r"\bje\s+suis\s+(?:\w+\s+)?joignable\s+(?:\w+\s+){0,2}(?:à|au|sur|via)(?:\s+l['’]adresse)?\s*:?\s*$",
    // Spanish
    r"\bmi\s+(?:(?:nuevo|nueva|viejo|vieja|otro|otra)\s+)*(?:correo(?:\s+electrónico)?|e-?mail|mail|dirección(?:\s+de\s+correo)?|número(?:\s+de\s+(?:teléfono|móvil|whatsapp))?|teléfono|móvil|celular|whatsapp)(?:\s+(?:personal|nuevo|de\s+trabajo|del\s+trabajo))?\s*(?:(?:es|sigue\s+siendo|ahora\s+es|será)\s*(?:el\s+|ahora\s+)*|:\s*)?:?\s*$",
    r"\b(?:escríbeme|escribidme|escríbanme|llámame|llamadme|llámenme|contáctame|mándame(?:lo|la)?|envíame(?:lo|la)?|encuéntrame|escribirme|llamarme|contactarme|localizarme|encontrarme|mandarme(?:lo)?|enviarme(?:lo)?|me\s+puedes\s+(?:encontrar|escribir|llamar|contactar|localizar))\s+(?:\w+\s+){0,2}(?:a|al|en|por)(?:\s+la\s+dirección|\s+(?:mi\s+)?(?:número|correo))?\s*:?\s*$",
];

/// Text that may come directly after the writer's own contact detail.
const CONTACT_AFTER: &[&str] = &[
    r"^\s*[,–—-]?\s*(?:is|was|would\s+be|[–—=-]|that['’]s|that\s+is|is\s+still|is\s+now|is\s+also)\s*(?:also\s+|still\s+|now\s+|just\s+)*(?:me\b|mine\b|where\s+(?:you\s+can\s+|to\s+)?(?:reach|find|get)\s+me|my\s+(?:[\p{L}-]+\s+){0,2}(?:e-?mail|mail|address|number|phone|mobile|cell|inbox|line)\b(?:['’]s)?(?:[^'’s]|$))",
    r"^\s*(?:\p{L}+\s*)?,\s*das\s+ist\s+meine?\s+(?:\p{L}+\s+)?(?:e-?mail|mail|adresse|nummer|handynummer|mailadresse|mail-?adresse|telefonnummer)",
    r"^\s*(?:ist|lautet|wäre)\s+(?:auch\s+|jetzt\s+)?meine?\s+(?:\w+\s+)?(?:e-?mail|mail|adresse|nummer|handynummer|mailadresse|mail-?adresse|e-?mail-?adresse|telefonnummer)",
    r"^\s*(?:erreichbar|zu\s+erreichen)\b",
    r"^\s*(?:c['’]est|est)\s+m(?:on|a)\s+(?:\w+\s+)?(?:adresse|mail|e-?mail|numéro|portable)",
    r"^\s*es\s+mi\s+(?:\w+\s+)?(?:correo|e-?mail|número|teléfono|móvil|dirección)",
];

/// Text after a contact detail, denying that the detail is the writer's.
const CONTACT_DENIED_AFTER: &str = r"(?i)^\s*(?:is\s+not|isn['’]?t|was\s+never|is\s+no\s+longer|isn['’]?t\s+actually|ist\s+nicht|n['’]est\s+pas|no\s+es)\s+(?:me\b|mine\b|my\b|meine?\b|ma\b|mon\b|mi\b)";

/// Text before a contact detail, in a signature or after "my", showing that the detail belongs to a switchboard or to another
/// person.
const SHARED_LINE: &str = r"(?i)\b(?:office|switchboard|reception|front\s?desk|zentrale|empfang|sekretariat|fax|hotline|assistants?|standard|centralita|emergency|support|helpdesk|on\s+behalf|c/o|secretary|general|headquarters|hq|head\s+office|main\s+line|press|sales)\b";

/// Text between two contact details that belong to the same statement.
static JOINED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:or|and|and\s+also|oder|und|ou|et|o|y|as\s+well\s+as|otherwise|phone|tel\.?|mobile|my\s+(?:phone|number|mobile|e-?mail)(?:\s+is)?)?\W*(?:on|at|via|auf|unter|au|al)?\W*$",
    )
});

/// "Reach me or Mara at": it is unclear whose contact detail follows.
static SHARED_WITH: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?:me|mich|mir|moi|myself)\s+(?:or|and|oder|und|ou|et|o|y|and/or)\s"));

/// Words that a bare-word pattern may match but that are not account names.
const NOT_ACCOUNTS: &[&str] = &[
    "a", "an", "the", "not", "also", "still", "just", "down", "dead", "private", "broken", "new", "gone", "full", "empty",
    "locked", "linked", "here", "below", "above", "there", "on", "off", "in", "at", "out", "my", "your", "his", "her", "it",
    "this", "that", "me", "you", "available", "reachable", "online", "offline", "working", "now", "always", "never", "mostly",
    "rarely", "only", "very", "too", "so", "more", "quite", "pretty", "set", "public", "under", "called", "same", "different",
    "slow", "better", "nicht", "auch", "noch", "weg", "neu", "ein", "eine", "der", "die", "das", "pas", "un", "une", "le", "la",
    "el", "como", "no", "muy", "très", "toujours", "as", "active", "inactive", "happy", "sure", "going", "fine", "all",
    "usually", "often", "nowhere", "and", "or", "but", "when", "if", "where", "what", "who", "someone", "nobody", "everyone",
    "i", "we", "they", "he", "she",
];

/// The compiled rules.
pub(super) struct Statements {
    cues: AhoCorasick,
    declared: Vec<(Regex, bool, bool)>,
    denied: Vec<Regex>,
    before: Vec<Regex>,
    after: Vec<Regex>,
    denied_after: Regex,
    shared_line: Regex,
    label: Regex,
}

impl Statements {
    /// The shared instance, compiled once per process.
    pub(super) fn shared() -> Result<&'static Self, IdentityError> {
        static SHARED: LazyLock<Result<Statements, IdentityError>> = LazyLock::new(Statements::new);
        SHARED.as_ref().map_err(Clone::clone)
    }

    fn new() -> Result<Self, IdentityError> {
        let compile = |patterns: &[&str]| patterns.iter().map(|text| Regex::new(&expand(text))).collect::<Result<Vec<_>, _>>();
        let suffixes =
            |patterns: &[&str]| patterns.iter().map(|text| Regex::new(&format!("(?i){text}"))).collect::<Result<Vec<_>, _>>();
        let declared = DECLARED
            .iter()
            .map(|text| Ok((Regex::new(&expand(text))?, text.contains("{H?}"), text.contains("{W!}"))))
            .collect::<Result<Vec<_>, regex::Error>>()?;
        let words: Vec<&str> = CHANNELS.iter().map(|(word, _)| *word).chain(["@", "＠"]).collect();
        Ok(Self {
            cues: AhoCorasick::builder().ascii_case_insensitive(true).build(words)?,
            declared,
            denied: compile(DENIED)?,
            before: suffixes(CONTACT_BEFORE)?,
            after: suffixes(CONTACT_AFTER)?,
            denied_after: Regex::new(CONTACT_DENIED_AFTER)?,
            shared_line: Regex::new(SHARED_LINE)?,
            label: Regex::new(&expand(r"^\W*{C}(?:[\s-]?(?:id|handle|name|user(?:name)?))?\s*[:=–-]?\s*{W}\W*$"))?,
        })
    }

    /// Everything that `text` states about its writer's addresses.
    pub(super) fn read(&self, text: &str, voices: Voices<'_>, scrubber: &Scrubber) -> Vec<Said> {
        let text = clip(text);
        let contacts = scrubber.contacts(text);
        if contacts.is_empty() && !self.cues.is_match(text) {
            return Vec::new();
        }
        let own = OwnText::of(text, voices);
        let mut said = Vec::new();
        for sentence in &own.sentences {
            self.read_contacts(text, sentence.clone(), &contacts, &mut said);
            self.read_handles(text, sentence.clone(), voices.own, &mut said);
        }
        for line in &own.signature {
            self.read_signature(text, line.clone(), &contacts, &mut said);
        }
        said
    }

    fn read_contacts(&self, text: &str, sentence: Range<usize>, contacts: &[Contact], said: &mut Vec<Said>) {
        let shown = text.get(sentence.clone()).unwrap_or("");
        // The end of the writer's previous contact detail in this sentence, because "a@x.org or +49 …" states both.
        let mut joins_from: Option<usize> = None;
        for contact in
            contacts.iter().filter(|contact| sentence.start <= contact.range.start && contact.range.start < sentence.end)
        {
            let end = contact.range.end;
            // A contact detail may contain the period that seemed to end the sentence ("Tel. 030 …").
            let before = text.get(sentence.start..contact.range.start).unwrap_or("").trim_end_matches(is_opening);
            let before = &format!("{before} ");
            let after = text.get(end..sentence.end.max(end)).unwrap_or("").trim_start_matches(is_closing);
            let Some(value) = comparable(contact.kind, &contact.value) else { continue };
            let at = contact.range.start - sentence.start..contact.range.start - sentence.start + 1;
            if self.denied_after.is_match(after) && !is_quoted(shown, &at) && !is_reported(before) {
                let mention = Mention { handle: value, channel: None, may_be_vocative: false, names_account: false };
                said.push(Said::NotMine { mention, bytes: sentence.start..end });
                joins_from = None;
                continue;
            }
            let joined = joins_from.is_some_and(|from| {
                let between = text.get(from..contact.range.start).unwrap_or("");
                JOINED.as_ref().is_some_and(|joined| joined.is_match(between))
            });
            let found = self.before.iter().find_map(|rule| rule.find(before)).map(|found| found.start());
            let follows = found.is_none() && self.after.iter().any(|rule| rule.is_match(after));
            joins_from = None;
            let names_another =
                |from: usize| SHARED_WITH.as_ref().is_some_and(|shared| shared.is_match(before.get(from..).unwrap_or("")));
            let start = match (found, follows, joined) {
                (Some(start), ..) if names_another(start) => continue,
                (Some(start), ..) => start,
                (None, true, _) | (None, _, true) => contact.range.start - sentence.start,
                _ => continue,
            };
            let statement = start..(contact.range.start - sentence.start).max(start + 1);
            let past = contact.kind == ContactKind::Phone && is_past(before.get(start.min(before.len())..).unwrap_or(""));
            if is_off_record(shown, &statement)
                || past
                || (is_asked(shown) && !before.to_lowercase().contains(" me "))
                || self.shared_line.is_match(before.get(start.min(before.len())..).unwrap_or(""))
            {
                continue;
            }
            joins_from = Some(end);
            said.push(Said::Contact { value, source: ContactSource::Statement, bytes: sentence.start + start..end });
        }
    }

    fn read_handles(&self, text: &str, sentence: Range<usize>, names: &Names, said: &mut Vec<Said>) {
        let shown = text.get(sentence.clone()).unwrap_or("");
        if !self.cues.is_match(shown) {
            return;
        }
        for rule in &self.denied {
            for found in rule.captures_iter(shown) {
                if let Some((mention, range)) = mention(&found, false, false)
                    && !is_quoted(shown, &range)
                    && !is_reported(shown.get(..range.start).unwrap_or(""))
                {
                    said.push(Said::NotMine { mention, bytes: sentence.start + range.start..sentence.start + range.end });
                }
            }
        }
        if is_asked(shown) {
            return;
        }
        for (rule, may_be_vocative, names_account) in &self.declared {
            for found in rule.captures_iter(shown) {
                let Some((mention, range)) = mention(&found, *may_be_vocative, *names_account) else { continue };
                let introduces_another =
                    found.name("n").is_some_and(|name| !names.is_empty() && !names.answers_to(name.as_str()));
                let bytes = sentence.start + range.start..sentence.start + range.end;
                let is_known = said
                    .iter()
                    .any(|other| matches!(other, Said::Handle { mention: known, .. } if known.handle == mention.handle));
                if !introduces_another && !is_known && !is_off_record(shown, &range) && !is_followed_by_owner(shown, range.end) {
                    said.push(Said::Handle { mention, bytes });
                }
            }
        }
    }

    fn read_signature(&self, text: &str, line: Range<usize>, contacts: &[Contact], said: &mut Vec<Said>) {
        let shown = text.get(line.clone()).unwrap_or("");
        for contact in contacts.iter().filter(|contact| line.contains(&contact.range.start)) {
            let before = text.get(line.start..contact.range.start).unwrap_or("");
            let label = before.rsplit(['|', '·', '/', ';', ',']).next().unwrap_or(before);
            let Some(value) = comparable(contact.kind, &contact.value) else { continue };
            if !self.shared_line.is_match(label) {
                said.push(Said::Contact { value, source: ContactSource::Signature, bytes: contact.range.clone() });
            }
        }
        let mut at = line.start;
        for piece in shown.split(['|', '·', ';', ',']) {
            if let Some(found) = self.label.captures(piece)
                && let Some((mention, range)) = mention(&found, false, true)
            {
                said.push(Said::Handle { mention, bytes: at + range.start..at + range.end });
            }
            at += piece.len() + 1;
        }
    }
}

/// Fills in the slots of a pattern.
fn expand(text: &str) -> String {
    let channels = CHANNELS.iter().map(|(word, _)| *word).collect::<Vec<_>>().join("|");
    let sign = r"@[\p{L}\p{N}_][\p{L}\p{N}._=/+-]*(?:[:@][\p{L}\p{N}][\p{L}\p{N}.-]*(?::\d{2,5})?)?";
    let link = r"(?:https?://)?(?:matrix\.to/\#/|t\.me/|github\.com/|gitlab\.com/)@?[\p{L}\p{N}_][\p{L}\p{N}._=:/-]*";
    let quote = r#"["'“”„‘’`*(\[<]*"#;
    let handle = format!("{quote}(?P<h>{sign}|{link})");
    let word = format!(r"{quote}(?P<h>{sign}|{link}|[\p{{L}}\p{{N}}_][\p{{L}}\p{{N}}._#-]*)");
    let place = r"(?:room|rooms|channel|server|network|group|groups|chat|space|side|workspace|community|raum|kanal|gruppe|salon)";
    let expanded = text
        .replace("{H?}", &handle)
        .replace("{H}", &handle)
        .replace("{W!}", &word)
        .replace("{W}", &word)
        .replace("{NAME}", r"(?P<n>\p{Lu}[\p{L}'’-]*(?:\s\p{Lu}[\p{L}'’-]*)?)")
        .replace("{T}", place);
    // A pattern may name the channel in two places, but group names must be unique.
    let mut out = String::with_capacity(expanded.len());
    for (index, piece) in expanded.split("{C}").enumerate() {
        if index > 0 {
            out.push_str(&format!(r"(?P<c{index}>{channels})\b"));
        }
        out.push_str(piece);
    }
    format!(
        "(?i){}",
        out.replace(r"(?P<n>\p{Lu}", r"(?P<n>(?-i:\p{Lu})").replace(r"\s\p{Lu}", r"\s(?-i:\p{Lu})").replace(r"\ ", r"\s")
    )
}

/// The handle matched by a rule, and the byte range of the whole match.
fn mention(found: &Captures<'_>, may_be_vocative: bool, names_account: bool) -> Option<(Mention, Range<usize>)> {
    let whole = found.get(0)?;
    let handle = found.name("h")?;
    let written = handle.as_str().trim_end_matches(['.', ',', '-', ':', '/', '_', '\'', '’']);
    let named = (1..=2).find_map(|index| found.name(&format!("c{index}")));
    let mut channel = named
        .and_then(|named| CHANNELS.iter().find(|(word, _)| named.as_str().eq_ignore_ascii_case(word)))
        .map(|(_, channel)| *channel);
    let mut text = written.to_owned();
    for (host, on) in [("matrix.to/#/", "matrix"), ("t.me/", "telegram"), ("github.com/", "github"), ("gitlab.com/", "gitlab")] {
        if let Some((_, rest)) = written.split_once(host) {
            text = rest.to_owned();
            channel = Some(on);
        }
    }
    let is_bare = !text.starts_with('@') && !text.contains(':');
    if is_bare && (channel.is_none() || NOT_ACCOUNTS.contains(&text.to_lowercase().as_str()) || text.chars().count() < 2) {
        return None;
    }
    let end = whole.end().max(handle.start() + written.len());
    let end = if whole.end() == handle.end() { handle.start() + written.len() } else { end };
    Some((Mention { handle: text, channel, may_be_vocative, names_account }, whole.start()..end))
}

/// True for wording such as "I'm @mara's brother", in which the handle belongs to someone else.
fn is_followed_by_owner(sentence: &str, end: usize) -> bool {
    let after = sentence.get(end..).unwrap_or("");
    after.starts_with("'s ") || after.starts_with("’s ")
}

/// True if the statement is about a former contact detail. This matters for phone numbers: an old number is reassigned after a
/// while, but an old mailbox hardly ever is.
fn is_past(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    ["old", "previous", "former", "used to", "alte", "früher", "ancien", "viejo", "antiguo"]
        .iter()
        .any(|word| lower.contains(word))
}

fn is_opening(c: char) -> bool {
    c.is_whitespace() || matches!(c, '<' | '(' | '[' | '"' | '“' | '„' | '«' | '\'' | '`' | '*' | '_' | '+' | '→')
}

fn is_closing(c: char) -> bool {
    matches!(c, '>' | ')' | ']' | '"' | '”' | '“' | '»' | '\'' | '`' | '*' | '_')
}

fn clip(text: &str) -> &str {
    let mut end = text.len().min(MESSAGE_BYTES_READ_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
