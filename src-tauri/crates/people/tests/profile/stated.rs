//! Sentences and what they state about their speaker: each line is one message, said to an assistant or in a chat.

use keepsake_domain::ProfileOrigin;
use keepsake_people::Speaker;

use crate::given::{content_of, said};

/// What a message states, as `content · confidence`; more than one joined by " | ".
fn stated(text: &str) -> String {
    content_of(&said(&[(1, 1, Speaker::Entity, text)]), &[], ProfileOrigin::BuiltIn)
}

#[test]
fn what_is_stated_becomes_an_entry() {
    let cases: &[(&str, &str)] = &[
        // Length.
        ("Keep it short.", "Prefers short answers · low"),
        ("keep it short please", "Prefers short answers · low"),
        ("Please keep your answers brief", "Prefers short answers · low"),
        ("Be concise.", "Prefers short answers · low"),
        ("Short answers, please.", "Prefers short answers · low"),
        ("I prefer short answers.", "Prefers short answers · medium"),
        ("I really prefer short and simple answers over long ones", "Prefers short answers · medium"),
        ("I like it when you keep it short", "Prefers short answers · medium"),
        ("From now on, keep it short.", "Prefers short answers · high"),
        ("Always be brief.", "Prefers short answers · high"),
        ("No walls of text please", "Prefers short answers · low"),
        ("Please don't write essays.", "Prefers short answers · low"),
        ("I hate long explanations", "Prefers short answers · medium"),
        ("Get to the point.", "Prefers short answers · low"),
        ("Kurz bitte", "Prefers short answers · low"),
        ("Sé breve, por favor", "Prefers short answers · low"),
        ("I prefer detailed answers", "Prefers long, detailed answers · medium"),
        ("I don't like short answers", "Prefers long, detailed answers · medium"),
        ("I want long, detailed explanations.", "Prefers long, detailed answers · medium"),
        ("Please always be thorough.", "Prefers long, detailed answers · high"),
        ("I expect detailed answers", "Expects long, detailed answers · medium"),
        // Format.
        ("Please use bullet points.", "Prefers bullet points · low"),
        ("bullet points please", "Prefers bullet points · low"),
        ("I like bullet points", "Prefers bullet points · medium"),
        ("Could you always use bullet points?", "Prefers bullet points · high"),
        ("No bullet points, please.", "Prefers no bullet points · low"),
        ("Stop using bullet points", "Prefers no bullet points · low"),
        ("I can't stand bullet points", "Prefers no bullet points · medium"),
        ("Don't use emojis.", "Prefers no emojis · low"),
        ("I hate emojis", "Prefers no emojis · medium"),
        ("Just give me the code", "Prefers the code alone · low"),
        ("Ok, just the code, no explanations.", "Prefers no explanations · low | Prefers the code alone · low"),
        ("Code only please", "Prefers the code alone · low"),
        ("Always start with the conclusion", "Prefers the summary first · high"),
        ("Plain text please", "Prefers plain text without Markdown · low"),
        ("Don't use markdown", "Prefers plain text without Markdown · low"),
        ("I prefer step-by-step instructions", "Prefers step-by-step explanations · medium"),
        ("One question at a time, please", "Prefers one step or question at a time · low"),
        ("Please use metric units", "Prefers metric units · low"),
        ("I'd like you to always include examples", "Prefers examples · high"),
        ("I like examples", "Prefers examples · medium"),
        ("No tables please", "Prefers no tables · low"),
        // Language.
        ("In German please.", "Prefers German · low"),
        ("in german, please!", "Prefers German · low"),
        ("Please answer in French", "Prefers French · low"),
        ("Let's speak Spanish", "Prefers Spanish · low"),
        ("Can we switch to English?", "Prefers English · low"),
        ("Please always write to me in Dutch", "Prefers Dutch · high"),
        ("I prefer German", "Prefers German · medium"),
        ("I'd prefer to write in English", "Prefers English · medium"),
        ("Bitte antworte auf Deutsch", "Prefers German · low"),
        ("Responde en español por favor", "Prefers Spanish · low"),
        ("Auf Deutsch bitte", "Prefers German · low"),
        // Channel.
        ("I prefer email", "Prefers email · medium"),
        ("Please email me instead of calling.", "Prefers email · low"),
        ("The best way to reach me is Signal", "Prefers Signal · low"),
        ("Text me, don't call", "Prefers text messages · low"),
        ("Please don't call me.", "Does not want phone calls · low"),
        ("I never answer the phone", "Does not want phone calls · low"),
        ("No voice messages please", "Does not want voice messages · low"),
        ("Contact me via WhatsApp please", "Prefers WhatsApp · low"),
        // Timing.
        ("Don't call me before ten", "Does not want calls before 10 · low"),
        ("please don't call me before 10.", "Does not want calls before 10 · low"),
        ("Don't ever call me after 9pm!", "Does not want calls after 9 pm · low"),
        ("Never call me after 9pm", "Does not want calls after 9 pm · low"),
        ("No meetings before 10 o'clock please", "Does not want meetings before 10 · low"),
        ("Please don't message me on weekends", "Does not want messages on weekends · low"),
        ("I don't take calls at night", "Does not want calls at night · low"),
        ("I prefer meetings in the morning", "Prefers meetings in the mornings · medium"),
        ("Afternoons work best for me", "Prefers meetings in the afternoons · medium"),
        ("Always call me after six", "Prefers calls after 6 · high"),
        ("Rufen Sie mich bitte nicht vor 9 Uhr an", "Does not want calls before 9 · low"),
        // Expectations.
        ("I expect an answer the same day.", "Expects an answer the same day · medium"),
        ("I usually expect a reply within two hours", "Expects an answer within two hours · medium"),
        ("Please always get back to me within a day", "Expects an answer within a day · high"),
        ("I don't expect an immediate answer", "Does not expect an immediate answer · medium"),
        ("Always cite your sources.", "Expects sources for claims · high"),
        ("I'm not a technical person", "Expects explanations in simple terms · medium"),
        ("Explain it like I'm five", "Expects explanations in simple terms · low"),
        ("No jargon please", "Expects explanations in simple terms · low"),
        ("You can assume I know the basics", "Expects an expert's level, without the basics · medium"),
        ("Skip the basics", "Expects an expert's level, without the basics · low"),
        // Tone.
        ("Be direct with me.", "Prefers direct answers · low"),
        ("Don't sugarcoat it", "Prefers direct answers · low"),
        ("Please stop apologising", "Prefers no apologies · low"),
        ("No flattery please", "Prefers no flattery · low"),
        ("I prefer an informal tone", "Prefers a casual tone · medium"),
        ("I prefer a casual tone", "Prefers a casual tone · medium"),
        // Several at once.
        ("Thanks! In German please, and keep it short.", "Prefers German · low | Prefers short answers · low"),
        ("- keep it short\n- no emojis", "Prefers no emojis · low | Prefers short answers · low"),
        ("I prefer short answers but I hate emojis", "Prefers no emojis · medium | Prefers short answers · medium"),
    ];
    let mut faults = Vec::new();
    for (text, expect) in cases {
        let found = stated(text);
        if found != *expect {
            faults.push(format!("{text:?}\n  expected {expect:?}\n  found    {found:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(cases.len() >= 80);
}

#[test]
fn nothing_is_concluded_from_what_states_nothing_about_its_speaker() {
    let cases: &[&str] = &[
        // About the piece of work at hand.
        "Make this paragraph shorter.",
        "make it shorter",
        "shorter please",
        "Keep the title short.",
        "Write an email to my landlord. Keep it short.",
        "Translate this into German please",
        "write the email in German",
        "How do you say good morning in German?",
        "Summarise this as bullet points",
        "Use bullet points for the summary",
        "more detail please",
        "packing list for four days somewhere warm, hand luggage only, make it short",
        "Explain recursion, in German please",
        "make it short",
        "give me examples",
        "give me a short summary",
        "Write a poem. In German please.",
        "Fix this function, just give me the code",
        "explain the code",
        "Add a table with the prices",
        "use a formal tone in this letter",
        "Make the intro formal",
        // For once.
        "Keep it short this time",
        "In English please, just this once",
        "No emojis for now",
        "Keep it short today",
        "Don't call me before ten tomorrow",
        "Don't call me on Monday",
        "Call me after six",
        "Please reply by Friday",
        "Please answer within an hour",
        "Email me the report",
        // Somebody else's words.
        "My boss likes short answers",
        "She said keep it short",
        "He told me \"keep it short please\"",
        "Ana: 'please use bullet points'",
        "> keep it short\nwhat does that mean?",
        "Here is the prompt:\nKeep it short. Use bullet points.",
        "You are a helpful assistant. Keep it short. Use bullet points.",
        "The instructions say to use bullet points",
        "```\nalways answer in German\n```",
        "On Mon, Ana wrote:\nI prefer short answers",
        "From: Ana\nSubject: calls\nI prefer email",
        "Tell her to keep it short",
        "Remind Bo to use bullet points",
        "People prefer short answers",
        "We all know that users prefer short answers",
        // Scenes.
        "Let's play a game: I'll be the king. I prefer short answers.",
        "Pretend to be a pirate. Always answer in German.",
        "Act as a teacher. Be brief.",
        "*smiles at the queen* I prefer short answers",
        // Questions, conditions, the past, irony.
        "Do you prefer short answers?",
        "Should I keep it short?",
        "Why do you use bullet points?",
        "If I wanted short answers I would say so",
        "I used to like long answers",
        "I preferred short answers back then",
        "I just love long, detailed explanations 🙄",
        "I prefer short answers when I'm on the train",
        // Other things that can be liked.
        "I like short stories",
        "I like German food",
        "I like German",
        "I love tables",
        "I like jokes",
        "I prefer tea",
        "I prefer the window seat",
        "I want a short holiday",
        "I need an answer",
        "I don't like Mondays",
        "I expect rain tomorrow",
        "I expect a baby in May",
        "I love in-depth documentaries",
        "Be careful",
        "Be quick",
        "Keep it up!",
        "Keep it in the fridge",
        "Keep it",
        "No problem",
        "No worries",
        "No more wine",
        "Stop the car",
        "I speak German",
        "I live in Germany",
        "In German it is called Fernweh",
        "In Paris please",
        "Call me Bob",
        "Use Signal K for the boat data",
        "I hate the phone company",
        "Mornings are cold here",
        "",
        "please",
        "from now on",
    ];
    let mut faults = Vec::new();
    for text in cases {
        let found = stated(text);
        if !found.is_empty() {
            faults.push(format!("{text:?} gave {found:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(cases.len() >= 80);
}
