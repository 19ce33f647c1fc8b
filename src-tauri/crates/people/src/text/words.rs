//! What a text is about, by its content words: enough to know a question again that is asked in other words.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use keepsake_domain::limits;
use unicode_segmentation::UnicodeSegmentation;

use crate::Similarity;

/// Two short texts with at least this share of content words in common are about one thing: "what's the deployment status?" and
/// "deployment status of the shop?" share two of three.
const SAME_OVERLAP: f32 = 0.6;

/// With vectors this alone decides: seed 004's bar for one insight.
const SAME_COSINE: f32 = limits::DUPLICATE_COSINE;

/// Between this cosine and [`SAME_COSINE`] two texts are alike in kind ("export as PDF", "export as CSV"), so they must have words
/// in common besides.
const ALIKE_COSINE: f32 = 0.6;
/// See [`ALIKE_COSINE`].
const ALIKE_OVERLAP: f32 = 0.3;

/// The content words of a text, each once, as stems in the order in which they stand.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (_, stem) in content_words_in(text) {
        if !words.contains(&stem) {
            words.push(stem);
        }
    }
    words
}

/// The content words of a text with their places, in bytes.
pub(super) fn content_words_in(text: &str) -> Vec<(Range<usize>, String)> {
    text.unicode_word_indices()
        .filter_map(|(at, raw)| {
            let lower = raw.to_lowercase().replace('’', "'");
            let word = lower.strip_suffix("'s").unwrap_or(&lower);
            let is_content = !STOP_WORDS.contains(word) && (word.chars().count() > 1 || word.chars().all(|c| c.is_ascii_digit()));
            is_content.then(|| (at..at + raw.len(), stem(word)))
        })
        .collect()
}

/// What a short text is about, read once: asked-for things are compared by the thousand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topic {
    text: String,
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl Topic {
    /// Reads a text.
    pub(crate) fn of(text: &str) -> Self {
        let words: BTreeSet<String> = content_words(text).into_iter().collect();
        let numbers = words.iter().filter(|word| word.chars().any(|c| c.is_ascii_digit())).cloned().collect();
        Self { text: text.to_owned(), words, numbers }
    }

    /// How many content words it has.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it has this word, by its stem.
    pub(crate) fn has(&self, stem: &str) -> bool {
        self.words.contains(stem)
    }

    /// The share of words in common.
    fn overlap(&self, other: &Self) -> f32 {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        if all == 0 { 0.0 } else { shared as f32 / all as f32 }
    }

    /// Whether both are about one thing, by their words or, where there are vectors, by their meaning.
    ///
    /// Numbers are not melted: "issue 12" and "issue 13" are two things whatever their vectors say.
    pub(crate) fn is_same(&self, other: &Self, similarity: Similarity<'_>) -> bool {
        if self.words.is_empty() || other.words.is_empty() || self.numbers != other.numbers {
            return false;
        }
        let shared = self.overlap(other);
        if shared >= SAME_OVERLAP {
            return true;
        }
        // Both orders, so that a function that is not symmetric cannot make the order matter.
        let (one, two) = (similarity(&self.text, &other.text), similarity(&other.text, &self.text));
        let cosine = one.into_iter().chain(two).max_by(f32::total_cmp);
        cosine.is_some_and(|cosine| cosine >= SAME_COSINE || cosine >= ALIKE_COSINE && shared >= ALIKE_OVERLAP)
    }
}

/// Whether two short texts are about one thing; see [`Topic::is_same`].
pub(crate) fn same_topic(a: &str, b: &str, similarity: Similarity<'_>) -> bool {
    Topic::of(a).is_same(&Topic::of(b), similarity)
}

