//! Finds the subject of a clause: the speaker, something of theirs, or a subject left out.
//!
//! Deliberately not here: the verb group and the complement (`parse`).

use crate::clause::low;
use crate::lexicon::*;
use crate::parse::Actor;
use crate::token::{Kind, Token};

/// Who a clause from `lo` on is about, whether that is more than one, and where its verb group begins.
pub(crate) fn subject(tokens: &[Token], lo: usize, end: usize, inherits: bool) -> Option<(Actor, bool, usize)> {
    let word = low(tokens, lo);
    match word {
        "i" if tokens[lo].kind == Kind::Word => return Some((Actor::Speaker, false, lo + 1)),
        "we" => return Some((Actor::Speaker, true, lo + if one_of(low(tokens, lo + 1), "both all") { 2 } else { 1 })),
        "my" | "our" => {
            // "my wife and i …"
            if let Some(at) = (lo..(lo + 6).min(end)).find(|k| low(tokens, *k) == "and" && one_of(low(tokens, *k + 1), "i me")) {
                return Some((Actor::Speaker, true, at + 2));
            }
            let verb = possession_end(tokens, lo + 1, end)?;
            return Some((Actor::Possession(lo + 1, verb), false, verb));
        }
        // "me and Josie got engaged"
        "me" if low(tokens, lo + 1) == "and" && tokens.get(lo + 2).is_some_and(|t| t.is_capital) && lo + 3 < end => {
            return Some((Actor::Speaker, true, lo + 3));
        }
        "me" if low(tokens, lo + 1) == "and" && one_of(low(tokens, lo + 2), "my the our") => {
            let verb = (lo + 4..(lo + 8).min(end)).find(|k| {
                AUXILIARIES.contains(low(tokens, *k)) || is_known_verb(low(tokens, *k)) && !KIN.contains(low(tokens, *k))
            });
            let verb = verb.or_else(|| possession_end(tokens, lo + 3, end))?;
            return Some((Actor::Speaker, true, verb));
        }
        _ => {}
    }
    // "mum died", "the kids are six": one's own, unless somebody else's were just spoken of.
    let bare = lo + usize::from(one_of(word, "the both") || word == "our");
    let noun = low(tokens, bare + usize::from(low(tokens, bare) == "my"));
    let own_noun = one_of(
        noun,
        "mum mom mam dad wife husband hubby missus partner boyfriend girlfriend bf gf fiance fiancé fiancee son daughter kid kids twins toddler sister brother sis bro parents gran grandma grandpa granny nan nana grandad granddad dog cat pup puppy kitten",
    );
    if own_noun && !(one_of(word, "the") && one_of(noun, "son daughter brother sister boy girl parents cat dog")) {
        let from = bare + usize::from(low(tokens, bare) == "my");
        let next = low(tokens, from + 1);
        if AUXILIARIES.contains(next)
            || base_of_third(next).is_some()
            || base_of_past(next).is_some_and(|b| is_known_verb(&b))
            || low(tokens, from + 2).len() > 1 && AUXILIARIES.contains(low(tokens, from + 2)) && tokens[from + 1].is_capital
        {
            let verb = possession_end(tokens, from, end)?;
            return Some((Actor::Possession(from, verb), false, verb));
        }
    }
    if PRONOUNS.contains(word) || DETERMINERS.contains(word) && !inherits {
        return None;
    }
    Some((Actor::Dropped, false, lo))
}

/// Where the verb of "my sister Ana in Leeds lives …" stands.
fn possession_end(tokens: &[Token], lo: usize, end: usize) -> Option<usize> {
    /// A noun phrase longer than this is no subject but a ramble.
    const NOUN_WORDS_MAX: usize = 7;
    for k in lo + 1..end.min(lo + NOUN_WORDS_MAX + 1) {
        let w = low(tokens, k);
        if !tokens[k].is_wordy() {
            return None;
        }
        let is_adverb_then_verb = ADVERBS_KEPT.contains(w) || ADVERBS_DROPPED.contains(w);
        if AUXILIARIES.contains(w) && !(w == "may" && tokens[k].is_capital) || is_adverb_then_verb && k > lo && k + 1 < end {
            return Some(k);
        }
        if let Some(base) = base_of_third(w)
            && !one_of(w, "s 's kids boys girls sons cats dogs friends glasses books plants parents grandparents")
            && !(is_plural_noun(w) && !opens_complement(low(tokens, k + 1)))
            && !KIN.contains(w)
            && !PETS.contains(w)
            && !BELONGINGS.contains(w)
            && (is_known_verb(&base))
        {
            return Some(k);
        }
        if base_of_past(w).is_some_and(|b| is_known_verb(&b))
            && (!one_of(w, "left adopted retired divorced married late set cut put read made built used broken loved beloved")
                || w == "left" && one_of(low(tokens, k + 1), "in me us when last after")
                || w == "used" && low(tokens, k + 1) == "to")
        {
            return Some(k);
        }
        // "my exams start in may": a plural and a verb with its complement.
        if k > lo
            && low(tokens, k - 1).ends_with('s')
            && !low(tokens, k - 1).ends_with("ss")
            && one_of(w, "start begin live work run open close come speak go end finish take play meet")
            && opens_complement(low(tokens, k + 1))
        {
            return Some(k);
        }
        if k > lo
            && low(tokens, k - 1).ends_with('s')
            && (KIN.contains(low(tokens, k - 1)) || PETS.contains(low(tokens, k - 1)))
            && one_of(w, "live love hate work own have run speak play go eat keep sleep")
        {
            return Some(k);
        }
    }
    None
}

/// Words that are a plural noun as readily as a verb in the third person.
fn is_plural_noun(word: &str) -> bool {
    one_of(word, "plans walks runs drives shops trains works rides")
}

/// Whether a complement may open with `word`.
fn opens_complement(word: &str) -> bool {
    PREPOSITIONS.contains(word) || DETERMINERS.contains(word) || one_of(word, "two three four five nights days part full away")
}

/// "wife" of "my wife and i", "dad" of "me and my dad".
pub(crate) fn joint_partner(tokens: &[Token], lo: usize, group: usize) -> Option<(usize, usize)> {
    let my = (lo..group).find(|k| one_of(low(tokens, *k), "my our"))?;
    let end = (my + 1..group).find(|k| low(tokens, *k) == "and").unwrap_or(group);
    Some((my + 1, end))
}
