//! How a clause is meant: stated, doubted, asked, imagined, or told of what somebody else said.

use keepsake_domain::Gate;

use crate::clause::{Clause, Mood, contains, low, matches_at, skip_fillers};
use crate::lexicon::*;
use crate::token::Token;

/// Conditions that only soften: "if it helps, i live in …".
const SOFTENERS: &[&str] = &[
    "that helps",
    "it helps",
    "that matters",
    "it matters",
    "you are wondering",
    "anyone is wondering",
    "you must know",
    "anyone cares",
    "you care",
    "relevant",
    "you were wondering",
    "anyone is interested",
    "that is relevant",
    "you are curious",
    "it is relevant",
    "it makes a difference",
    "that makes a difference",
    "you are asking",
    "that is useful",
    "it is useful",
    "not obvious",
    "i remember right",
    "i remember correctly",
    "anything",
    "i am honest",
    "i am being honest",
];

fn is_softener(tokens: &[Token], clause: &Clause) -> bool {
    SOFTENERS.iter().any(|phrase| {
        matches_at(tokens, clause.lo, clause.hi.max(clause.lo), phrase).is_some()
            || contains(tokens, clause.lo, (clause.hi + 4).min(tokens.len()), phrase) && clause.hi - clause.lo <= 4
    })
}

fn asks(tokens: &[Token], clause: &Clause) -> bool {
    let at = skip_fillers(tokens, clause.lo, clause.hi);
    if at >= clause.hi {
        return false;
    }
    let (word, next) = (low(tokens, at), low(tokens, at + 1));
    if ASKERS.contains(word) {
        return !(word == "any" && next.is_empty())
            && !(word == "what" && one_of(next, "a an"))
            && !(word == "when" && next == "i");
    }
    let is_inverted = PRONOUNS.contains(next)
        || DETERMINERS.contains(next)
        || one_of(next, "not you anyone anybody")
        || tokens.get(at + 1).is_some_and(|t| t.is_capital);
    AUXILIARIES.contains(word)
        && !(word == "may" && tokens[at].is_capital)
        && is_inverted
        && !(one_of(word, "do have had did can")
            && one_of(next, "a an the my not some this that these those any all both no each every it"))
}

