//! Decides whether two statements say the same thing, with the four outcomes of seed 004.
//!
//! Cosine similarity cannot distinguish "allergic to nuts" from "not allergic to nuts", or Rotterdam from Utrecht. Formal
//! features therefore decide first: names, numbers, possession and negation; the cosine only shows how close the statements are.
//! The attribute that a statement is about comes from the reader or a model.

use std::collections::{BTreeSet, HashMap};

use keepsake_domain::{Attribute, Candidate, DedupOutcome, FactDetail, limits::DUPLICATE_COSINE};

use keepsake_text::{is_stop_word, words as words_of};

use crate::statement::spoken;

/// Without vectors, two statements say the same thing if they share at least this fraction of their content words.
const SAME_OVERLAP: f32 = 0.75;
/// Without vectors, two statements are related if they share at least this fraction.
const RELATED_OVERLAP: f32 = 0.3;
/// With vectors, two statements below this cosine have nothing in common.
const RELATED_COSINE: f32 = 0.5;

/// The content of a statement, reduced to the features that are compared.
#[derive(Debug)]
struct Gist {
    words: BTreeSet<String>,
    names: BTreeSet<String>,
    numbers: BTreeSet<String>,
    is_negated: bool,
    /// The subject's relative or possession that the statement is about: "sister" in "User's sister lives in Lima".
    whose: Option<String>,
}

/// The relation of `new` to `old`, and how close the two statements are, from 0 to 1.
pub fn compare(new: Claim<'_>, new_vec: Option<&[f32]>, old: Claim<'_>, old_vec: Option<&[f32]>) -> (DedupOutcome, f32) {
    let (a, b) = (gist(new.content), gist(old.content));
    let overlap = overlap(&a.words, &b.words);
    let cosine = new_vec.zip(old_vec).and_then(|(x, y)| cosine(x, y));
    let closeness = cosine.unwrap_or(overlap);
    if a.words == b.words && a.is_negated == b.is_negated && a.numbers == b.numbers {
        return (DedupOutcome::Exact, closeness.max(DUPLICATE_COSINE));
    }
    let attributes = new.fact.zip(old.fact).map(|(new, old)| is_one_matter(new.attribute, old.attribute));
    let is_close = match cosine {
        // "Works in Seattle" and "lives in Seattle" have the same cosine as "loves hiking trips" and "enjoys hiking". If the
        // attributes are unknown, the statements must also share enough words.
        Some(cosine) => {
            cosine >= DUPLICATE_COSINE && (attributes == Some(true) || overlap >= RELATED_OVERLAP)
                || overlap >= SAME_OVERLAP && cosine >= RELATED_COSINE
        }
        None => {
            overlap >= SAME_OVERLAP
                || a.words.is_subset(&b.words) && !a.words.is_empty() && a.numbers.is_subset(&b.numbers)
                || b.words.is_subset(&a.words) && b.words.len() >= 2
        }
    };
    let touches = match cosine {
        Some(cosine) => cosine >= RELATED_COSINE || overlap >= RELATED_OVERLAP,
        None => overlap >= RELATED_OVERLAP || !a.names.is_disjoint(&b.names),
    };
    let is_other_fact = attributes == Some(false)
        || a.whose != b.whose
        || a.is_negated != b.is_negated
        || conflicts(&a.names, &b.names)
        || conflicts(&a.numbers, &b.numbers);
    let outcome = if is_close && !is_other_fact {
        // If `new` adds no words, numbers or names, the older statement already says it.
        if a.words.is_subset(&b.words) { DedupOutcome::Exact } else { DedupOutcome::Reinforcement }
    } else if touches || is_close {
        DedupOutcome::Related
    } else {
        DedupOutcome::Different
    };
    (outcome, closeness)
}

/// Attributes for activities and likes. They overlap: "I play the cello" is a skill, but with "every evening" it is a hobby.
const PURSUITS: [Attribute; 4] = [Attribute::Hobby, Attribute::Skill, Attribute::Like, Attribute::Habit];

/// True if statements with these attributes may say the same thing.
fn is_one_matter(a: Attribute, b: Attribute) -> bool {
    a == b || PURSUITS.contains(&a) && PURSUITS.contains(&b)
}

