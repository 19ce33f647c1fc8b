//! Tests that numbers with a money indicator are masked as amounts of money, and that numbers without one are kept.

use super::*;

/// Numbers in the notations of various countries, without any sign of money.
const NUMBERS: &[&str] = &["5", "50", "1,234.56", "1.200,50", "1'200", "1 200", "12,34,567", "0.99", "2500000", "1’000’000.00"];

/// Money indicators that turn a number (`{}`) into an amount.
const DRESSES: &[&str] = &[
    "${}", "$ {}", "US${}", "A${}", "€{}", "€ {}", "{} €", "{}€", "£{}", "¥{}", "₹{}", "₹ {}", "R$ {}", "USD {}", "{} USD",
    "EUR {}", "{} EUR", "CHF {}", "{} CHF", "usd {}", "{} usd", "Rs. {}", "Rs {}", "{} dollars", "{} euros", "{} Euro",
    "{} bucks", "{} US dollars", "{} rupees", "{} yen", "{} kr", "-${}", "{} zł", "{} PLN", "＄{}", "{}\u{a0}€", "{} руб",
    "{} francs", "Fr. {}",
];

/// Amounts that the combinations of `NUMBERS` and `DRESSES` do not cover.
const OTHERS: &[&str] = &[
    "$2M", "$2.5M", "$2.5 million", "$3bn", "$3 bn", "$1.2B", "$10k", "$10K", "US$5m", "USD 2 million", "USD 2m", "USD2M",
    "EUR 1,2 Mio.", "1,2 Mio. €", "1,2 Mio €", "3 Mrd. Euro", "50k USD", "50k dollars", "50K euros", "5k€", "5 k€", "5 M€",
    "2 M€", "5kUSD", "5 lakh", "5 lakhs", "5 lakh rupees", "₹5 lakh", "Rs 5 crore", "2 crore", "1.5 crore rupees", "CHF 1'200",
    "CHF 1'200.-", "Fr. 1'200.–", "1.200,- €", "1200,- EUR", "two million dollars", "two hundred euros", "a hundred bucks",
    "half a million pounds", "twenty-five thousand euros", "one dollar", "five grand", "5 grand", "50 quid", "fifty quid",
    "five lakh rupees", "fünfzig Euro", "zwei Millionen Euro", "fünfhunderttausend Euro", "zweitausend Franken",
    "deux millions d'euros", "2 millions d'euros", "dos millones de dólares", "2 millones de euros", "$5-10k", "$5–$10",
    "$500 - $700", "5 to 10 million dollars", "5-10 million euros", "€5 bis 10 Mio.", "5 bis 10 Euro", "-$5", "$-5", "($5.00)",
    "99 cents", "99¢", "50 pence", "¥5万", "500円", "100万円", "100元", "₩1,000,000", "₪500", "₺100", "₽5000", "₴100", "₿0.5",
    "0.5 BTC", "2 bitcoins", "300 AED", "AED 300", "1000 HUF", "500 Kč", "1 000 000 SEK", "kr 500", "500 kroner", "TRY 1,500",
    "1,500 TRY", "COP 50,000", "20 pounds", "£20", "2,000 pounds sterling", "100 Canadian dollars", "100 U.S. dollars", "$5/hr",
    "$1,234.56", "$0.05", "５０ドル", "＄５００", "５００ ＵＳＤ", "$\u{200B}500", "$2\u{200B}M", "2 million dollars",
    "$2 trillion", "200 million USD", "six figures of 100,000 dollars",
];

#[test]
fn at_least_98_of_100_amounts_are_found_whole() {
    let grid: Vec<String> = DRESSES.iter().flat_map(|dress| NUMBERS.iter().map(|number| dress.replace("{}", number))).collect();
    let mut total = 0;
    let mut missed = Vec::new();
    for amount in grid.iter().map(String::as_str).chain(OTHERS.iter().copied()) {
        for frame in ["{}", "we paid {} for it", "**{}**", "that is {}, roughly"] {
            let text = frame.replace("{}", amount);
            let scrubbed = SCRUBBER.scrub(&text);
            total += 1;
            let is_masked = scrubbed.masked().any(|kind| kind == SensitiveKind::Amount);
            let lower = scrubbed.as_str().to_lowercase();
            let outside = scrubbed.edits.iter().rev().fold(scrubbed.as_str().to_owned(), |mut text, edit| {
                text.replace_range(edit.scrubbed.clone(), "");
                text
            });
            let is_left = outside.contains(|c: char| c.is_numeric())
                || ["million", "lakh", "crore", "mio", "mrd", "thousand", "hundred"].iter().any(|scale| lower.contains(scale));
            if !is_masked || is_left {
                missed.push(format!("{text:?} -> {scrubbed}"));
            }
        }
    }
    assert!(missed.len() * 100 <= total * 2, "{} of {total} missed, 2 % allowed:\n{}", missed.len(), missed.join("\n"));
}

/// Counts and measures that are not money. `{}` is the number.
const COUNTS: &[&str] = &[
    "{} people", "{} km", "{} kg", "{} %", "{} users", "page {}", "{} °C", "{} minutes", "chapter {}", "{}th place", "{} points",
    "room {}", "{} MB", "line {}", "{} times", "x = {}",
];

/// Numbers that are near money words or look like money, but are not.
const NO_MONEY: &[&str] = &[
    "in 2024", "2M users", "10k steps a day", "5k run", "4K display", "2 million people", "5 lakh people", "2 crore voters",
    "5 grand pianos", "lost 20 pounds", "20 pounds heavier", "two pounds of flour", "I weigh 180 pounds", "COP 28",
    "TRY 5 times", "TOP 10", "10 won, 3 lost", "6 ft tall", "v2.0", "iOS 17.2", "3:30", "50/50", "1st", "100%", "7.5 Mbit",
    "24/7", "H2O", "B2B", "3D", "5G", "Rs232 port", "fr 3 lines", "re 5", "M4 screw", "a dollar sign", "the euro zone",
    "two thousand people", "a hundred days", "five hundred miles", "3 real users", "12 marks", "5 crowns on teeth",
    "100 m sprint", "a million thanks", "hundreds of times", "k = 5", "10 am", "10 pm", "8 bit", "256 colours", "9 to 5",
];

#[test]
fn numbers_that_are_no_money_stay() {
    let grid: Vec<String> = COUNTS.iter().flat_map(|count| NUMBERS.iter().map(|number| count.replace("{}", number))).collect();
    let mut fired = Vec::new();
    let mut total = 0;
    for text in grid.iter().map(String::as_str).chain(NO_MONEY.iter().copied()) {
        total += 1;
        let scrubbed = SCRUBBER.scrub(text);
        if scrubbed.masked().any(|kind| kind == SensitiveKind::Amount) {
            fired.push(format!("{text:?} -> {scrubbed}"));
        }
    }
    assert!(fired.len() * 100 <= total * 2, "{} of {total} taken for money, 2 % allowed:\n{}", fired.len(), fired.join("\n"));
}

#[test]
fn a_money_noun_makes_thousands_an_amount() {
    check("my salary is 85k", "my salary is [AMOUNT_1]");
    check("revenue of about 2.5M last year", "revenue of about [AMOUNT_1] last year");
    check("raised 2M; 2M users", "raised [AMOUNT_1]; 2M users");
    check("my rent was due on the 3rd", "my rent was due on the 3rd");
}
