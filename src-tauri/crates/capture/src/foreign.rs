//! The commonest first-person statements in Spanish, French, German, Portuguese, Hindi and Japanese, told in English.
//!
//! A pattern is the sentence's opening in lower case; what follows it fills the English template. Small dictionaries turn
//! the commonest words; a word they do not know stays as it was said, which is true though not translated.

use std::sync::LazyLock;

use keepsake_domain::{Category, Confidence, Durability};
use regex::Regex;

use crate::frames::Found;
use crate::rewrite::tidy;

struct Rule {
    regex: Regex,
    template: &'static str,
    category: Category,
    family: &'static str,
    slot: &'static str,
}

use Category::{Experience, Goal, PersonalInfo, Preference, Relationship, Skill};

/// What ends the part of a sentence that a template takes.
const TAIL: &str = r"([^,.;!?¡¿()…。！？\n]{1,60}?)(?:\s+(?:y|e|et|und|aber|mais|pero|mas|porque|parce que|weil|car|así que|donc|also|então|por si|si|se for|na|hoon na|so|and|but|because)\b|[,.;!?()…\n😀-🙏🌀-🫿]|$)";

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let table: &[(&str, &str, Category, &str, &str)] = &[
        // Spanish
        (r"\b(?:me llamo|mi nombre es)\s+@", "P name is {}", PersonalInfo, "name", "name"),
        (r"\bvivo (?:en|cerca de)\s+@", "L lives in {}", PersonalInfo, "a home", "home"),
        (r"\bme mud[eé] a\s+@", "L lives in {}", PersonalInfo, "a home", "home"),
        (r"\bsoy de\s+@", "L is from {}", PersonalInfo, "origin", "origin"),
        (r"\bnac[ií] en\s+@", "L was born in {}", PersonalInfo, "origin", ""),
        (r"\btengo (\d{2}) años", "L is {} years old", PersonalInfo, "age", "age"),
        (r"\bsoy al[eé]rgic[oa] (?:al?|a l[oa]s?)\s+@", "L is allergic to {}", PersonalInfo, "health", ""),
        (
            r"\bsoy (vegan[oa]|vegetarian[oa]|cel[ií]ac[oa]|diab[eé]tic[oa]|viud[oa]|jubilad[oa]|zurd[oa])\b",
            "L is {}",
            PersonalInfo,
            "trait",
            "",
        ),
        (
            r"\bsoy (?:un |una )?(enfermer[oa]|m[eé]dic[oa]|profesor[a]?|maestr[oa]|abogad[oa]|ingenier[oa]|arquitect[oa]|cociner[oa]|camarer[oa]|programador[a]?|periodista|estudiante|conductor[a]?|carpinter[oa]|panader[oa]|electricista|peluquer[oa]|veterinari[oa]|traductor[a]?|músic[oa]|pintor[a]?|jardiner[oa]|fontaner[oa]|taxista|dentista|psic[oó]log[oa]|farmac[eé]utic[oa]|bomber[oa]|soldador[a]?)\b",
            "L is a {}",
            PersonalInfo,
            "a job",
            "job",
        ),
        (r"\btrabajo (?:como|de)\s+@", "L works as {}", PersonalInfo, "a job", "job"),
        (r"\btrabajo en\s+@", "L works in {}", PersonalInfo, "a job", "job"),
        (r"\bestudio\s+@", "L studies {}", PersonalInfo, "studies", ""),
        (r"\bestoy aprendiendo (?:a )?@", "L is learning {}", Skill, "learning", ""),
        (r"\bhablo\s+@", "L speaks {}", Skill, "a language", ""),
        (r"\btoco (?:el|la|los|las)\s+@", "L plays the {}", Skill, "a pastime", ""),
        (r"\b(?:me encantan?|amo)\s+@", "L loves {}", Preference, "a taste", ""),
        (r"\bno me gustan? (?:nada )?@", "L does not like {}", Preference, "a taste", ""),
        (r"\bme gustan? (?:mucho )?@", "L likes {}", Preference, "a taste", ""),
        (r"\bodio\s+@", "L hates {}", Preference, "a taste", ""),
        (r"\bprefiero\s+@", "L prefers {}", Preference, "a taste", ""),
        (r"\bno como\s+@", "L does not eat {}", Preference, "a diet", ""),
        (r"\bno bebo\s+@", "L does not drink {}", Preference, "a diet", ""),
        (
            r"\btengo (?:un|una) (perr[oa]|gat[oa]|conejo|caballo|loro|tortuga)(?: que se llama (\w+))?",
            "L has a {}",
            PersonalInfo,
            "a pet",
            "",
        ),
        (
            r"\btengo ((?:un|una|dos|tres|cuatro|cinco) (?:hij[oa]s?|herman[oa]s?|niet[oa]s?|niñ[oa]s?|gat[oa]s|perr[oa]s))\b",
            "L has {}",
            Relationship,
            "family",
            "",
        ),
        (r"\b(?:estoy )?casad[oa] con\s+@", "L is married to {}", Relationship, "a tie", ""),
        (r"\b(?:quiero|quero) (?:abrir)\s+@", "L wants to open {}", Goal, "an aim", ""),
        (r"\b(?:quiero|quero) (?:aprender)(?: a)?\s+@", "L wants to learn {}", Goal, "an aim", ""),
        (r"\b(?:quiero|quero) (?:comprar)\s+@", "L wants to buy {}", Goal, "an aim", ""),
        (r"\b(?:quiero|quero) (?:viajar) (?:al?|por|para|ao|à)\s*@", "L wants to travel to {}", Goal, "an aim", ""),
        (r"\b(?:quiero|quero) (?:escribir|escrever)\s+@", "L wants to write {}", Goal, "an aim", ""),
        (r"\b(?:quiero|quero) (?:ser)\s+@", "L wants to be {}", Goal, "an aim", ""),
        (r"\b(?:quiero mudarme|quero me mudar|quero mudar-me) (?:al?|para|pra)\s+@", "L wants to move to {}", Goal, "an aim", ""),
        (r"\bmi (?:novia|mujer|esposa|pareja) es (?:de\s+)?@", "P partner is from {}", Relationship, "family", ""),
        (r"\bmi (?:novio|marido|esposo) es (?:de\s+)?@", "P partner is from {}", Relationship, "family", ""),
        (r"\bmi hermana (?:vive en)\s+@", "P sister lives in {}", Relationship, "family", ""),
        (r"\bmi hermano (?:vive en)\s+@", "P brother lives in {}", Relationship, "family", ""),
        (r"\bmi (?:hija|hijo) se llama\s+@", "L has a child named {}", Relationship, "family", ""),
        (r"\bje (?:veux|voudrais) (?:apprendre)(?: à| le| la)?\s+@", "L wants to learn {}", Goal, "an aim", ""),
        (r"\bje (?:veux|voudrais) ouvrir\s+@", "L wants to open {}", Goal, "an aim", ""),
        (r"\bich (?:will|möchte) @ (?:lernen)\b", "L wants to learn {}", Goal, "an aim", ""),
        (r"\bich (?:will|möchte) @ (?:eröffnen|aufmachen)\b", "L wants to open {}", Goal, "an aim", ""),
        (r"\bich (?:will|möchte) @ (?:kaufen)\b", "L wants to buy {}", Goal, "an aim", ""),
        (r"\bmeine (?:frau|freundin|partnerin) (?:ist|heißt|kommt aus)\s+@", "P partner is {}", Relationship, "family", ""),
        (r"\bmein (?:mann|freund|partner) (?:ist|heißt|kommt aus)\s+@", "P partner is {}", Relationship, "family", ""),
        (r"\bma (?:femme|copine|compagne) (?:est|s'appelle)\s+@", "P partner is {}", Relationship, "family", ""),
        (r"\bmon (?:mari|copain|compagnon) (?:est|s'appelle)\s+@", "P partner is {}", Relationship, "family", ""),
        (
            r"\b(?:minha|meu) (?:mulher|esposa|namorada|marido|namorado) (?:é|se chama)\s+@",
            "P partner is {}",
            Relationship,
            "family",
            "",
        ),
        (r"\bde niñ[oa] viv[ií] en\s+@", "L lived in {} as a child", Experience, "a past time", ""),
        (r"\bcrec[ií] en\s+@", "L grew up in {}", Experience, "origin", ""),
        (r"\bme da(?:n)? (?:mucho )?miedo\s+@", "L is afraid of {}", PersonalInfo, "a fear", ""),
        // French
        (r"\b(?:je m['’]appelle|mon nom est)\s+@", "P name is {}", PersonalInfo, "name", "name"),
        (r"\b(?:j['’]habite|je vis) (?:à|a|en|au|aux|dans|près de)?\s*@", "L lives in {}", PersonalInfo, "a home", "home"),
        (r"\bje viens (?:de|du|d['’])\s*@", "L is from {}", PersonalInfo, "origin", "origin"),
        (r"\bje suis née? (?:à|en|au)\s+@", "L was born in {}", PersonalInfo, "origin", ""),
        (r"\bj['’]ai (\d{2}) ans", "L is {} years old", PersonalInfo, "age", "age"),
        (r"\bje suis allergique (?:aux?|à la|à l['’]|à)\s*@", "L is allergic to {}", PersonalInfo, "health", ""),
        (
            r"\bje suis (végétarien(?:ne)?|végane?|vegan|cœliaque|diabétique|retraitée?|gauch(?:er|ère)|veuf|veuve|divorcée?|mariée?)\b",
            "L is {}",
            PersonalInfo,
            "trait",
            "",
        ),
        (
            r"\bje suis (?:un |une )?(infirmi(?:er|ère)|médecin|prof(?:esseure?)?|avocate?|ingénieure?|architecte|cuisini(?:er|ère)|serveu(?:r|se)|développeu(?:r|se)|journaliste|étudiante?|boulang(?:er|ère)|menuisi(?:er|ère)|électricien(?:ne)?|coiffeu(?:r|se)|vétérinaire|traduct(?:eur|rice)|musicien(?:ne)?|peintre|jardini(?:er|ère)|plombi(?:er|ère)|dentiste|psychologue|pharmacien(?:ne)?|pompier|facteur|libraire|sage-femme|comptable)\b",
            "L is a {}",
            PersonalInfo,
            "a job",
            "job",
        ),
        (r"\bje travaille comme\s+@", "L works as {}", PersonalInfo, "a job", "job"),
        (r"\bje travaille (?:dans|à|chez|pour|en)\s+@", "L works at {}", PersonalInfo, "a job", "job"),
        (r"\bj['’]apprends (?:le |la |l['’]|à )?@", "L is learning {}", Skill, "learning", ""),
        (r"\bje parle (?!de|à|d['’])@", "L speaks {}", Skill, "a language", ""),
        (r"\bje joue (?:du|de la|de l['’])\s*@", "L plays the {}", Skill, "a pastime", ""),
        (r"\bj['’]adore\s+@", "L loves {}", Preference, "a taste", ""),
        (r"\bj['’]aime (?:bien |beaucoup )?@", "L likes {}", Preference, "a taste", ""),
        (r"\b(?:je n['’]aime pas|j['’]aime pas)\s+@", "L does not like {}", Preference, "a taste", ""),
        (r"\bje déteste\s+@", "L hates {}", Preference, "a taste", ""),
        (r"\bje préfère\s+@", "L prefers {}", Preference, "a taste", ""),
        (r"\bje (?:ne )?mange pas (?:de |d['’])?@", "L does not eat {}", Preference, "a diet", ""),
        (r"\bje (?:ne )?bois pas (?:de |d['’])?@", "L does not drink {}", Preference, "a diet", ""),
        (
            r"\bj['’]ai ((?:un|une|deux|trois|quatre) (?:chien(?:ne)?s?|chats?|chattes?|lapins?|poules|chevaux|cheval))\b",
            "L has {}",
            PersonalInfo,
            "a pet",
            "",
        ),
        (
            r"\bj['’]ai ((?:un|une|deux|trois|quatre) (?:enfants?|filles?|fils|frères?|sœurs?|garçons?))\b",
            "L has {}",
            Relationship,
            "family",
            "",
        ),
        (r"\bj['’]ai grandi (?:à|en|au|dans)\s+@", "L grew up in {}", Experience, "origin", ""),
        (r"\bj['’]ai peur (?:des|du|de la|de l['’]|de)\s*@", "L is afraid of {}", PersonalInfo, "a fear", ""),
        (r"\bje (?:ne )?sais pas (nager|conduire|cuisiner|lire|skier)\b", "L cannot {}", Skill, "an ability", ""),
        // German
        (r"\b(?:ich heiße|ich heisse|mein name ist)\s+@", "P name is {}", PersonalInfo, "name", "name"),
        (
            r"\b(?:ich wohne|ich lebe|wohne) (?:seit .{2,20}? )?(?:in|bei|auf)\s+@",
            "L lives in {}",
            PersonalInfo,
            "a home",
            "home",
        ),
        (r"\bich bin nach @(?: gezogen| umgezogen)", "L moved to {}", PersonalInfo, "a home", "home"),
        (r"\bich komme aus\s+@", "L is from {}", PersonalInfo, "origin", "origin"),
        (r"\bich bin in @ (?:geboren|aufgewachsen)", "L grew up in {}", Experience, "origin", ""),
        (r"\bich bin (\d{2})(?: jahre alt)?\b", "L is {} years old", PersonalInfo, "age", "age"),
        (r"\bich bin allergisch gegen\s+@", "L is allergic to {}", PersonalInfo, "health", ""),
        (r"\bich habe eine ([\wäöüß]+allergie)\b", "L has an allergy ({})", PersonalInfo, "health", ""),
        (
            r"\bich (?:bin|esse|lebe) (vegan|vegetarisch|vegetarierin|vegetarier|veganerin|veganer)\b",
            "L is {}",
            Preference,
            "a diet",
            "",
        ),
        (
            r"\bich bin (?:eine? )?((?:[\wäöüß]*(?:lehrer|arzt|ärztin|pfleger|krankenschwester|ingenieur|informatiker|tischler|bäcker|köchin|koch|anwalt|anwältin|gärtner|student|verkäufer|polizist|hebamme|tierarzt|tierärztin|mechaniker|elektriker|architekt|journalist|übersetzer|musiker|rentner|schreiner|schneider|optiker|buchhändler|förster|imker|friseur|apotheker|maler|fahrer)(?:in)?))\b",
            "L is a {}",
            PersonalInfo,
            "a job",
            "job",
        ),
        (r"\bich arbeite als\s+@", "L works as {}", PersonalInfo, "a job", "job"),
        (r"\bich arbeite (?:bei|in|im|am|an)\s+@", "L works at {}", PersonalInfo, "a job", "job"),
        (r"\bich studiere\s+@", "L studies {}", PersonalInfo, "studies", ""),
        (r"\bich lerne (?:gerade |seit .{2,20}? )?@", "L is learning {}", Skill, "learning", ""),
        (r"\bich spreche\s+@", "L speaks {}", Skill, "a language", ""),
        (r"\bich spiele (?:seit .{2,25}? )?@", "L plays {}", Skill, "a pastime", ""),
        (r"\bich liebe\s+@", "L loves {}", Preference, "a taste", ""),
        (r"\bich hasse\s+@", "L hates {}", Preference, "a taste", ""),
        (r"\bich mag kein(?:e|en)?\s+@", "L does not like {}", Preference, "a taste", ""),
        (r"\bich mag (?!nicht)@", "L likes {}", Preference, "a taste", ""),
        (r"\bich (?:esse|trinke) kein(?:e|en)?\s+@", "L does not have {0}", Preference, "a diet", ""),
        (
            r"\bich habe (?:seit (.{2,25}?) )?kein(?:e|en)? (auto|fernseher|fahrrad|handy|führerschein|garten|smartphone)\b",
            "L does not own a {}",
            PersonalInfo,
            "a possession",
            "",
        ),
        (
            r"\bich habe ((?:eine?n?|zwei|drei|vier) (?:hunde?|katzen?|kater|kaninchen|hühner|pferde?))\b",
            "L has {}",
            PersonalInfo,
            "a pet",
            "",
        ),
        (
            r"\bich habe ((?:eine?n?|zwei|drei|vier) (?:kinder|kind|töchter|tochter|söhne|sohn|brüder|bruder|schwestern?|geschwister|enkel))\b",
            "L has {}",
            Relationship,
            "family",
            "",
        ),
        (r"\bich habe angst vor\s+@", "L is afraid of {}", PersonalInfo, "a fear", ""),
        (r"\bich kann nicht (schwimmen|kochen|autofahren|fahren|singen|tanzen)\b", "L cannot {}", Skill, "an ability", ""),
        (r"\bich bin (verheiratet|geschieden|verwitwet|ledig)\b", "L is {}", Relationship, "a tie", "marital"),
        // Portuguese
        (r"\b(?:me chamo|chamo-me|meu nome é|o meu nome é)\s+@", "P name is {}", PersonalInfo, "name", "name"),
        (r"\b(?:moro|vivo) (?:em|no|na|nos|nas|perto de)\s+@", "L lives in {}", PersonalInfo, "a home", "home"),
        (r"\b(?:me mudei|mudei-me|mudei) (?:para|pra|p/)\s+(?:o |a )?@", "L lives in {}", PersonalInfo, "a home", "home"),
        (r"\bsou (?:de|do|da)\s+@", "L is from {}", PersonalInfo, "origin", "origin"),
        (r"\bnasci (?:em|no|na)\s+@", "L was born in {}", PersonalInfo, "origin", ""),
        (r"\btenho (\d{2}) anos", "L is {} years old", PersonalInfo, "age", "age"),
        (r"\bsou alérgic[oa] (?:ao?s?|à|às)\s+@", "L is allergic to {}", PersonalInfo, "health", ""),
        (
            r"\bsou (vegan[oa]|vegetarian[oa]|celíac[oa]|diabétic[oa]|viúv[oa]|reformad[oa]|aposentad[oa]|canhot[oa])\b",
            "L is {}",
            PersonalInfo,
            "trait",
            "",
        ),
        (
            r"\bsou (?:um |uma )?(enfermeir[oa]|médic[oa]|professora?|advogad[oa]|engenheir[oa]|arquitet[oa]|cozinheir[oa]|programadora?|jornalista|estudante|motorista|carpinteir[oa]|padeir[oa]|eletricista|cabeleireir[oa]|veterinári[oa]|tradutora?|músic[oa]|pintora?|jardineir[oa]|dentista|psicólog[oa]|farmacêutic[oa]|bombeir[oa])\b",
            "L is a {}",
            PersonalInfo,
            "a job",
            "job",
        ),
        (r"\btrabalho como\s+@", "L works as {}", PersonalInfo, "a job", "job"),
        (r"\btrabalho (?:em|no|na|num|numa)\s+@", "L works in {}", PersonalInfo, "a job", "job"),
        (r"\b(?:estou a aprender|estou aprendendo|tô aprendendo)(?: a)?\s+@", "L is learning {}", Skill, "learning", ""),
        (r"\bfalo (?!com|de|que)@", "L speaks {}", Skill, "a language", ""),
        (r"\btoco (?!no)@", "L plays {}", Skill, "a pastime", ""),
        (
            r"\bcanto (?:num|no|em um|em) (coro|coral|banda)( (?:às|aos|nas|toda) [\wçãé-]+)?",
            "L sings in a {}",
            Preference,
            "a habit",
            "",
        ),
        (r"\b(?:adoro|amo)\s+@", "L loves {}", Preference, "a taste", ""),
        (r"\bnão gosto (?:nada )?(?:de|do|da|dos|das)\s+@", "L does not like {}", Preference, "a taste", ""),
        (r"\bgosto (?:muito )?(?:de|do|da|dos|das)\s+@", "L likes {}", Preference, "a taste", ""),
        (r"\b(?:odeio|detesto)\s+@", "L hates {}", Preference, "a taste", ""),
        (r"\bprefiro\s+@", "L prefers {}", Preference, "a taste", ""),
        (r"\bnão como\s+@", "L does not eat {}", Preference, "a diet", ""),
        (r"\bnão bebo\s+@", "L does not drink {}", Preference, "a diet", ""),
        (
            r"\btenho ((?:um|uma|dois|duas|três|quatro) (?:cães|cão|cachorr[oa]s?|gat[oa]s?|coelhos?|galinhas))\b",
            "L has {}",
            PersonalInfo,
            "a pet",
            "",
        ),
        (
            r"\btenho ((?:um|uma|dois|duas|três|quatro) (?:filh[oa]s?|irmã[os]?s?|irmãos?|net[oa]s?))\b",
            "L has {}",
            Relationship,
            "family",
            "",
        ),
        (r"\btenho (?:muito )?medo (?:de|do|da|dos|das)\s+@", "L is afraid of {}", PersonalInfo, "a fear", ""),
        (r"\bcresci (?:em|no|na)\s+@", "L grew up in {}", Experience, "origin", ""),
        // Hindi, Latin and Devanagari
        (r"\b(?:mera naam|mera nam) (\w+) (?:hai|h)\b", "P name is {}", PersonalInfo, "name", "name"),
        (
            r"\b(?:main|mai|me) ([\w ]{2,25}?) (?:mein|me|mai) (?:rehta|rehti|rahta|rahti) (?:hoon|hun|hu)\b",
            "L lives in {}",
            PersonalInfo,
            "a home",
            "home",
        ),
        (
            r"\b(?:main|mai) (?:ek )?(vakeel|doctor|teacher|engineer|adhyapak|nurse|driver|kisan|student|chhatra|darzi|rasoiya|shikshak|patrakar|lekhak|dukandar) (?:hoon|hun|hu)\b",
            "L is a {}",
            PersonalInfo,
            "a job",
            "job",
        ),
        (r"\b(?:main|mai) (shakahari|vegetarian|vegan) (?:hoon|hun|hu)\b", "L is {}", Preference, "a diet", ""),
        (
            r"\bmujhe ([\w ]{2,25}?) (?:bahut |bohot |bilkul )?(?:pasand hai|pasand hain|acch?a lagta hai|acch?i lagti hai)\b",
            "L likes {}",
            Preference,
            "a taste",
            "",
        ),
        (
            r"\bmujhe ([\w ]{2,25}?) (?:bilkul )?(?:pasand nahi|pasand nahin|nahi pasand)\b",
            "L does not like {}",
            Preference,
            "a taste",
            "",
        ),
        (r"\bmujhe ([\w ]{2,25}?) se (?:allergy|elergy) (?:hai|h)\b", "L is allergic to {}", PersonalInfo, "health", ""),
        (
            r"\b(?:main|mai) ([\w ]{2,20}?) (?:seekh|sikh) (?:raha|rahi) (?:hoon|hun|hu)\b",
            "L is learning {}",
            Skill,
            "learning",
            "",
        ),
        (r"मेरा नाम (\S+) है", "P name is {}", PersonalInfo, "name", "name"),
        (r"मैं (.{2,25}?) में (?:रहता|रहती) हूँ", "L lives in {}", PersonalInfo, "a home", "home"),
        (r"मुझे (.{2,25}?) (?:बहुत )?पसंद (?:है|हैं)", "L likes {}", Preference, "a taste", ""),
        (r"मुझे (.{2,25}?) से एलर्जी है", "L is allergic to {}", PersonalInfo, "health", ""),
        (r"मैं (?:एक )?(वकील|डॉक्टर|शिक्षक|शिक्षिका|इंजीनियर|नर्स|किसान|छात्र|छात्रा|लेखक) हूँ", "L is a {}", PersonalInfo, "a job", "job"),
        (r"मेरी (?:एक |दो |तीन |चार )?(बेटियाँ|बेटी|बहनें|बहन) (?:है|हैं)", "L has family: {}", Relationship, "family", ""),
        (r"मेरे (?:एक |दो |तीन |चार )?(बेटे|बेटा|बच्चे|भाई) (?:है|हैं)", "L has family: {}", Relationship, "family", ""),
        (r"मैं (?:हमेशा )(.{3,30}?) (?:करता|करती) हूँ", "L always does this: {}", Preference, "a habit", ""),
        (
            r"(?:meri|mere) (?:ek |do |teen |char )?(beti|betiyan|behen|bete|beta|bachche|bhai) (?:hai|hain)\b",
            "L has family: {}",
            Relationship,
            "family",
            "",
        ),
        // Japanese
        (
            r"([\p{Han}\p{Katakana}\p{Hiragana}ー]{1,12}?)(?:だけ)?(?:は|が)(?:本当に|とても|すごく|ちょっと)?(?:苦手|嫌い)(?:です|なん|だ|$)",
            "L does not like {}",
            Preference,
            "a taste",
            "",
        ),
        (
            r"([\p{Han}\p{Katakana}ー]{1,12})(?:が|は)(?:本当に|とても|大)?(?:好き|大好き)(?:です|なん|だ|$)",
            "L likes {}",
            Preference,
            "a taste",
            "",
        ),
        (r"([\p{Han}\p{Katakana}ー]{1,12})アレルギー(?:です|が|な|持ち)", "L is allergic to {}", PersonalInfo, "health", ""),
        (
            r"([\p{Han}\p{Katakana}ー]{1,12})(?:に|で)(?:住んで|暮らして)(?:い?ます|い?る)",
            "L lives in {}",
            PersonalInfo,
            "a home",
            "home",
        ),
        (r"([\p{Han}\p{Katakana}ー]{1,12})出身(?:です|だ)", "L is from {}", PersonalInfo, "origin", "origin"),
        (
            r"([\p{Han}\p{Katakana}ー]{1,14})を(?:勉強|習って|学んで)(?:して)?(?:い?ます|い?る)",
            "L is learning {}",
            Skill,
            "learning",
            "",
        ),
        (r"(?:犬|猫|うさぎ)を(?:.{0,3})?飼って(?:い?ます|い?る)", "L keeps a pet ({0})", PersonalInfo, "a pet", ""),
        (r"([\p{Han}\p{Katakana}ー]{2,12})(?:として働いて|をして)(?:い?ます)", "L works as {}", PersonalInfo, "a job", "job"),
        (
            r"(看護師|教師|医者|医師|弁護士|会社員|学生|大学生|料理人|大工|漁師|公務員|主婦|エンジニア|デザイナー|翻訳者|美容師|農家|パン屋|花屋|消防士|警察官|運転手|獣医)(?:です|をしています|やってます)",
            "L is a {}",
            PersonalInfo,
            "a job",
            "job",
        ),
        (r"(\d{2})歳(?:です|になり)", "L is {} years old", PersonalInfo, "age", "age"),
    ];
    table
        .iter()
        .filter_map(|(pattern, template, category, family, slot)| {
            let pattern = format!(
                "(?i){}",
                pattern
                    .replace("(?!de|à|d['’])", "")
                    .replace("(?!nicht)", "")
                    .replace("(?!com|de|que)", "")
                    .replace("(?!no)", "")
                    .replace('@', TAIL)
            );
            Regex::new(&pattern).ok().map(|regex| Rule { regex, template, category: *category, family, slot })
        })
        .collect()
});