/// A word without its commonest English ending. Rough on purpose: both sides are cut alike.
fn stem(word: &str) -> String {
    const KEPT_CHARS_MIN: usize = 3;
    if !word.is_ascii() {
        return word.to_owned();
    }
    let cut = ["ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "s"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|kept| kept.len() >= KEPT_CHARS_MIN && !word.ends_with("ss")))
        .unwrap_or(word);
    let cut = cut.strip_suffix(['e', 'y']).filter(|kept| kept.len() >= KEPT_CHARS_MIN).unwrap_or(cut);
    let bytes = cut.as_bytes();
    // "planning" → "plann" → "plan", as "plan" stays.
    let doubled = bytes.len() > KEPT_CHARS_MIN && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    cut[..cut.len() - usize::from(doubled)].to_owned()
}

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    [
        // English
        "a an the and or but nor so yet if then else when while where why how who whom whose which what that this these those there here",
        "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours ourselves",
        "they them their theirs themselves one ones someone somebody anyone anybody everyone everybody nobody something anything",
        "everything is am are was were be been being do does did done doing have has had having will would shall should can could",
        "may might must ought no yes yeah yep ok okay of in on at by for with about against between into through during",
        "before after above below to from up down out off over under again further once than too very just only own same such both each",
        "few more most other another some any all many much lot lots bit little less least enough several every either neither also",
        "really actually basically probably maybe perhaps definitely certainly simply quite rather pretty almost already always never",
        "often sometimes usually still even ever soon now today tonight tomorrow yesterday later ago back instead together",
        "because since until till unless although though however therefore like as via per please pls thanks thank sorry hi hello hey",
        "i'm i've i'd i'll you're you've you'd you'll it's it'd that's that'd there's what's where's how's who's we're we've we'll they're",
        "isn't aren't wasn't don't doesn't didn't can't couldn't won't wouldn't shouldn't haven't hasn't let's im ive dont cant didnt",
        "get gets got give gives gave tell tells told show shows make makes made want wants wanted need needs know knows let think say said",
        "help helps go goes going come look looking able thing things stuff way kind sort time times today's quick quickly news update",
        "updates question questions good great nice fine well good morning afternoon evening mean understand guess hope wonder remind",
        "new latest current currently right exactly possible",
        // German
        "der die das den dem des ein eine einen einem einer und oder aber denn wenn weil dass ob als wie wo wer was ich du er sie es wir",
        "ihr mich dich sich uns mir dir mein meine dein deine ist bin sind war habe hast hat haben wird kann kannst können nicht kein keine",
        "noch schon sehr auch nur mal ja nein zu zum zur von vom für mit bei nach in im an am auf aus bitte danke heute jetzt gibt",
        // Spanish, French, Portuguese
        "el la los las un una y o que qué no es en de del al por para con me te se mi tu su como cómo cuál hay está puedes favor",
        "le les des du et ou est sont je tu il elle nous vous pour dans sur avec mon ma mes ton ta quel quelle peux pouvez plaît svp",
        "os as uma e em do da dos das no na com meu minha você pode qual está por favor",
    ]
    .iter()
    .flat_map(|line| line.split_whitespace())
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::no_vectors;

    #[test]
    fn one_thing_in_other_words_is_one_thing() {
        let check = |a: &str, b: &str, is_same: bool| {
            assert_eq!(same_topic(a, b, &no_vectors), is_same, "{a:?} and {b:?}: {:?} {:?}", content_words(a), content_words(b));
            assert_eq!(same_topic(b, a, &no_vectors), is_same, "and the other way round");
        };
        check("What's the deployment status?", "deployment status of the shop", true);
        check("is the deployment running?", "Are the deployments running again?", true);
        check("export the notes as PDF", "Can you export my notes to PDF?", true);
        check("the status of issue 12", "the status of issue 13", false);
        check("the weather in Lyon", "the deployment status", false);
        check("how are you?", "what is it?", false);
    }

    #[test]
    fn meaning_decides_where_there_are_vectors_and_alikeness_needs_words_besides() {
        let check = |cosine: f32, a: &str, b: &str, is_same: bool| {
            assert_eq!(same_topic(a, b, &|_, _| Some(cosine)), is_same, "{a:?} and {b:?} at {cosine}");
        };
        check(0.9, "deployment status", "how is the rollout coming along", true);
        check(0.7, "deployment status", "how is the rollout coming along", false);
        check(0.7, "export notes as PDF", "save my notes in a PDF file", true);
        check(0.99, "issue 12", "issue 13", false);
    }
}
