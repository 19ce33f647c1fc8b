//! Which language a message is in, and that language's small words.
//!
//! Five languages by their function words: enough to keep "the" and "aber" out of topics and to know when the English
//! sentence rules may not speak. Deliberately no model and no dictionary.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A language whose function words are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    English,
    German,
    Spanish,
    French,
    Portuguese,
    /// None of these, by its letters.
    Other,
}

/// A message says its language when at least this many of its words are function words of one language.
const TELLING_WORDS_MIN: usize = 2;

/// No more words than this are read to tell a language.
const TELLING_WORDS_READ_MAX: usize = 200;

const TELLING: &[(Language, &str)] = &[
    (
        Language::English,
        "a as the and is are was i you my we it that of to in he she for with have this not but they be been were your our im don't it's i'm an at \
         what how can would just about from",
    ),
    (
        Language::German,
        "der die das und ich nicht ist ein eine mit wir sie auf für von zu den dem aber auch habe hat mein meine es noch wie war sind \
         uns schon einen",
    ),
    (
        Language::Spanish,
        "el la los las y que no es un una con por para mi me lo se del al pero como más estoy está muy he nos hay yo ya en de",
    ),
    (
        Language::French,
        "le la les et je ne pas est un une avec pour mon ma mes nous vous il elle que qui dans sur du des mais j'ai c'est très au \
         suis on ai de",
    ),
    (
        Language::Portuguese,
        "o a os as e que não é um uma com por para meu minha eu do da no na mas muito estou está foi nós você ao dos das em de",
    ),
];

impl Language {
    /// The language of `text`; `usual` where it is too short to say.
    pub(crate) fn of(text: &str, usual: Self) -> Self {
        let mut counts = [0usize; 5];
        let (mut letters, mut latin) = (0usize, 0usize);
        for word in text.split_whitespace().take(TELLING_WORDS_READ_MAX) {
            for c in word.chars().filter(|c| c.is_alphabetic()) {
                letters += 1;
                latin += usize::from((c as u32) < 0x250);
            }
            let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
            for (count, words) in counts.iter_mut().zip(TELLING_SETS.iter()) {
                *count += usize::from(words.contains(word.as_str()));
            }
        }
        if letters > 0 && latin * 2 < letters {
            return Self::Other;
        }
        let best = counts.iter().copied().max().unwrap_or(0);
        if best < TELLING_WORDS_MIN {
            return if usual == Self::Other { Self::English } else { usual };
        }
        // A tie goes to the language spoken so far, then to the first in the table.
        let usual_count = TELLING.iter().position(|(language, _)| *language == usual).map_or(0, |at| counts[at]);
        if usual_count == best {
            return usual;
        }
        counts.iter().position(|count| *count == best).and_then(|at| TELLING.get(at)).map_or(usual, |(language, _)| *language)
    }
}

static TELLING_SETS: LazyLock<Vec<HashSet<&'static str>>> =
    LazyLock::new(|| TELLING.iter().map(|(_, words)| words.split_whitespace().collect()).collect());

fn set(words: &'static [&'static str]) -> HashSet<&'static str> {
    words.iter().flat_map(|line| line.split_whitespace()).collect()
}

/// Words that are never part of a topic, in any of the five languages.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Nouns that name nothing: "thing", "way", "lot".
pub(crate) fn is_vague_noun(word: &str) -> bool {
    VAGUE_NOUNS.contains(word)
}

/// Articles, possessives, demonstratives, quantifiers and prepositions after which a noun stands.
pub(crate) fn is_determiner(word: &str) -> bool {
    DETERMINERS.contains(word)
}

/// Personal pronouns that open a clause.
pub(crate) fn is_pronoun(word: &str) -> bool {
    matches!(word, "i" | "you" | "we" | "they" | "he" | "she" | "it" | "this" | "that" | "these" | "those" | "there" | "someone")
}

