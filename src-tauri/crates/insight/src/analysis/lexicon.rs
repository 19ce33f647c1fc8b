//! Words that carry a mood, each with its weight. Small on purpose.
//!
//! Only words that say how somebody feels are here; words that programs also use (error, kill, panic, dead, abort) are
//! not, because a debugging session is not a tragedy. A trailing `*` matches any ending.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Mood;

/// A mood and how strongly a word shows it: 1.0 is a plain statement ("sad"), 0.4 a courtesy, 1.6 an outcry.
pub(crate) type Charge = (Mood, f32);

const WORDS: &[(Mood, f32, &str)] = &[
    (Mood::Joyful, 1.0, "happy joy joyful delight* thrilled overjoyed cheerful blissful"),
    (Mood::Joyful, 0.5, "wonderful fantastic amazing awesome lovely"),
    (Mood::Joyful, 0.6, "glad enjoyed enjoying fun excellent brilliant yay woohoo hooray congrat* celebrat* 😊 😀 😄 😁 🎉 🥳"),
    (
        Mood::Joyful,
        1.0,
        "glücklich froh freue freut begeistert toll feliz felices contento contenta alegre alegr* heureux heureuse ravi ravie content",
    ),
    (Mood::Excited, 1.0, "excited exciting pumped stoked psyched gespannt emocionad* excité* animad* 🚀"),
    (
        Mood::Grateful,
        1.0,
        "grateful thankful appreciate appreciated blessed lifesaver dankbar agradecid* reconnaissant* grato grata",
    ),
    (Mood::Grateful, 0.3, "thanks thank danke gracias merci obrigado obrigada"),
    (Mood::Affectionate, 1.0, "adore cherish hug hugs darling sweetheart ❤ ❤️ 🥰 💕 😘"),
    (
        Mood::Hopeful,
        0.9,
        "hopeful hoping optimistic encouraged inspired inspiring motivated hoffnungsvoll esperanzad* esperançoso confiant",
    ),
    (Mood::Hopeful, 0.4, "hope hoffe espero ojalá j'espère tomara"),
    (Mood::Proud, 1.0, "proud pride accomplished stolz orgullos* fier fière orgulhos*"),
    (Mood::Relieved, 1.1, "relieved relief phew erleichtert aliviad* soulagé soulagée"),
    (Mood::Amused, 0.5, "lol haha hahaha lmao rofl hilarious funny 😂 🤣 😆 jaja jajaja kkk mdr"),
    (
        Mood::Worried,
        1.1,
        "worried worry worrying anxious anxiety nervous scared afraid terrified frightened dread* uneasy apprehensive",
    ),
    (Mood::Worried, 0.7, "concerned unsure overthinking panicking stressed stressful stress stressing pressure"),
    (
        Mood::Worried,
        1.1,
        "angst besorgt sorge sorgen nervös preocupad* nervios* miedo ansiedad inquiet inquiète peur angoissé* medo ansiedade nervoso nervosa",
    ),
    (Mood::Frustrated, 1.1, "frustrat* annoyed annoying irritat* infuriat* exasperat* unacceptable ridiculous ugh argh"),
    (
        Mood::Frustrated,
        0.8,
        "disappointed disappointing disappointment unhappy dissatisfied stupid nightmare mess useless terrible awful horrible",
    ),
    (
        Mood::Frustrated,
        1.1,
        "frustriert genervt ärger ärgerlich enttäuscht frustrad* molest* decepcionad* frustré* énervé* agacé* déçu* irritad* chatead*",
    ),
    (
        Mood::Angry,
        1.4,
        "angry furious outraged livid enraged fuming pissed disgusted wütend sauer enojad* furios* furieux furieuse colère zangad* raiva 😡 🤬",
    ),
    (
        Mood::Sad,
        1.2,
        "sad grief grieving mourn* heartbroken heartbreak devastat* depressed depressing miserable sorrow hopeless tears crying cried sobbing",
    ),
    (Mood::Sad, 1.2, "funeral condolence* died lonely loneliness 😢 💔 😞"),
    (
        Mood::Sad,
        1.2,
        "traurig trauer einsam gestorben beerdigung weine triste tristes tristeza murió falleció funeral triste pleuré décédé deuil morreu faleceu luto saudade saudades",
    ),
    (Mood::Sad, 0.6, "hurts hurting painful upset regret guilt guilty ashamed"),
    (
        Mood::Tired,
        1.0,
        "exhausted exhausting tired drained overwhelmed overwhelming burnout sleepless müde erschöpft überfordert cansad* agotad* fatigué* épuisé* exaust* esgotad*",
    ),
];

static EXACT: LazyLock<HashMap<&'static str, Charge>> = LazyLock::new(|| {
    let entries =
        WORDS.iter().flat_map(|(mood, weight, words)| words.split_whitespace().map(move |word| (word, (*mood, *weight))));
    let mut map = HashMap::new();
    for (word, charge) in entries.filter(|(word, _)| !word.ends_with('*')) {
        map.entry(word).or_insert(charge);
    }
    map
});

static STARTS: LazyLock<Vec<(&'static str, Charge)>> = LazyLock::new(|| {
    let entries =
        WORDS.iter().flat_map(|(mood, weight, words)| words.split_whitespace().map(move |word| (word, (*mood, *weight))));
    entries.filter_map(|(word, charge)| word.strip_suffix('*').map(|start| (start, charge))).collect()
});

/// What `word`, in lower case, says about a mood.
pub(crate) fn charge(word: &str) -> Option<Charge> {
    EXACT
        .get(word)
        .copied()
        .or_else(|| STARTS.iter().find(|(start, _)| start.len() >= 5 && word.starts_with(start)).map(|(_, charge)| *charge))
}

/// Words that turn a mood round when they stand before it.
pub(crate) fn negates(word: &str) -> bool {
    matches!(
        word,
        "not"
            | "no"
            | "never"
            | "without"
            | "hardly"
            | "neither"
            | "nor"
            | "nothing"
            | "isn't"
            | "nicht"
            | "kein"
            | "keine"
            | "nie"
            | "nunca"
            | "sin"
            | "pas"
            | "jamais"
            | "sans"
            | "não"
            | "sem"
            | "nada"
    )
}

/// How much a word before it strengthens or weakens a mood.
pub(crate) fn intensity(word: &str) -> Option<f32> {
    match word {
        "very" | "so" | "really" | "extremely" | "absolutely" | "incredibly" | "utterly" | "totally" | "deeply" | "super"
        | "sehr" | "total" | "muy" | "tan" | "très" | "tellement" | "muito" | "tão" | "beyond" => Some(1.5),
        "bit" | "slightly" | "somewhat" | "little" | "kinda" | "mildly" | "etwas" | "bisschen" | "poco" | "peu" | "pouco" => {
            Some(0.6)
        }
        _ => None,
    }
}
