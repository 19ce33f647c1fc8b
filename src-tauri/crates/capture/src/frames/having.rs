//! "I have …", "I've got …", "I don't have …".

use keepsake_domain::{Category, Confidence};

use super::{Around, Found, has_duration, has_future_time, is_passing};
use crate::lexicon::*;
use crate::parse::Parsed;

pub(crate) fn find(p: &Parsed<'_>, around: Around<'_>) -> Option<Found> {
    let mut words: Vec<&str> = p.rest_words().collect();
    // "about thirty boards": the number counts.
    if words.len() > 2 && one_of(words[0], "about around over nearly roughly like some at") {
        words.remove(0);
    }
    let first = *words.first()?;
    if one_of(first, "to it this that them you your the been enough more any")
        && !(first == "the" && has_future_time(p))
        && !(first == "any" && p.is_negated)
        || is_passing(p)
    {
        return None;
    }
    let make = |category, family| Some(Found::new(p, around, category, family));
    let no = p.is_negated || first == "no";
    // The head noun is the last word before a preposition, a relative or the end.
    let cut = words
        .iter()
        .position(|w| {
            PREPOSITIONS.contains(w) && *w != "of"
                || one_of(w, "my i we he she they") && *w != first
                || one_of(w, "who that which and or , named called - living now already since whose because so plus going coming")
        })
        .unwrap_or(words.len());
    let np = &words[..cut];
    // "every friday we have fish and chips"
    if p.front_words().any(|w| one_of(w, "every sundays mondays tuesdays wednesdays thursdays fridays saturdays"))
        && !PASSING_HAVINGS.contains(np.last().copied().unwrap_or(""))
        && !one_of(first, "a the my")
        && !p.is_negated
    {
        return make(Category::Preference, "a habit");
    }
    if first == "one" && one_of(np.last().copied().unwrap_or(""), "kidney eye leg arm lung ear hand") {
        return make(Category::PersonalInfo, "health");
    }
    if np.len() >= 2 && np[np.len() - 2..] == ["solar", "panels"] || np.ends_with(&["heat", "pump"]) {
        return make(Category::PersonalInfo, "a possession");
    }
    if one_of(first, "my a")
        && np.last() == Some(&"test")
        && one_of(np[np.len().saturating_sub(2)], "driving citizenship theory")
        && has_future_time(p)
    {
        return make(Category::Goal, "an event");
    }
    let head = np.last().copied().unwrap_or("");
    let any = |set: &WordSet| np.iter().any(|w| set.contains(w));
    let passing = PASSING_HAVINGS.contains(head) || PASSING_COUNTS.contains(head);
    if one_of(first, "a")
        && one_of(words.get(1).copied().unwrap_or(""), "soft sweet thing weakness love fear phobia morbid lifelong")
        && !passing
        || words.len() > 2 && head == "thing" && words.get(cut) == Some(&"for")
    {
        let fear = np.iter().any(|w| one_of(w, "fear phobia"));
        return make(if fear { Category::PersonalInfo } else { Category::Preference }, if fear { "a fear" } else { "a taste" });
    }
    if words.windows(2).any(|w| w == ["crush", "on"]) || first == "had" {
        return None;
    }
    if one_of(
        head,
        "exam exams interview surgery operation appointment recital wedding viva audition gig exhibition marathon race deadline flight baby",
    ) && !PETS.contains(head)
        && !no
    {
        let dated = has_future_time(p);
        if dated || words.iter().any(|w| one_of(w, MONTHS) || one_of(w, "due")) {
            return make(Category::Goal, "an event");
        }
        if head != "baby" {
            return None;
        }
    }
    let of_kin = words.windows(2).any(|w| KIN.contains(w[0]) && one_of(w[1], "' 's"));
    if np.iter().any(|w| KIN.contains(w)) && !of_kin && !one_of(head, "photo picture problem") {
        let found = make(Category::Relationship, "family")?;
        return Some(found);
    }
    if np.iter().any(|w| {
        one_of(
            w,
            "friend friends flatmate flatmates roommate roommates housemate housemates lodger neighbour therapist mentor tutor",
        )
    }) && !no
    {
        let plain = one_of(head, "friend friends neighbour") && !words.iter().any(|w| one_of(w, "named called who in from"));
        return if plain { None } else { make(Category::Relationship, "a tie") };
    }
    if any(&PETS) && !one_of(head, "tongue person people") && !one_of(head, "mouse duck bird fish") {
        return make(Category::PersonalInfo, "a pet");
    }
    if any(&HEALTH)
        && !one_of(head, "day attack levels")
        && !one_of(head, "back knee knees hip shoulder kidney add glasses braces")
        || np.iter().any(|w| one_of(w, "bad dodgy weak broken replacement artificial"))
            && one_of(head, "back knee knees hip shoulder heart ankle ear eye leg")
    {
        let health = make(Category::PersonalInfo, "health");
        return if no && !has_duration(p) && !words.iter().any(|w| one_of(w, "allergies allergy")) { None } else { health };
    }
    if words.iter().any(|w| DEGREES.contains(w)) && !no {
        return make(if one_of(head, "certificate") { Category::Skill } else { Category::PersonalInfo }, "education");
    }
    if np.len() >= 2 && one_of(head, "experience") && words.iter().any(|w| one_of(w, "years year decades"))
        || np.iter().any(|w| one_of(w, "years year")) && words.contains(&"experience")
    {
        return make(Category::Skill, "long experience");
    }
    if head == "background" && one_of(words.get(cut).copied().unwrap_or(""), "in as") && !no {
        return make(Category::PersonalInfo, "education");
    }
    if one_of(head, "tooth") && np.contains(&"sweet") {
        return make(Category::Preference, "a taste");
    }
    if np.iter().any(|w| PROPER.contains(w))
        && !any(&BELONGINGS)
        && np.len() <= 5
        && words.iter().all(|w| {
            PROPER.contains(w)
                || np.first().is_some_and(|w| LANGUAGES.contains(w))
                || one_of(w, "and bad good some basic a little fluent decent school rusty broken enough conversational passable")
        })
    {
        return make(Category::Skill, "a language").map(|f| {
            let content = f.content.replacen(" has ", " speaks ", 1);
            f.content(content)
        });
    }
    if passing {
        return None;
    }
    if any(&BELONGINGS) {
        let generic = one_of(
            head,
            "visa passport account bar tank board console phone server key record company door model business licence",
        ) && !no
            && !one_of(first, "an")
            && np.len() <= 2
            && !one_of(head, "licence company business");
        let software = words.iter().any(|w| {
            one_of(
                w,
                "running error crash version instance connected plugged failing issue responding setup configured installed",
            )
        }) && !one_of(head, "homelab nas");
        return (!generic && !software && !(no && (generic || one_of(head, "board boards record model key")) && !one_of(head, "tv television car licence license degree garden house garage oven dishwasher smartphone bike phone freezer mortgage iphone dog"))).then(|| Found::new(p, around, Category::PersonalInfo, "a possession"));
    }
    if no {
        return None;
    }
    (one_of(first, "a an") && words.iter().any(|w| one_of(w, "named called")) && !np.iter().any(|w| PASSING_HAVINGS.contains(w)))
        .then(|| Found::new(p, around, Category::PersonalInfo, "a possession").confidence(Confidence::IMPLIED))
}