/// A stable fingerprint of a statement: lowercase content words in alphabetical order, plus negation. It recognizes a dismissed
/// statement regardless of word order.
pub fn fingerprint(content: &str) -> String {
    let gist = gist(content);
    let mut words: Vec<String> = gist.words.iter().chain(&gist.numbers).cloned().collect();
    words.sort();
    words.dedup();
    format!("{}{}", if gist.is_negated { "!" } else { "" }, words.join(" "))
}

/// The number of content words that two statements share.
pub fn shared_words(a: &str, b: &str) -> usize {
    gist(a).words.intersection(&gist(b).words).count()
}

/// Minimum share of a statement's words that must also occur in the statement it is merged into.
const CARRIED_WORDS_MIN: f32 = 0.5;

/// True if `stays` contains everything important in `other`: names, numbers, possession, negation, and most words.
pub fn carries(stays: &str, other: &str) -> bool {
    let words = shared_words(stays, other);
    let (a, b) = (gist(stays), gist(other));
    let is_most = a.words.intersection(&b.words).count() as f32 >= CARRIED_WORDS_MIN * b.words.len() as f32;
    words > 0
        && is_most
        && b.names.is_subset(&a.names)
        && b.numbers.is_subset(&a.numbers)
        && a.is_negated == b.is_negated
        && a.whose == b.whose
}

/// The reason why two statements about the same thing cannot both be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// One statement negates the other.
    Negated,
    /// They name two different values for something that has only one.
    Value,
}

/// Attributes that a person has only one of at a time. People may have two jobs and several homes within a year, but an agent
/// needs the current one.
pub(crate) const SINGLE_ATTRIBUTES: [Attribute; 5] =
    [Attribute::Name, Attribute::Age, Attribute::Birthday, Attribute::Home, Attribute::Employer];

/// A statement, with the attribute that the reader or a model recognized in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The statement.
    pub content: &'a str,
    /// The attribute it states about the person, if known.
    pub fact: Option<FactDetail>,
}

impl<'a> Claim<'a> {
    /// The claim of a candidate.
    pub fn of(candidate: &'a Candidate) -> Self {
        Self { content: &candidate.content, fact: candidate.fact }
    }

    /// A claim of which only the wording is known.
    pub fn worded(content: &'a str) -> Self {
        Self { content, fact: None }
    }
}

/// The reason why two statements about the same subject cannot both be true; `None` if they can. Statements with attributes are
/// judged by these, because a person may love two towns but lives in only one. Without attributes, negation and numbers decide.
pub fn conflict(a: Claim<'_>, b: Claim<'_>) -> Option<Conflict> {
    seen_conflict(a, b).unwrap_or_else(|| conflict_of(&gist(a.content), &gist(b.content)))
}

/// The words of a claim, without the label that precedes quoted words.
fn words<'a>(claim: Claim<'a>) -> &'a str {
    spoken(claim.content).unwrap_or(claim.content)
}

/// The conflict by attributes; the outer option is `None` if either claim has no attribute.
fn seen_conflict(a: Claim<'_>, b: Claim<'_>) -> Option<Option<Conflict>> {
    let (x, y) = (a.fact?, b.fact?);
    if x.attribute != y.attribute {
        return Some(None);
    }
    if x.is_negated != y.is_negated {
        return Some(shares_name(words(a), words(b)).then_some(Conflict::Negated));
    }
    let is_single = SINGLE_ATTRIBUTES.contains(&x.attribute) && !x.is_negated;
    let (a, b) = (gist(words(a)), gist(words(b)));
    let is_other = conflicts(&a.names, &b.names) || conflicts(&a.numbers, &b.numbers);
    // Two cats and three cats are a conflict; two children with different names are not.
    let is_counted_otherwise = !a.words.is_empty() && a.words == b.words && conflicts(&a.numbers, &b.numbers);
    Some((is_single && is_other || is_counted_otherwise).then_some(Conflict::Value))
}

