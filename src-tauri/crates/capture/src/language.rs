//! Tells a sentence in another language from an English one, and a denial in it from a claim.
//!
//! The rules for English look for "not" and for "my sister"; they would take "ich wohne nicht in Berlin" for a claim and "ma sœur
//! habite à Lyon" for the speaker's own home. So they must know what they are not made for. In doubt a sentence is not English:
//! that costs a proposal, the other error would put words into somebody's mouth.
//!
//! A whole message that is plainly in another language the English rules do not read at all ([`is_plainly_foreign`]): there a
//! doubt leaves it read, so that no short English is lost.
//!
//! Deliberately not here: reading any other language.

use whatlang::{Detector, Lang};

use crate::lexicon::{base_of_ing, base_of_past, base_of_third, is_known_verb, one_of};

/// Small words that hardly an English sentence goes without.
const ENGLISH: &str = "i my me mine we our us the a an is am are was were be been to in of for with and but have has had not do does
    did at on from it its that this these those you your he she they his her their him them so if or as by can will would just about
    when who what how no yes very too never always m s ve ll re d t";

/// Small words of German, French, Spanish, Italian, Portuguese and Dutch that English does not have.
const OTHERS: &str = "ich wir uns der das den dem ein eine einen einem einer nicht kein keine keinen und mit für ist sind habe mein
    meine meinen meiner meinem auf von zu zum zur im seit auch aber wenn weil wohne arbeite heiße nie
    je j tu il elle nous vous les une est suis pas ne mon ma mes sa ses avec pour dans chez depuis et mais qui que qu l au aux du moi
    yo el los las un una es soy mi mis su con para por en pero y desde vivo tengo gusta muy
    io lo gli è sono non mio mia per che di da ho abito lavoro della nel
    eu os um uma é sou não nao meu minha com em mas e do da dos das moro tenho gosto
    ik jij hij zij het een de niet geen mijn van voor op te ben heb maar woon werk nooit";

/// Words by which those languages deny.
const DENIALS: &str = "nicht nichts kein keine keinen keinem keiner nie niemals ohne kaum hasse
    ne n pas jamais aucun aucune rien sans guère déteste plus
    no nunca jamás sin nada ningún ninguna tampoco odio ya
    non mai niente nessun nessuna senza odio più
    não nao nem sem nenhum nenhuma odeio detesto já
    niet geen nooit niets zonder haat";

/// From so many words on a sentence says by some of them that it is English.
const WORDS_MIN: usize = 3;

/// Where one of so many words is a small English one, the message is English.
const SMALL_WORDS_SHARE: usize = 4;

/// From so many words on a message's language can be told.
const WORDS_SURE: usize = 4;

fn words(sentence: &str) -> Vec<String> {
    let lower = sentence.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Scripts that English is never written in.
fn is_other_script(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{97f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Whether a message is in another language beyond doubt.
///
/// The likeliest language is weighed against English alone: against all others Danish is never sure, it could be Norwegian.
pub(crate) fn is_plainly_foreign(message: &str) -> bool {
    // Of fewer words no detector is sure, and short English is common.
    let words = words(message);
    if words.len() < WORDS_SURE && !message.chars().any(is_other_script) {
        return false;
    }
    // A foreign name or word in an English sentence misleads a detector that counts letters.
    if words.iter().filter(|word| one_of(word, ENGLISH)).count() * SMALL_WORDS_SHARE >= words.len() {
        return false;
    }
    let Some(likeliest) = whatlang::detect_lang(message).filter(|lang| *lang != Lang::Eng) else { return false };
    Detector::with_allowlist(vec![likeliest, Lang::Eng])
        .detect(message)
        .is_some_and(|found| found.lang() != Lang::Eng && found.is_reliable())
}

/// Whether the sentence is in another language than English, as far as can be told.
pub(crate) fn is_foreign(sentence: &str) -> bool {
    if sentence.chars().any(is_other_script) {
        return true;
    }
    let words = words(sentence);
    let count = |list: &str| words.iter().filter(|word| one_of(word, list)).count();
    let (english, others) = (count(ENGLISH), count(OTHERS));
    let is_verb = |word: &String| {
        let bases = [Some(word.clone()), base_of_third(word), base_of_past(word), base_of_ing(word)];
        bases.into_iter().flatten().any(|base| is_known_verb(&base))
    };
    others > english || english == 0 && words.len() >= WORDS_MIN && !words.iter().any(is_verb)
}

/// Whether a clause in one of those languages denies what it says.
pub(crate) fn denies(clause: &str) -> bool {
    words(clause).iter().any(|word| one_of(word, DENIALS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_other_languages() {
        let check = |sentence: &str, expect: bool| assert_eq!(is_foreign(sentence), expect, "{sentence}");
        check("I moved to Rio de Janeiro", false);
        check("love long walks", false);
        check("vegan btw", false);
        check("29, from Recife", false);
        check("My sister lives in San Luis de la Paz", false);
        check("I had the plat du jour at Chez Nous", false);
        check("Ich wohne nicht in Berlin", true);
        check("Ma sœur habite à Lyon", true);
        check("Sono vegetariana", true);
        check("Abito a Torino e lavoro come infermiera", true);
        check("Ik woon in Utrecht", true);
        check("Não moro em Lisboa", true);
        check("Jag är inte vegan", true);
        check("私は東京に住んでいます", true);
    }

    #[test]
    fn a_message_in_another_language_is_left_unread_and_short_english_is_not() {
        let check = |message: &str, expect: bool| assert_eq!(is_plainly_foreign(message), expect, "{message}");
        check("I live in Lyon", false);
        check("I love paella", false);
        check("im vegan btw", false);
        check("I do karate", false);
        check("allergic to nuts", false);
        check("nope, still renting in Porto", false);
        check("I am Ana, I play tennis and I do yoga in Torino", false);
        check("e\u{301}té — I'm allergic to peanuts.", false);
        check("Jag bor i Malmö med min fru och arbetar som lärare.", true);
        check("Jeg bor i Aarhus og arbejder som sygeplejerske", true);
        check("Ik woon in Utrecht en ik werk als verpleegkundige", true);
        check("Je parle de politique", true);
        check("Vivo en Sevilla y trabajo de enfermera", true);
        check("私は東京に住んでいます", true);
    }
}