/// Common English verbs in the forms that are not also everyday nouns.
pub(crate) fn is_verb_form(word: &str) -> bool {
    if VERBS.contains(word) {
        return true;
    }
    let base = |cut: &str| {
        let doubled = cut.len() > 2 && cut.as_bytes().last() == cut.as_bytes().get(cut.len() - 2);
        VERBS.contains(cut)
            || VERBS.contains(format!("{cut}e").as_str())
            || doubled && VERBS.contains(cut.get(..cut.len() - 1).unwrap_or(""))
    };
    ["ing", "ed", "es", "s"].iter().any(|ending| word.is_ascii() && word.strip_suffix(ending).is_some_and(base))
}

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    set(&[
        // English
        "a an the and or but nor so yet if then else when while where why how who whom whose which what that this these those there here",
        "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours ourselves",
        "they them their theirs themselves one ones someone somebody anyone anybody everyone everybody nobody something anything",
        "everything nothing is am are was were be been being do does did done doing have has had having will would shall should can could",
        "may might must ought not no nope yes yeah yep yup ok okay of in on at by for with about against between into through during",
        "before after above below to from up down out off over under again further once than too very just only own same such both each",
        "few more most other another some any all many much lot lots bit little less least enough several every either neither also",
        "really actually basically probably maybe perhaps definitely certainly simply quite rather pretty almost already always never",
        "often sometimes usually still even ever soon now today tonight tomorrow yesterday later ago away back instead together apart",
        "because since until till unless although though however therefore thus hence otherwise anyway besides meanwhile like as via per",
        "hi hello hey thanks thank please sorry welcome bye goodbye cheers congrats sure right well oh ah um uh wow hmm haha lol omg btw fyi",
        "good great nice fine bad better best worse worst new old big small large long short high low early late next last first second",
        "third different possible able ready easy hard difficult simple important main whole full whatever whenever wherever whoever",
        "'s am's 'm 're 've 'll 'd n't etc eg ie vs im ive dont didnt cant wont gonna wanna gotta kinda sorta let's lets",
        "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september",
        "october november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec morning afternoon evening",
        "night noon am pm two three four five six seven eight nine ten hundred thousand million half couple dozen zero",
        "awesome amazing exciting excited glad happy sad cool wonderful fantastic lovely beautiful perfect true false real true okay",
        "around without within along across behind beyond near toward towards upon among amongst despite except outside inside onto",
        "super totally absolutely completely especially exactly finally currently recently eventually especially honestly literally",
        "obviously apparently seriously hopefully unfortunately luckily clearly mostly nearly hardly barely roughly slightly extremely",
        "others regarding tough positive negative rewarding contemporary favorite favourite upcoming alone alike available aware certain clear close common complete correct due exact extra free hopeful interesting interested",
        "likely necessary normal obvious particular past previous proper quick recent regular related rest separate similar single special",
        "specific strong usual various weird wrong worth yourselves zone",
        // German
        "der die das den dem des ein eine einen einem einer eines und oder aber denn doch sondern wenn weil dass ob als wie wo wer was",
        "ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihnen mein meine meinen meinem meiner dein deine sein seine ihre ihren",
        "unser unsere euer ist bin bist sind seid war waren wäre habe hast hat haben hatte hatten wird werden wurde würde kann kannst können",
        "konnte muss müssen soll sollen will wollen darf mag möchte nicht kein keine keinen nie immer noch schon sehr auch nur mal ja nein",
        "hier da dort dann jetzt heute morgen gestern so zu zum zur von vom für mit bei beim nach vor in im an am auf aus über unter um durch",
        "gegen ohne bis seit während wegen man alle alles etwas nichts viel viele mehr ganz gar eben halt also danke bitte hallo gut gute",
        "neue neuen neuer neues letzte letzten nächste nächsten wirklich vielleicht einfach wieder zwischen diese dieser dieses diesen",
        "jahr jahre jahren woche wochen monat tag tage sie's ding sache dinge sachen",
        // Spanish
        "el la los las un una unos unas y e o u pero porque que si cuando donde como cual quien lo le les me te se nos os mi mis tu tus su",
        "sus yo tú él ella ellos ellas nosotros usted ustedes de del al a en con por para sin sobre entre desde hasta es son era fue ser",
        "estar estoy está están estaba hay he ha han había haber tengo tiene tienen tener hacer hago hace voy va vamos ir puede puedo quiero",
        "quiere no sí muy más menos ya también tampoco todo toda todos todas nada algo alguien nadie este esta esto estos estas ese esa eso",
        "hoy ayer mañana ahora luego después antes siempre nunca bien mal gracias hola favor bueno buena mucho mucha muchos muchas poco cosa",
        "cosas vez veces año años semana mes día días nuestro nuestra nuestros nuestras otro otra así aquí allí verdad",
        // French
        "le la les un une des du de et ou mais donc car ni que qui quoi dont où quand comme si je tu il elle on nous vous ils elles me te se",
        "lui leur leurs y en mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces ça cela c'est j'ai suis es est sommes êtes",
        "sont était étais ai as a avons avez ont avait être avoir fait faire fais vais va aller peux peut veux veut ne pas plus moins très",
        "bien mal aussi encore déjà toujours jamais rien tout toute tous toutes avec sans pour par dans sur sous entre chez vers depuis",
        "pendant avant après aujourd'hui hier demain maintenant merci bonjour salut oui non chose choses fois an ans année années semaine",
        "mois jour jours beaucoup peu trop parce vraiment peut-être j'étais n'est qu'il d'un d'une au aux alors là ici",
        // Portuguese
        "o a os as um uma uns umas e ou mas porque que se quando onde como qual quem eu tu ele ela nós vós eles elas você vocês me te lhe",
        "nos meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas de do da dos das em no na nos nas num numa por pelo",
        "pela para com sem sobre entre desde até é são era foi ser estar estou está estão estava há tem tenho têm ter fazer faço faz vou vai",
        "vamos ir posso pode quero quer não sim muito muita muitos mais menos já também tudo todo toda todos nada algo alguém ninguém este",
        "esta isto esse essa isso hoje ontem amanhã agora depois antes sempre nunca bem mal obrigado obrigada olá coisa coisas vez vezes ano",
        "anos semana mês dia dias outro outra assim aqui ali ao aos à às ainda só então",
    ])
});

