//! What somebody can, cannot, would and used to do.

use keepsake_domain::{Category, Confidence};

use super::action::*;
use super::{Around, Found, has_frequency, is_passing, wanting};
use crate::lexicon::*;
use crate::parse::Parsed;
use crate::rewrite;

/// "I can't swim", "I can play the piano", "I will never …", "I'd love to …".
pub(crate) fn modal(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let base = p.base.as_str();
    let word = p.word(0);
    if is_passing(p) {
        return None;
    }
    match (p.modal, p.is_negated) {
        ("can", true) => {
            if one_of(base, "stand bear abide") {
                let vague =
                    p.is_bare() || one_of(word, THIS) || one_of(word, "how when the being") && !has_frequency(p) && word != "the";
                return (!vague).then(|| {
                    let verb = format!("{} cannot {base}", around.label);
                    Found::new(p, around, Category::Preference, "a taste")
                        .content(rewrite::join(&[&verb, &rewrite::render(around.text, p.tokens, p.rest, p.end)]))
                });
            }
            if one_of(base, "have eat drink digest tolerate")
                && !p.is_bare()
                && !one_of(word, "it this that a the any anything more much another you")
            {
                return Some(Found::new(p, around, Category::PersonalInfo, "health"));
            }
            if one_of(base, "function sleep live cope concentrate work study start relax write")
                && word == "without"
                && !p.says("it this that them you")
            {
                return Some(Found::new(p, around, Category::Preference, "a habit"));
            }
            if base == "do"
                && !p.is_bare()
                && !one_of(
                    word,
                    "it this that a the any anything more much another you so everything nothing better what both either all my without",
                )
                && !p.rest_words().any(|w| {
                    one_of(w, WEEKDAYS)
                        || one_of(w, MONTHS)
                        || one_of(w, "before after until at tomorrow tonight week then weekend lunch pm am")
                        || w.starts_with(|c: char| c.is_ascii_digit())
                })
            {
                return Some(Found::new(p, around, Category::Preference, "a taste").confidence(Confidence::STATED));
            }
            let ability = one_of(
                base,
                "swim drive cook sing dance whistle draw read speak ride juggle ski spell dive skate cycle knit bake sew",
            ) && !(one_of(base, "read drive sing dance") && one_of(word, "it this that the your there to"));
            if base == "sleep" && word == "without" {
                return Some(Found::new(p, around, Category::Preference, "a habit"));
            }
            let sense = base == "smell" && p.is_bare()
                || base == "hear" && one_of(word, "in out on")
                || base == "see" && one_of(word, "in out colours colors without");
            (ability || sense).then(|| {
                Found::new(
                    p,
                    around,
                    if sense { Category::PersonalInfo } else { Category::Skill },
                    if sense { "health" } else { "an ability" },
                )
            })
        }
        ("can", false)
            if p.has_adverb("only")
                && one_of(base, "do eat drink wear sleep read")
                && !p.is_bare()
                && !one_of(word, THIS)
                && !p.rest_words().any(|w| {
                    one_of(w, WEEKDAYS) || one_of(w, "after before until at so one two half tonight then this mornings evenings")
                }) =>
        {
            Some(Found::new(p, around, Category::Preference, "a preference"))
        }
        ("can", false) => {
            let ability = one_of(
                base,
                "touch recite speak play juggle swim drive ride cook sing draw read write sew knit weld code sail ski dance sign bake fly whistle touch-type type solve recite cut",
            ) && !p.is_bare()
                && !one_of(word, THIS)
                && !one_of(word, "to the with from in there");
            let play = base == "play" && word == "the" && p.rest_words().any(|w| INSTRUMENTS.split_whitespace().any(|i| i == w));
            (ability
                && !(one_of(base, "drive read write type fly cut")
                    && !p.rest_words().any(|w| {
                        PROPER.contains(w) || w.ends_with('s') || one_of(w, "music braille cyrillic arabic manual stick wpm tractor lorry truck bus forklift plane planes helicopter glider motorbike")
                    }))
                || play)
                .then(|| Found::new(p, around, Category::Skill, "an ability"))
        }
        ("will", false)
            if base == "be"
                && (word.parse::<u32>().is_ok() || one_of(word, "thirty forty fifty sixty seventy eighty"))
                && p.rest_words().any(|w| one_of(w, "in next this on") || one_of(w, MONTHS))
                && p.end - p.rest >= 2
                && !p.says("minutes late am pm") =>
        {
            Some(Found::new(p, around, Category::PersonalInfo, "age"))
        }
        ("will", _)
            if p.has_adverb("never")
                && one_of(base, "eat drink fly buy wear move live marry touch watch")
                && !p.is_bare()
                && !one_of(word, THIS) =>
        {
            Some(Found::new(p, around, Category::Preference, "a taste"))
        }
        ("would", false) => wanting::would(p, around),
        ("could", false) if base == "never" => None,
        _ => None,
    }
}

/// "I used to …".
pub(crate) fn used_to(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let telling = is_known_verb(&p.base) && !p.is_bare() && !one_of(p.word(0), "it this that you")
        || one_of(&p.base, "smoke drink dance sing paint garden climb ski teach farm nurse box fence row juggle preach");
    let generic = one_of(&p.base, "work get be have do") && one_of(p.word(0), "fine able that so this it")
        || p.says("you your feature button app website version");
    (telling && !generic && !one_of(&p.base, "think say call ask tell know hear"))
        .then(|| Found::new(p, around, Category::Experience, "a past habit"))
}