/// Words that show one of the languages; without them no pattern is tried.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)\b(?:soy|vivo|me|mi|tengo|trabajo|estudio|hablo|toco|odio|prefiero|como|bebo|quiero|crecí|creci|llevo|quiero|quero|ma|minha|meine|meri|mere|nací|estoy|je|j|mon|ich|mein|wohne|moro|meu|sou|nasci|tenho|trabalho|estou|falo|canto|adoro|amo|gosto|detesto|odeio|prefiro|cresci|chamo|mudei|main|mai|mera|mujhe|casado|casada)\b|[\p{Han}\p{Hiragana}\p{Katakana}\p{Devanagari}]";
    Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
});

/// Words that show English, in which none of this is tried.
const ENGLISH: &str = "the and is are was my you your with have for that this of";

/// Common words in English. The rest stay as they were said.
const DICTIONARY: &[(&str, &str)] = &[
    ("marisco", "shellfish"),
    ("mariscos", "shellfish"),
    ("cacahuetes", "peanuts"),
    ("frutos secos", "nuts"),
    ("gluten", "gluten"),
    ("polen", "pollen"),
    ("leche", "milk"),
    ("huevo", "eggs"),
    ("gatos", "cats"),
    ("perros", "dogs"),
    ("carne", "meat"),
    ("pescado", "fish"),
    ("cerdo", "pork"),
    ("alcohol", "alcohol"),
    ("vegana", "vegan"),
    ("vegano", "vegan"),
    ("vegetariana", "vegetarian"),
    ("vegetariano", "vegetarian"),
    ("celíaca", "coeliac"),
    ("celíaco", "coeliac"),
    ("diabética", "diabetic"),
    ("diabético", "diabetic"),
    ("enfermera", "nurse"),
    ("enfermero", "nurse"),
    ("médica", "doctor"),
    ("médico", "doctor"),
    ("profesora", "teacher"),
    ("profesor", "teacher"),
    ("maestra", "teacher"),
    ("maestro", "teacher"),
    ("abogada", "lawyer"),
    ("abogado", "lawyer"),
    ("ingeniera", "engineer"),
    ("ingeniero", "engineer"),
    ("cocinera", "cook"),
    ("cocinero", "cook"),
    ("panadera", "baker"),
    ("panadero", "baker"),
    ("estudiante", "student"),
    ("perro", "dog"),
    ("perra", "dog"),
    ("gato", "cat"),
    ("gata", "cat"),
    ("dos hijos", "two children"),
    ("dos hijas", "two daughters"),
    ("tres hijos", "three children"),
    ("un hijo", "a son"),
    ("una hija", "a daughter"),
    ("arachides", "peanuts"),
    ("noix", "nuts"),
    ("fruits de mer", "seafood"),
    ("chats", "cats"),
    ("lait", "milk"),
    ("viande", "meat"),
    ("porc", "pork"),
    ("poisson", "fish"),
    ("végétarien", "vegetarian"),
    ("végétarienne", "vegetarian"),
    ("végane", "vegan"),
    ("retraité", "retired"),
    ("retraitée", "retired"),
    ("infirmière", "nurse"),
    ("infirmier", "nurse"),
    ("médecin", "doctor"),
    ("boulanger", "baker"),
    ("boulangère", "baker"),
    ("avocate", "lawyer"),
    ("avocat", "lawyer"),
    ("étudiante", "student"),
    ("étudiant", "student"),
    ("nager", "swim"),
    ("conduire", "drive"),
    ("un chien", "a dog"),
    ("un chat", "a cat"),
    ("deux chats", "two cats"),
    ("deux chiens", "two dogs"),
    ("deux enfants", "two children"),
    ("trois enfants", "three children"),
    ("une fille", "a daughter"),
    ("deux filles", "two daughters"),
    ("un fils", "a son"),
    ("nüsse", "nuts"),
    ("erdnüsse", "peanuts"),
    ("katzen", "cats"),
    ("pollen", "pollen"),
    ("fleisch", "meat"),
    ("vegetarisch", "vegetarian"),
    ("vegetarierin", "vegetarian"),
    ("vegetarier", "vegetarian"),
    ("veganerin", "vegan"),
    ("veganer", "vegan"),
    ("fernseher", "television"),
    ("auto", "car"),
    ("fahrrad", "bicycle"),
    ("führerschein", "driving licence"),
    ("garten", "garden"),
    ("handy", "mobile phone"),
    ("lehrerin", "teacher"),
    ("lehrer", "teacher"),
    ("ärztin", "doctor"),
    ("arzt", "doctor"),
    ("bäcker", "baker"),
    ("bäckerin", "baker"),
    ("krankenschwester", "nurse"),
    ("hebamme", "midwife"),
    ("anwalt", "lawyer"),
    ("anwältin", "lawyer"),
    ("studentin", "student"),
    ("student", "student"),
    ("rentner", "pensioner"),
    ("rentnerin", "pensioner"),
    ("verheiratet", "married"),
    ("geschieden", "divorced"),
    ("verwitwet", "widowed"),
    ("schwimmen", "swim"),
    ("kochen", "cook"),
    ("einen hund", "a dog"),
    ("eine katze", "a cat"),
    ("zwei katzen", "two cats"),
    ("zwei hunde", "two dogs"),
    ("zwei kinder", "two children"),
    ("drei kinder", "three children"),
    ("eine tochter", "a daughter"),
    ("einen sohn", "a son"),
    ("spinnen", "spiders"),
    ("hunden", "dogs"),
    ("amendoim", "peanuts"),
    ("camarão", "prawns"),
    ("glúten", "gluten"),
    ("pólen", "pollen"),
    ("enfermeira", "nurse"),
    ("enfermeiro", "nurse"),
    ("professora", "teacher"),
    ("advogada", "lawyer"),
    ("advogado", "lawyer"),
    ("engenheira", "engineer"),
    ("engenheiro", "engineer"),
    ("padeiro", "baker"),
    ("padeira", "baker"),
    ("dois filhos", "two children"),
    ("duas filhas", "two daughters"),
    ("dois gatos", "two cats"),
    ("um cão", "a dog"),
    ("um cachorro", "a dog"),
    ("coro", "choir"),
    ("coral", "choir"),
    ("banda", "band"),
    ("terças", "on Tuesdays"),
    ("quartas", "on Wednesdays"),
    ("inglés", "English"),
    ("francés", "French"),
    ("alemán", "German"),
    ("italiano", "Italian"),
    ("portugués", "Portuguese"),
    ("anglais", "English"),
    ("espagnol", "Spanish"),
    ("allemand", "German"),
    ("englisch", "English"),
    ("französisch", "French"),
    ("spanisch", "Spanish"),
    ("inglês", "English"),
    ("francês", "French"),
    ("alemão", "German"),
    ("japonais", "Japanese"),
    ("japonés", "Japanese"),
    ("japanisch", "Japanese"),
    ("vakeel", "lawyer"),
    ("adhyapak", "teacher"),
    ("shikshak", "teacher"),
    ("kisan", "farmer"),
    ("shakahari", "vegetarian"),
    ("वकील", "lawyer"),
    ("बेटियाँ", "daughters"),
    ("बेटी", "a daughter"),
    ("बेटे", "sons"),
    ("बच्चे", "children"),
    ("भाई", "a brother"),
    ("बहन", "a sister"),
    ("Corea", "Korea"),
    ("corea", "Korea"),
    ("betiyan", "daughters"),
    ("beti", "a daughter"),
    ("bachche", "children"),
    ("bhai", "a brother"),
    ("behen", "a sister"),
    ("डॉक्टर", "doctor"),
    ("शिक्षक", "teacher"),
    ("chai", "tea"),
    ("चाय", "tea"),
    ("パクチー", "coriander"),
    ("納豆", "natto"),
    ("猫", "cats"),
    ("犬", "dogs"),
    ("コーヒー", "coffee"),
    ("辛いもの", "spicy food"),
    ("そば", "buckwheat"),
    ("卵", "eggs"),
    ("エビ", "prawns"),
    ("海老", "prawns"),
    ("乳製品", "dairy"),
    ("ピーナッツ", "peanuts"),
    ("東京", "Tokyo"),
    ("大阪", "Osaka"),
    ("京都", "Kyoto"),
    ("看護師", "nurse"),
    ("教師", "teacher"),
    ("学生", "student"),
    ("会社員", "office worker"),
    ("英語", "English"),
    ("韓国語", "Korean"),
];

