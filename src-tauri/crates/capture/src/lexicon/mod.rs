//! Word lists: what a word can be, never what a sentence means.
//!
//! Lists are plain text so that they can be read and extended by anybody; each is built into a set once.

mod nouns;
mod proper;
mod verbs;

use std::collections::HashSet;
use std::sync::LazyLock;

pub(crate) use nouns::*;
pub(crate) use proper::*;
pub(crate) use verbs::*;

/// A list of words, built once.
pub(crate) type WordSet = LazyLock<HashSet<&'static str>>;

/// Declares a [`WordSet`] from white-space separated text.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) static $name: $crate::lexicon::WordSet =
            std::sync::LazyLock::new(|| $text.split_whitespace().collect());
    )*};
}
pub(crate) use words;

words! {
    /// Words that may stand before a statement and carry nothing.
    FILLERS = "so well oh ok okay yeah yep yes yup no nope nah hi hey hello hiya yo haha hahaha lol lmao btw fyi also and but anyway
        anyways honestly actually tbh ngl plus right now alright hmm hm um uh ah aha omg wow look listen again obviously basically
        personally frankly funnily sadly luckily unfortunately fortunately sorry please thanks thx cheers ps p.s incidentally admittedly
        apparently technically though still although seriously aw aww ugh dang damn jeez god gosh man dude mate bro folks guys all
        everyone ooc irl imo imho edit update ha heh hehe huh mhm sure fine great perfect cool nice exactly true absolutely definitely
        essentially ideally realistically finally first second third firstly secondly lastly next then otherwise moreover
        besides context disclaimer confession psa correction morning evening afternoon good btw, er erm oops whoops ah ooh eh well,";
    /// Adverbs dropped from a rewritten statement: they colour the saying and not the fact.
    ADVERBS_DROPPED = "actually really just also honestly basically literally totally kinda obviously personally even simply truly
        definitely absolutely certainly seriously technically frankly genuinely already sadly luckily unfortunately fortunately
        lol tbh ngl admittedly apparently kind sort of naturally clearly proudly fyi btw quite both happily all very so only-just
        officially essentially though well too pretty hereby finally weirdly strangely somehow oddly much";
    /// Adverbs kept in a rewritten statement: without them it would say something else.
    ADVERBS_KEPT = "always usually often never rarely hardly seldom sometimes regularly mostly mainly generally typically normally
        currently still once twice only recently religiously barely occasionally frequently originally previously formerly newly
        primarily exclusively nearly almost now lately scarcely secretly strictly first constantly mildly severely deeply badly
        seriously probably long partially partly allegedly supposedly temporarily potentially possibly visually legally";
    /// Words that bind a present-tense action to a habit.
    FREQUENCY = "always usually often never rarely seldom sometimes regularly mostly mainly generally typically normally every each
        daily weekly monthly yearly mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays mornings evenings
        nights constantly occasionally frequently religiously";
    /// Words that bind a statement to this day.
    TODAY = "today tonight tomorrow yesterday rn atm";
    /// Subject pronouns that begin another clause.
    PRONOUNS = "i we you he she it they there this that these those who";
    /// Auxiliaries; before a pronoun they ask.
    AUXILIARIES = "am are is was were do does did have has had can could will would shall should may might must";
    /// Words that open a question.
    ASKERS = "what whats who whose whom which where when why how any anyone anybody suggestions recommendations thoughts ideas tips
        advice wheres hows whos";
    /// Determiners.
    DETERMINERS = "a an the my our your his her its their this that these those some any every each no another both several";
    /// Prepositions, after which no statement ends.
    PREPOSITIONS = "in on at from to of for with by about into onto over under near around through between against without within
        during since until till as off up out across behind beside towards toward per via than like after before";
    /// Closed-class words that say nothing about a topic; left out when contents are compared.
    STOPWORDS = "a an the and or but if of in on at to for from with by about as is are was were be been being am do does did have
        has had will would can could may might must should shall not no i me my mine we us our you your he him his she her it its they them their
        this that these those there here who which what when where why how so too very just also really actually now still
        user user's s than then into out up over off some any each every one";
}

/// Whether `word` is one of the white-space separated words of `list`. For short lists beside their one use.
pub(crate) fn one_of(word: &str, list: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|w| w == word)
}