/// True if two wordings differ only in capitals, punctuation and spaces.
pub(crate) fn is_worded_alike(a: &str, b: &str) -> bool {
    let words = |text: &str| {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    words(a) == words(b)
}

/// True if `new` contains a different name or number than `old`.
pub(crate) fn names_another(new: &str, old: &str) -> bool {
    let (new, old) = (gist(new), gist(old));
    let differs = |new: &BTreeSet<String>, old: &BTreeSet<String>| !old.is_empty() && !new.is_subset(old);
    differs(&new.names, &old.names) || differs(&new.numbers, &old.numbers)
}

/// True if the two wordings have a name in common.
pub(crate) fn shares_name(a: &str, b: &str) -> bool {
    !gist(a).names.is_disjoint(&gist(b).names)
}

/// A word that occurs in more statements than this does not indicate that two statements are similar.
const COMMON_STATEMENTS: usize = 500;

/// Maximum number of statements compared in full with each statement, chosen by shared words.
const NEAR_STATEMENTS_MAX: usize = 24;

/// The indices of the statements that contradict another one. All of `claims` must be about the same subject.
pub fn conflicting(claims: &[Claim<'_>]) -> BTreeSet<usize> {
    let gists: Vec<Gist> = claims.iter().map(|claim| gist(claim.content)).collect();
    let mut found = conflicting_attributes(claims);
    let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, gist) in gists.iter().enumerate() {
        gist.words.iter().for_each(|word| by_word.entry(word).or_default().push(at));
    }
    for (at, gist) in gists.iter().enumerate() {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        let tells = |word: &&String| by_word[word.as_str()].len() <= COMMON_STATEMENTS;
        for word in gist.words.iter().filter(tells) {
            by_word[word.as_str()].iter().filter(|other| **other > at).for_each(|other| *shared.entry(*other).or_default() += 1);
        }
        let mut near: Vec<(usize, usize)> = shared.into_iter().collect();
        near.sort_unstable_by_key(|&(other, count)| (std::cmp::Reverse(count), other));
        let looked_at = near.into_iter().take(NEAR_STATEMENTS_MAX);
        let cannot_both = |other: usize| match seen_conflict(claims[at], claims[other]) {
            Some(seen) => seen.is_some(),
            None => conflict_of(gist, &gists[other]).is_some(),
        };
        for (other, _) in looked_at.filter(|(other, _)| cannot_both(*other)) {
            found.extend([at, other]);
        }
    }
    found
}

/// The indices of statements that give different values for a single-valued attribute, regardless of their wording.
fn conflicting_attributes(claims: &[Claim<'_>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for attribute in SINGLE_ATTRIBUTES {
        let is_of = |at: &usize| claims[*at].fact.is_some_and(|fact| fact.attribute == attribute);
        let of: Vec<usize> = (0..claims.len()).filter(is_of).take(COMMON_STATEMENTS).collect();
        for (n, at) in of.iter().enumerate() {
            for other in &of[n + 1..] {
                if seen_conflict(claims[*at], claims[*other]).flatten().is_some() {
                    found.extend([*at, *other]);
                }
            }
        }
    }
    found
}

fn conflict_of(a: &Gist, b: &Gist) -> Option<Conflict> {
    if a.whose != b.whose {
        return None;
    }
    if a.is_negated != b.is_negated {
        let is_same = overlap(&a.words, &b.words) >= SAME_OVERLAP && !conflicts(&a.names, &b.names) && a.numbers == b.numbers;
        return is_same.then_some(Conflict::Negated);
    }
    let is_other_number = !a.words.is_empty() && a.words == b.words && conflicts(&a.numbers, &b.numbers);
    is_other_number.then_some(Conflict::Value)
}

/// The cosine of two vectors; `None` if their lengths differ or one of them is zero.
pub fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
    if a.len() != b.len() || a.is_empty() {
        return None;
    }
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let product = norm(a) * norm(b);
    (product > 0.0 && product.is_finite()).then(|| (dot / product).clamp(-1.0, 1.0))
}

/// True if each set contains something that the other does not.
fn conflicts(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    !a.is_empty() && !b.is_empty() && !a.is_subset(b) && !b.is_subset(a)
}

fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let common = a.intersection(b).count() as f32;
    let all = a.union(b).count() as f32;
    if all == 0.0 { 0.0 } else { common / all }
}

/// Words of negation, in the plain form of the search index, in which "don't" becomes two words, the second of which is "t".
const DENIALS: [&str; 8] = ["not", "never", "no", "nor", "without", "cannot", "neither", "t"];