/// What the sentence says of its speaker in one of the languages, with the bytes of each statement.
pub(crate) fn find(sentence: &str, label: &str, possessive: &str) -> Vec<(Found, usize, usize)> {
    if !HINT.is_match(sentence) {
        return Vec::new();
    }
    let lower = sentence.to_lowercase();
    let english = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| ENGLISH.split(' ').any(|e| e == *w)).count();
    if english >= 2 || sentence.contains('?') || sentence.contains('？') || sentence.contains('¿') {
        return Vec::new();
    }
    if ["si fuera", "si je", "wenn ich", "se eu", "ya no ", "je ne vis plus", "nicht mehr in", "já não", "não moro mais"]
        .iter()
        .any(|cue| lower.contains(cue))
        && !lower.contains("me mud")
        && !lower.contains("mudei")
    {
        return Vec::new();
    }
    let mut out: Vec<(Found, usize, usize)> = Vec::new();
    for rule in RULES.iter() {
        let Some(captures) = rule.regex.captures(sentence) else { continue };
        let Some(whole) = captures.get(0) else { continue };
        let value = captures.get(1).map_or(whole.as_str(), |m| m.as_str()).trim();
        let end = captures.get(1).map_or(whole.end(), |m| m.end()).max(whole.start() + 1);
        let before = lower.get(..whole.start()).unwrap_or("");
        let last = before.split_whitespace().last().unwrap_or("");
        let is_denied = matches!(last, "no" | "não" | "nao" | "ne" | "n'" | "nicht" | "que" | "ya" | "nunca" | "já")
            && !rule.template.contains("not");
        if is_denied
            || out.iter().any(|(_, s, e)| *s < end && whole.start() < *e)
            || is_passing(value)
            || is_passing(&lower) && rule.family == "a taste"
        {
            continue;
        }
        let value = translated(value);
        let mut content = rule.template.replace("{0}", &value).replace("{}", &value);
        if let Some(rest) = content.strip_prefix("L ") {
            content = format!("{label} {rest}");
        } else if let Some(rest) = content.strip_prefix("P ") {
            content = format!("{possessive} {rest}");
        } else {
            continue;
        }
        if rule.regex.as_str().contains("canto")
            && let Some(day) = captures.get(2)
        {
            content.push_str(&format!(" {}", translated(day.as_str().trim_start_matches([' ', 'à', 's', 'a', 'o']).trim())));
        }
        let category = if ["vegan", "vegetarian"].contains(&value.as_str()) {
            Preference
        } else if ["widowed", "married", "divorced"].contains(&value.as_str()) {
            Relationship
        } else {
            rule.category
        };
        let found = Found {
            content: tidy(&content),
            category,
            confidence: Confidence::STATED,
            durability: Durability::LongTerm,
            family: rule.family,
            slot: (!rule.slot.is_empty()).then(|| rule.slot.to_owned()),
        };
        out.push((found, whole.start(), end));
    }
    out
}

fn is_passing(text: &str) -> bool {
    [
        "hoy",
        "aujourd'hui",
        "heute",
        "hoje",
        "ahora mismo",
        "今日",
        "aaj",
        "maintenant",
        "gerade jetzt",
        "mañana",
        "demain",
        "morgen",
        "amanhã",
    ]
    .iter()
    .any(|word| text.contains(word))
}

fn translated(value: &str) -> String {
    let value = value
        .trim()
        .trim_start_matches("los ")
        .trim_start_matches("las ")
        .trim_start_matches("le ")
        .trim_start_matches("les ")
        .trim_start_matches("o ")
        .trim_start_matches("l'")
        .trim();
    let value = value.split(" hace ").next().unwrap_or(value).trim();
    let lower = value.to_lowercase();
    DICTIONARY.iter().find(|(word, _)| *word == lower).map_or_else(|| value.to_owned(), |(_, english)| (*english).to_owned())
}