pub(crate) fn set_moods(tokens: &[Token], out: &mut [Clause], is_question: bool) {
    let any_asks = out.iter().any(|c| asks(tokens, c) || c.opener.strip_prefix('\u{0}').is_some_and(|g| AUXILIARIES.contains(g)));
    let mut is_conditional = false;
    let mut reported = false;
    for n in 0..out.len() {
        let clause = out[n].clone();
        let (previous_lo, previous_hi) = if n > 0 { (out[n - 1].lo, out[n - 1].hi) } else { (0, 0) };
        let opener = clause.opener.as_str();
        let mood = if let Some(governor) = opener.strip_prefix('\u{0}') {
            governed(tokens, out, n, governor, previous_lo, previous_hi)
        } else if one_of(opener, "if unless whether") {
            if opener == "if" && is_softener(tokens, &clause) {
                Mood::Silent
            } else {
                is_conditional = true;
                Mood::Stopped(Gate::Hypothetical, "It stands under an \"if\".")
            }
        } else if n > 0
            && (opener == "which"
                && one_of(low(tokens, previous_hi.saturating_sub(2)), "laptop machine computer server phone desktop pc tablet")
                || opener == "who" && names_kin(tokens, previous_lo, previous_hi))
        {
            Mood::Plain
        } else if one_of(opener, "when whenever before after once until till where while whilst which who as then")
            && !(one_of(opener, "while whilst then"))
        {
            // "when i lived in Peru" says that one did.
            let (subject, verb) = (low(tokens, clause.lo), low(tokens, clause.lo + 1));
            let lived = one_of(opener, "when before after while since")
                && one_of(subject, "i we")
                && (one_of(verb, "lived worked studied taught")
                    || verb == "was"
                        && one_of(low(tokens, clause.lo + 2), "a an living working studying teaching in")
                        && opener == "when")
                && !is_question;
            let lost = one_of(opener, "since when after")
                && (clause.lo..(clause.lo + 3).min(clause.hi)).any(|k| KIN.contains(low(tokens, k)))
                && (clause.lo..clause.hi).any(|k| one_of(low(tokens, k), "died passed"));
            // "as i'm moving in may, i need …" gives a reason.
            let reason =
                opener == "as" && n == 0 && one_of(subject, "i we") && one_of(verb, "am have live work do are") && !is_question;
            if reason {
                Mood::Plain
            } else if lived || lost && !is_question {
                Mood::Hedged
            } else {
                Mood::Silent
            }
        } else if opener == "that" {
            governed(tokens, out, n, "that", previous_lo, previous_hi)
        } else {
            if one_of(opener, "but ; . ! —") || opener == "either" {
                reported = false;
            }
            // "imagine i live in Rome and have three cats": what joins on without a subject is imagined too.
            let joins_on =
                n > 0 && one_of(opener, "and or plus & , but") && matches!(out[n - 1].mood, Mood::Stopped(Gate::Hypothetical, _));
            if joins_on { out[n - 1].mood } else { Mood::Plain }
        };
        let mood = match mood {
            Mood::Plain | Mood::Hedged if is_conditional => {
                Mood::Stopped(Gate::Hypothetical, "It depends on an \"if\" in the same sentence.")
            }
            Mood::Plain | Mood::Hedged if asks(tokens, &clause) => {
                Mood::Stopped(Gate::QuestionOrRequest, "It asks instead of stating.")
            }
            Mood::Plain | Mood::Hedged
                if is_question
                    && (!any_asks && !states_before_asking(tokens, out, n)
                        || n + 1 == out.len() && n > 0 && asks(tokens, &out[n - 1]))
                    && !has_tag(tokens, &out[n..]) =>
            {
                Mood::Stopped(Gate::QuestionOrRequest, "The sentence is a question.")
            }
            Mood::Plain | Mood::Hedged
                if reported && low(tokens, clause.lo) == "i" || reported && one_of(opener, "and or that ,") =>
            {
                Mood::Stopped(Gate::NotAboutSubject, "It reports what somebody else said.")
            }
            other => other,
        };
        if matches!(mood, Mood::Stopped(Gate::NotAboutSubject, _)) {
            reported = true;
        }
        out[n].mood = mood;
    }
}

/// "i've been with you since 2011, i'm on a pension, and now you tell me it's online only??": the mark belongs to the last
/// clause alone when that one speaks to somebody and stands on its own.
fn states_before_asking(tokens: &[Token], out: &[Clause], n: usize) -> bool {
    let last = out.len() - 1;
    n < last
        && one_of(&out[last].opener, ", and but - — ( ;")
        && (out[last].lo..out[last].hi).any(|k| one_of(low(tokens, k), "you your anyone ok okay right correct what"))
}

/// "my sister", "my aunt Leela": what follows with "who" is said of her.
pub(crate) fn names_kin(tokens: &[Token], lo: usize, hi: usize) -> bool {
    let from = hi.saturating_sub(4).max(lo);
    (from..hi).any(|k| one_of(low(tokens, k), "my our") && (k + 1..hi).any(|j| KIN.contains(low(tokens, j)) && hi - j <= 2))
}

/// "i'm on Fedora, right?" asks for assent and states all the same.
fn has_tag(tokens: &[Token], rest: &[Clause]) -> bool {
    rest.get(1).is_some_and(|c| {
        c.hi - c.lo <= 3
            && one_of(low(tokens, c.lo), "right yeah ok okay suggestions ideas tips recommendations thoughts advice remember huh")
    })
}

