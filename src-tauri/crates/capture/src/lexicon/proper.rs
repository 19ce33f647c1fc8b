//! Names that informal writing leaves in lower case, so that a rewritten sentence can give them their capital.

use super::words;

words! {
    /// Months, weekdays, languages, peoples, countries, large cities and common proper names in lower case.
    PROPER = "january february april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
        mondays tuesdays wednesdays thursdays fridays saturdays sundays christmas easter ramadan diwali hanukkah halloween
        english french german spanish italian portuguese dutch swedish norwegian danish finnish icelandic russian ukrainian polish czech
        slovak hungarian romanian bulgarian greek turkish arabic hebrew persian farsi hindi urdu bengali punjabi tamil telugu marathi gujarati
        nepali sinhala thai vietnamese chinese mandarin cantonese japanese korean tagalog malay indonesian swahili yoruba igbo hausa
        amharic zulu xhosa afrikaans welsh irish gaelic scottish basque catalan galician breton latin esperanto serbian croatian
        bosnian slovenian albanian macedonian estonian latvian lithuanian armenian georgian uzbek kazakh mongolian tibetan maltese
        british american canadian mexican brazilian argentinian australian indian pakistani european african asian swiss austrian belgian
        jewish muslim christian catholic hindu buddhist sikh protestant
        mormon quaker lutheran methodist baptist glaswegian londoner parisian
        england scotland wales ireland britain france germany spain italy portugal netherlands holland belgium switzerland austria
        poland hungary romania bulgaria greece russia ukraine sweden norway denmark finland iceland estonia latvia lithuania
        croatia serbia slovenia slovakia albania malta cyprus usa uk america canada mexico brazil argentina peru colombia
        venezuela ecuador bolivia uruguay paraguay cuba jamaica haiti australia zealand india pakistan bangladesh nepal china japan korea
        vietnam thailand malaysia singapore indonesia philippines taiwan iran iraq israel palestine lebanon syria egypt morocco tunisia
        algeria nigeria ghana kenya ethiopia uganda tanzania zambia zimbabwe africa europe asia antarctica
        london manchester birmingham leeds liverpool bristol sheffield newcastle nottingham glasgow edinburgh cardiff belfast dublin cork
        galway oxford cambridge brighton york paris lyon marseille bordeaux toulouse nantes berlin hamburg munich cologne frankfurt stuttgart
        leipzig dresden vienna salzburg graz zurich geneva basel bern amsterdam rotterdam utrecht hague brussels antwerp ghent bruges
        madrid barcelona valencia seville bilbao granada lisbon porto rome milan naples turin florence venice bologna athens
        thessaloniki istanbul ankara izmir warsaw krakow gdansk wroclaw prague brno budapest bucharest sofia belgrade zagreb ljubljana
        sarajevo kyiv kiev lviv moscow stockholm gothenburg malmö oslo bergen copenhagen aarhus helsinki tampere reykjavik tallinn riga
        vilnius york boston chicago seattle portland denver austin dallas houston miami atlanta philadelphia detroit phoenix oakland
        toronto montreal vancouver ottawa calgary quebec tokyo osaka kyoto sapporo seoul busan beijing shanghai shenzhen taipei bangkok
        hanoi saigon jakarta bali manila mumbai delhi bangalore bengaluru chennai kolkata hyderabad pune karachi lahore dhaka kathmandu
        colombo dubai doha riyadh tehran baghdad beirut jerusalem cairo casablanca marrakech tunis lagos accra kumasi nairobi kampala
        johannesburg durban sydney melbourne brisbane perth adelaide hobart auckland wellington christchurch lima bogota medellin
        quito santiago montevideo caracas havana rio recife salvador
        python rust java javascript typescript haskell kotlin swift ruby elixir erlang clojure scala perl fortran cobol linux fedora debian
        ubuntu windows android emacs nixos django kubernetes docker postgres firefox chrome google microsoft apple amazon netflix spotify
        nhs ibm adhd ptsd ocd phd mba bbc ikea tesco lego kyrgyzstan sicily sardinia corsica tuscany bavaria brittany normandy cornwall
        devon yorkshire texas california florida alaska hawaii oregon ohio michigan colorado vermont maine scotland patagonia
        minecraft instagram facebook twitter youtube netflix";
}
words! {
    /// Languages, which one speaks well or badly.
    LANGUAGES = "english french german spanish italian portuguese dutch swedish norwegian danish finnish icelandic russian ukrainian polish czech
        slovak hungarian romanian bulgarian greek turkish arabic hebrew persian farsi hindi urdu bengali punjabi tamil telugu marathi
        gujarati nepali thai vietnamese chinese mandarin cantonese japanese korean tagalog malay indonesian swahili yoruba igbo
        zulu xhosa afrikaans welsh irish gaelic basque catalan galician breton latin esperanto serbian croatian albanian estonian latvian
        lithuanian armenian georgian maltese bsl asl";
}

/// Month names, English.
pub(crate) const MONTHS: &str = "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec";

/// Weekday names, English, singular and plural.
pub(crate) const WEEKDAYS: &str =
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays";

/// The capital form of a word that informal writing left small: `rotterdam` gives `Rotterdam`, `adhd` gives `ADHD`.
pub(crate) fn capitalised(word: &str) -> Option<String> {
    if !PROPER.contains(word) {
        return None;
    }
    if matches!(word, "adhd" | "ptsd" | "ocd" | "nhs" | "ibm" | "mba" | "bbc" | "usa" | "uk") {
        return Some(word.to_uppercase());
    }
    match word {
        "phd" => Some("PhD".to_owned()),
        "nixos" => Some("NixOS".to_owned()),
        "javascript" => Some("JavaScript".to_owned()),
        "typescript" => Some("TypeScript".to_owned()),
        "youtube" => Some("YouTube".to_owned()),
        "cobol" => Some("COBOL".to_owned()),
        _ => {
            let mut chars = word.chars();
            chars.next().map(|first| first.to_uppercase().chain(chars).collect())
        }
    }
}