static VAGUE_NOUNS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    set(&[
        "thing things stuff way ways kind kinds sort sorts type types piece pieces part parts time times day days week weeks month months",
        "year years hour hours minute minutes moment moments while people person guy guys folk folks man men woman women someone place",
        "places end start beginning middle side sides top bottom point points case cases reason reasons fact facts idea ideas question",
        "questions answer answers problem problems issue issues example examples number numbers amount amounts rest mind mood luck fun",
        "chance chances sense feeling feelings word words detail details step steps option options choice choices matter matters help",
        "bunch ton tons line lines look looks deal deals weekend weekends world life lives use name names head hand hands today's future",
        "advice goal goals support tip tips list lists item items situation situations situation's version versions change changes set",
        "sets level levels area areas form forms order view views note notes date dates period half quarter second seconds minute's anyone",
        "guess course thought thoughts try tries plan plans work works result results effort efforts opportunity opportunities",
        "experience experiences info information content message messages conversation conversations chat hope heart smile sound sounds",
        "value values difference differences blast group groups impact passion passions journey journeys memory memories ride team teams inconvenience value values pair min max gonna pic pics photo photos picture pictures",
    ])
});

static DETERMINERS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    set(&[
        "a an the my your his her its our their this these those some any no every each another of in on at for with from about into",
        "between through during after before without over under against by via than per",
        "der die das den dem des ein eine einen einem einer mein meine meinen meiner unser unsere für von mit im zum zur beim vom",
        "el la los las un una mi mis su sus nuestro nuestra del al",
        "le la les l' un une mon ma mes notre nos votre du des au aux ce cette",
        "o a os as um uma meu minha meus minhas nosso nossa do da dos das no na ao",
    ])
});

static VERBS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    set(&[
        "want wanted need know knew known think thought feel felt go goes going went gone get gets got getting gotten make made take took",
        "taken come came see saw seen say said tell told ask give gave given find found keep kept let put seem become became leave left",
        "begin began begun bring brought buy bought catch caught choose chose chosen decide do eat ate eaten enjoy expect explain fail",
        "fall fell fallen fix forget forgot forgotten happen hate hear heard hold held hope include involve join learn lose lost love mean",
        "meant meet met miss mention move occur offer open pay paid pick prefer prepare provide pull push read realize realise receive",
        "recommend remember remind remove replace require run ran save seek sell sold send sent show shown sit sat solve sort sound speak",
        "spoke spoken spend spent stand stood stay stop suggest suppose switch talk teach taught thank throw threw try understand",
        "understood wait walk watch wear wonder write wrote written wish worry believe consider continue create add agree allow appear",
        "apply argue arrive avoid build built break broke broken care carry check compare complete contain cook cut deal deliver depend",
        "describe deserve discover discuss drive drove driven drop ensure exist fit follow gather grow grew grown guess handle help hit hurt",
        "imagine improve increase kill lead led lie listen live manage mind notice produce protect prove raise reach recover reduce refuse",
        "relax rely repeat reply rest return ride rode save seem separate serve settle share shut sign sing sleep slept smile start stick",
        "stuck struggle study succeed suffer survive tend touch treat trust turn use visit vote wake woke warn win won work cry laugh",
        "contact install update upgrade click explore celebrate inspire encourage attend motivate connect handle grab chat wrap figure",
        "gonna makes keeps gets seems tried trying is're hang hung dig die dying pass bet appreciate love loved excite enjoyed amaze",
    ])
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_its_language_by_its_small_words() {
        let cases = [
            ("I think the kitchen is done and we love it", Language::English),
            ("Ich habe die Küche fertig und wir sind sehr froh", Language::German),
            ("Estoy muy cansado, pero el viaje a Lisboa es para mi madre", Language::Spanish),
            ("Je suis très fatigué mais le voyage est pour ma mère", Language::French),
            ("Estou muito cansado, mas a viagem é para minha mãe", Language::Portuguese),
            ("今日は元気です", Language::Other),
            ("Lisbon!", Language::English),
        ];
        for (text, language) in cases {
            assert_eq!(Language::of(text, Language::English), language, "{text:?}");
        }
        assert_eq!(
            Language::of("Lisboa!", Language::Portuguese),
            Language::Portuguese,
            "a short message keeps the usual language"
        );
    }
}