/// How a clause is meant whose subject follows directly on `governor`.
fn governed(tokens: &[Token], out: &[Clause], n: usize, governor: &str, lo: usize, hi: usize) -> Mood {
    let left = skip_fillers(tokens, lo, hi);
    if left >= hi && governor != "that" {
        return if n > 0 && matches!(out[n - 1].mood, Mood::Stopped(..)) { out[n - 1].mood } else { Mood::Plain };
    }
    let own_head = (lo..hi).any(|k| low(tokens, k) == "i");
    if AUXILIARIES.contains(governor)
        && !(governor == "is"
            && (lo..hi).any(|k| one_of(low(tokens, k), "thing fact truth problem point issue reason news part")))
    {
        return Mood::Stopped(Gate::QuestionOrRequest, "It asks instead of stating.");
    }
    if own_head && (lo..hi).any(|k| one_of(low(tokens, k), "wish pretend imagine"))
        || one_of(governor, "pretend imagine suppose say assume wish supposing assuming") && !own_head
    {
        return Mood::Stopped(Gate::Hypothetical, "It is imagined or wished.");
    }
    if (lo..hi).any(|k| one_of(low(tokens, k), "say pretend imagine suppose assume")) && left + 1 >= hi && !own_head {
        return Mood::Stopped(Gate::Hypothetical, "It is imagined.");
    }
    if own_head {
        if (lo..hi).any(|k| one_of(low(tokens, k), "think guess suppose assume bet hope doubt feel imagine wonder reckon")) {
            return if (lo..hi).any(|k| one_of(low(tokens, k), "hope doubt wonder wish")) { Mood::Silent } else { Mood::Hedged };
        }
        if (lo..hi).any(|k| one_of(low(tokens, k), "not never") && !(k + 1..hi).any(|j| one_of(low(tokens, j), "forget mention")))
        {
            return Mood::Silent;
        }
        if (lo..hi).any(|k| one_of(low(tokens, k), "say said tell told know mean swear admit remember realise realised realize realized mention mentioned add forgot promise confess discovered learned found")) {
            return Mood::Plain;
        }
    }
    if governor == "that" && (lo..hi).any(|k| low(tokens, k) == "not") && !own_head {
        return Mood::Silent;
    }
    if one_of(governor, "tell see hear guess notice know that")
        && (lo..hi).any(|k| low(tokens, k) == "you")
        && !(lo..hi).any(|k| one_of(low(tokens, k), "not do did if what told said"))
    {
        return Mood::Plain;
    }
    if (lo..hi).any(|k| SPEECH.contains(low(tokens, k))) && !own_head && left < hi {
        return Mood::Stopped(Gate::NotAboutSubject, "It reports what somebody else said.");
    }
    let other_speaks = (lo..hi).any(|k| one_of(low(tokens, k), "he she they guy woman man lady someone somebody everyone"))
        && one_of(governor, "like all goes went says");
    if other_speaks {
        return Mood::Stopped(Gate::NotAboutSubject, "It reports what somebody else said.");
    }
    if one_of(
        governor,
        "y e et und that because and so but plus mind or is means meaning fyi btw since seeing although though yes no now given though",
    ) {
        return Mood::Plain;
    }
    if n > 0 && one_of(&out[n - 1].opener, "when since as after before while because once if") {
        return Mood::Plain;
    }
    if one_of(
        governor,
        "what who which where how why when whom whose like than as if though whether things everything anything all thing way time place one ones stuff",
    ) {
        return Mood::Silent;
    }
    // A run-on ("any dinner ideas im allergic to nuts") states; a relative clause ("the tool i use") does not.
    let noun_has_determiner = (hi.saturating_sub(3).max(lo)..hi).any(|k| {
        DETERMINERS.contains(low(tokens, k)) && low(tokens, k) != "no"
            || one_of(low(tokens, k), "only first last best worst most")
    });
    let complement = out[n].hi - out[n].lo;
    let last = low(tokens, out[n].hi.saturating_sub(1));
    if hi - lo >= 2 && !noun_has_determiner && complement >= 3 && !PREPOSITIONS.contains(last)
        || hi - lo >= 5 && one_of(low(tokens, out[n].lo + 1), "am have") && complement >= 3 && !PREPOSITIONS.contains(last)
    {
        return Mood::Plain;
    }
    Mood::Silent
}