/// The gist of a statement, or of quoted words.
fn gist(content: &str) -> Gist {
    let found = words_of(spoken(content).unwrap_or(content));
    let mut out =
        Gist { words: BTreeSet::new(), names: BTreeSet::new(), numbers: BTreeSet::new(), is_negated: false, whose: None };
    // "User's sister": the index treats the possessive "s" as a separate word.
    if let [_, mark, noun, ..] = found.as_slice()
        && mark.plain == "s"
    {
        out.whose = Some(noun.stem.clone());
    }
    for (n, word) in found.iter().enumerate() {
        let is_label = n == 0 && word.plain == "user";
        // "No longer" is a negation in two words.
        let is_rest_of_denial = word.plain == "longer" && n > 0 && found[n - 1].plain == "no";
        if is_rest_of_denial || DENIALS.contains(&word.plain.as_str()) {
            out.is_negated = true;
        } else if word.plain.starts_with(|c: char| c.is_ascii_digit()) {
            out.numbers.insert(word.plain.clone());
        } else if !is_label && !is_stop_word(&word.plain) {
            if n > 0 && word.is_capitalised {
                out.names.insert(word.plain.clone());
            }
            out.words.insert(word.stem.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(new: &str, old: &str, cosine_of_both: Option<f32>, expect: DedupOutcome) {
        let (x, y) = match cosine_of_both {
            Some(c) => (Some(vec![1.0, 0.0]), Some(vec![c, (1.0 - c * c).sqrt()])),
            None => (None, None),
        };
        let (outcome, _) = compare(Claim::worded(new), x.as_deref(), Claim::worded(old), y.as_deref());
        assert_eq!(outcome, expect, "{new:?} against {old:?} at {cosine_of_both:?}");
    }

    #[test]
    fn what_two_close_statements_say_of_somebody_decides_whether_they_are_one() {
        let check = |new: (&str, Attribute), old: (&str, Attribute), expect: DedupOutcome| {
            let claim =
                |(content, attribute)| Claim { content, fact: Some(FactDetail { attribute, is_negated: false, date: None }) };
            let (x, y) = (vec![1.0, 0.0], vec![0.88, (1.0_f32 - 0.88 * 0.88).sqrt()]);
            let (outcome, _) = compare(claim(new), Some(&x), claim(old), Some(&y));
            assert_eq!(outcome, expect, "{new:?} against {old:?}");
        };
        use DedupOutcome::{Reinforcement, Related};
        check(("User loves weekend hiking trips", Attribute::Hobby), ("User enjoys hiking", Attribute::Hobby), Reinforcement);
        check(
            ("User plays the cello every evening", Attribute::Hobby),
            ("User plays the cello", Attribute::Skill),
            Reinforcement,
        );
        check(("User works in downtown Seattle", Attribute::Job), ("User lives in Seattle", Attribute::Home), Related);
    }

    #[test]
    fn the_four_outcomes_of_seed_004() {
        use DedupOutcome::*;
        for cosine in [None, Some(0.99)] {
            check("User's name is John", "User's name is John", cosine, Exact);
        }
        check("User loves weekend hiking trips", "User enjoys hiking", Some(0.88), Related);
        check("User's sister is named Ana", "User's sister is called Ana", Some(0.97), Reinforcement);
        check("User's sister is named Ana", "User's sister is called Ana", None, Related);
        check("User named the bank", "User called the bank", None, Related);
        for cosine in [None, Some(0.87), Some(0.7)] {
            check("User works in downtown Seattle", "User lives in Seattle", cosine, Related);
        }
        for cosine in [None, Some(0.3)] {
            check("User is a teacher", "User's name is John", cosine, Different);
        }
    }

    #[test]
    fn a_changed_value_or_a_negation_is_never_a_duplicate() {
        use DedupOutcome::*;
        for cosine in [None, Some(0.97)] {
            check("User is not allergic to nuts", "User is allergic to nuts", cosine, Related);
            check("User lives in Utrecht", "User lives in Rotterdam", cosine, Related);
            check("User's sister lives in Lima", "User lives in Lima", cosine, Related);
            check("User has two cats", "User has no cats", cosine, Related);
            check("User is 42 years old", "User is 41 years old", cosine, Related);
            check("User no longer eats meat", "User eats meat", cosine, Related);
        }
    }

    #[test]
    fn what_cannot_both_be_so_is_a_conflict() {
        let check = |a: &str, b: &str, expect: Option<Conflict>| {
            let (x, y) = (Claim::worded(a), Claim::worded(b));
            assert_eq!(conflict(x, y), expect, "{a:?} against {b:?}");
            assert_eq!(conflict(y, x), expect, "{b:?} against {a:?}");
        };
        check("User lives in Utrecht", "User lives in Rotterdam", None);
        check("User is 41 years old", "User is 42 years old", Some(Conflict::Value));
        check("User is allergic to nuts", "User is not allergic to nuts", Some(Conflict::Negated));
        check("User no longer eats meat", "User eats meat", Some(Conflict::Negated));
        check("User loves Utrecht", "User loves Rotterdam", None);
        check("User's sister lives in Lima", "User lives in Utrecht", None);
        check("User lives in Utrecht", "User lives in Utrecht with a dog", None);
        check("User plays the cello", "User does not eat meat", None);
    }

    #[test]
    fn of_many_statements_those_that_cannot_both_be_so_are_found() {
        let check = |statements: &[&str], expect: &[usize]| {
            let claims: Vec<Claim<'_>> = statements.iter().map(|content| Claim::worded(content)).collect();
            assert_eq!(conflicting(&claims).into_iter().collect::<Vec<_>>(), expect, "{statements:?}");
        };
        check(&[], &[]);
        check(&["User lives in Utrecht"], &[]);
        check(
            &["User lives in Utrecht", "User loves tea", "User no longer lives in Utrecht", "User's sister lives in Lima"],
            &[0, 2],
        );
        check(&["User eats meat", "User is 41 years old", "User no longer eats meat", "User is 42 years old"], &[0, 1, 2, 3]);
        check(&["User loves Utrecht", "User loves Rotterdam"], &[]);
        // Two conflicting statements are found even among hundreds of others.
        let filler: Vec<String> = (0..1_000).map(|n| format!("User likes song number {n} by band {n}")).collect();
        let mut many: Vec<&str> = filler.iter().map(String::as_str).collect();
        many.insert(10, "User lives in Utrecht");
        many.push("User no longer lives in Utrecht");
        check(&many, &[10, 1_001]);
    }

    #[test]
    fn what_the_reader_saw_says_what_cannot_both_be_so() {
        let claim = |content: &'static str, attribute: Attribute, is_negated: bool| Claim {
            content,
            fact: Some(FactDetail { attribute, is_negated, date: None }),
        };
        let check = |a: Claim<'_>, b: Claim<'_>, expect: Option<Conflict>| {
            assert_eq!(conflict(a, b), expect, "{a:?} against {b:?}");
            assert_eq!(conflict(b, a), expect, "{b:?} against {a:?}");
            assert_eq!(conflicting(&[a, b]).len(), if expect.is_some() { 2 } else { 0 }, "{a:?} and {b:?} of many");
        };
        use Attribute::{Child, Home, Origin, Pet};
        let porto = claim("User: “vivo em Porto”", Home, false);
        check(porto, claim("User: “mudei para Lisboa em maio”", Home, false), Some(Conflict::Value));
        check(porto, claim("User: “já não moro em Porto”", Home, true), Some(Conflict::Negated));
        check(porto, claim("User: “my flat is on the third floor”", Home, false), None);
        check(porto, claim("User: “I grew up in Braga”", Origin, false), None);
        check(
            claim("User: “my son is called Ben”", Child, false),
            claim("User: “my daughter is called Ida”", Child, false),
            None,
        );
        check(claim("User: “we have 2 cats”", Pet, false), claim("User: “we have 3 cats”", Pet, false), Some(Conflict::Value));
        check(claim("User: “our cat Miso is 3”", Pet, false), claim("User: “our dog Pixel is 7”", Pet, false), None);
        // Same form, but the second statement is not about where the speaker lives.
        check(
            claim("User: “I live in Utrecht”", Home, false),
            claim("User: “the parents live in Rotterdam”", Attribute::Parent, false),
            None,
        );
        check(
            claim("User: “I live in Utrecht”", Home, false),
            claim("User lives in Rotterdam", Home, false),
            Some(Conflict::Value),
        );
        check(claim("User: “I live in Utrecht”", Home, false), Claim::worded("User lives in Rotterdam"), None);
    }

    #[test]
    fn a_fingerprint_ignores_order_and_case_but_not_negation() {
        assert_eq!(fingerprint("User lives in Leeds with a dog"), fingerprint("User, with a Dog, lives in leeds."));
        assert_ne!(fingerprint("User is allergic to nuts"), fingerprint("User is not allergic to nuts"));
        assert_ne!(fingerprint("User is 41"), fingerprint("User is 42"));
    }
}
