//! Subjects and phrases that the people of a generated year use.
//!
//! `{...}` is a slot, filled in from the project (`{project}`, `{thing}`, `{part}`, `{tool}`, `{site}`), the time (`{day}`,
//! `{n}`, `{hour}`), or the people (`{who}`, `{me}`).

/// A project that lasts for weeks and has words that occur nowhere else.
pub(super) struct Project {
    pub(super) name: &'static str,
    pub(super) things: &'static [&'static str],
    pub(super) parts: &'static [&'static str],
    pub(super) tools: &'static [&'static str],
    pub(super) sites: &'static [&'static str],
}

pub(super) const PROJECTS: &[Project] = &[
    Project {
        name: "Lighthouse",
        things: &["billing service", "invoice export", "tax report", "ledger import"],
        parts: &["rounding step", "currency table", "retry queue", "VAT column", "PDF footer"],
        tools: &["Postgres", "Grafana", "Terraform"],
        sites: &["staging", "the Frankfurt cluster", "production"],
    },
    Project {
        name: "Orchard",
        things: &["greenhouse", "irrigation line", "apple press", "seedling bench"],
        parts: &["pressure valve", "drip hose", "thermostat", "timer relay", "humidity sensor"],
        tools: &["Zigbee", "Home Assistant", "a soil meter"],
        sites: &["the north bed", "the shed", "the lower terrace"],
    },
    Project {
        name: "Meridian",
        things: &["mobile app", "map view", "offline cache", "route planner"],
        parts: &["tile loader", "gesture handler", "sync worker", "location marker", "zoom buttons"],
        tools: &["Kotlin", "Swift", "MapLibre"],
        sites: &["the beta channel", "the Android build", "the tablet layout"],
    },
    Project {
        name: "Kitchen renovation",
        things: &["countertop", "oven niche", "extractor hood", "tile wall"],
        parts: &["oak board", "hinge", "socket", "silicone joint", "drawer rail"],
        tools: &["a spirit level", "the tile cutter", "a jigsaw"],
        sites: &["the window corner", "the pantry", "the island"],
    },
    Project {
        name: "Heron",
        things: &["search index", "ranking model", "crawler", "query parser"],
        parts: &["synonym list", "shard balancer", "snippet builder", "stop words", "score cache"],
        tools: &["Rust", "Tantivy", "Prometheus"],
        sites: &["the old cluster", "node seven", "the nightly run"],
    },
    Project {
        name: "Choir tour",
        things: &["concert programme", "coach booking", "church hall", "sheet music"],
        parts: &["alto part", "second encore", "seating plan", "microphone stand", "ticket link"],
        tools: &["a spreadsheet", "MuseScore", "the shared calendar"],
        sites: &["Lübeck", "the cathedral", "the youth hostel"],
    },
    Project {
        name: "Basalt",
        things: &["design system", "icon set", "colour palette", "form library"],
        parts: &["focus ring", "dark theme", "tooltip", "date picker", "spacing scale"],
        tools: &["Figma", "Storybook", "TypeScript"],
        sites: &["the settings page", "the onboarding flow", "the docs site"],
    },
    Project {
        name: "Sailing course",
        things: &["dinghy", "navigation exam", "harbour berth", "weather log"],
        parts: &["jib sheet", "rudder pin", "tide table", "life jacket", "compass card"],
        tools: &["OpenCPN", "the club radio", "a sextant"],
        sites: &["the inner basin", "the estuary", "the slipway"],
    },
    Project {
        name: "Quarry",
        things: &["data warehouse", "churn dashboard", "event pipeline", "customer table"],
        parts: &["late events", "session key", "backfill job", "partition filter", "consent flag"],
        tools: &["dbt", "Airflow", "BigQuery"],
        sites: &["the finance mart", "the EU region", "the sandbox"],
    },
    Project {
        name: "School festival",
        things: &["stage", "raffle", "cake stand", "lost property desk"],
        parts: &["extension lead", "prize list", "volunteer rota", "banner", "cash box"],
        tools: &["a poster printer", "the parents' list", "walkie-talkies"],
        sites: &["the gym", "the playground", "classroom four"],
    },
    Project {
        name: "Tern",
        things: &["drone firmware", "flight controller", "camera gimbal", "ground station"],
        parts: &["gyro filter", "motor mixer", "battery curve", "failsafe", "antenna mount"],
        tools: &["PX4", "an oscilloscope", "Mavlink"],
        sites: &["the test field", "the wind tunnel", "the bench rig"],
    },
    Project {
        name: "Moving house",
        things: &["lease", "removal van", "internet contract", "bookshelf"],
        parts: &["deposit", "parking permit", "meter reading", "piano strap", "spare key"],
        tools: &["the checklist", "bubble wrap", "a sack truck"],
        sites: &["the new flat", "the cellar", "the third floor"],
    },
];

/// Lines of people who work on a project.
pub(super) const WORK: &[&str] = &[
    "The {part} of the {thing} fails again on {site}.",
    "I looked at the {part} this morning and it is worse than we thought.",
    "{tool} shows {n} errors an hour for the {thing}.",
    "Since {day} the {thing} is slower than before, about {n} seconds for each run.",
    "It turned out that the {part} was never connected to the {thing}.",
    "The {thing} on {site} works now, it was the {part} after all.",
    "I fixed it: the {part} had a wrong default.",
    "Found it, the {part} expects {tool} and gets nothing.",
    "Quick update on {project}: the {thing} is done, the {part} is not.",
    "{who} says the {part} must be replaced before {day}.",
    "The supplier wants {n} euros for the {part}, that is too much.",
    "We have {n} days left for the {thing}.",
    "Without {tool} the {thing} takes twice as long.",
    "Nobody wrote down how the {part} was set up on {site}.",
    "{site} looks fine today, only the {part} is missing.",
    "The old {part} still lies around, do we need it for the {thing}?",
    "I compared three offers for the {thing}; the middle one includes the {part}.",
    "My notes say the {part} was changed {n} weeks ago.",
];

/// Questions of people who work on a project.
pub(super) const QUESTIONS: &[&str] = &[
    "Does anybody know why the {part} stops when the {thing} starts?",
    "Who has the key for {site}?",
    "Can somebody check the {part} before {day}?",
    "How long will the {thing} take if we leave out the {part}?",
    "Is the {thing} ready for {day}?",
    "What did we say about the {part} last time?",
    "{who}, could you look at the {thing} today?",
    "Should we use {tool} for the {part} or do it by hand?",
    "Did you see the message about {site}?",
];

/// Decisions of a group.
pub(super) const DECISIONS: &[&str] = &[
    "We decided to use {tool} for the {thing}.",
    "Decision: the {part} goes first, the rest of the {thing} after {day}.",
    "Let's go with {tool}, it is easier for everybody.",
    "Agreed: no changes on {site} before {day}.",
    "We decided against a new {part}, the old one stays.",
];

/// Promises by the speaker.
pub(super) const PROMISES: &[&str] = &[
    "I'll send you the numbers for the {thing} by {day}.",
    "I will order the {part} tomorrow.",
    "I'll check the {part} on {site} tonight.",
    "Leave it to me, I'll call them about the {thing} on {day}.",
    "I'll write it up and share the plan for the {thing} before {day}.",
];

/// Reports that a promise was kept.
pub(super) const DONE: &[&str] = &[
    "I sent the numbers for the {thing}.",
    "The {part} is ordered.",
    "I called them about the {thing}, all good.",
    "Done, see above.",
];

/// Short answers.
pub(super) const REPLIES: &[&str] = &[
    "ok",
    "Thanks!",
    "Makes sense.",
    "Not sure, let me think about it.",
    "haha yes",
    "Good point, I had not seen that.",
    "I can do that on {day}.",
    "No idea, sorry.",
    "Yes, at {hour}.",
    "Same here.",
    "👍",
    "Perfect, thank you so much!",
    "Hm, that did not work for me last time.",
    "Why not?",
    "One moment, I'm on the phone.",
];

/// Small talk without a subject.
pub(super) const SMALL_TALK: &[&str] = &[
    "Good morning everybody!",
    "How was your weekend?",
    "It rained all {day}, we stayed inside and played cards.",
    "I'm running {n} minutes late, sorry.",
    "Did you watch the match yesterday? What a finish.",
    "The bakery at the corner has the good rolls again.",
    "Happy birthday, {who}!",
    "My train is stuck outside the station, of course.",
    "Lunch at {hour}?",
    "The kids have a cold again, so I'm at home today.",
    "Has somebody seen my blue umbrella?",
    "Coffee machine is repaired, by the way.",
    "Sun at last!",
    "I slept terribly, the neighbours had a party.",
    "We had pancakes for breakfast, {n} of them.",
    "See you on {day}!",
    "lol",
    "Have a good evening, all.",
    "That photo is wonderful, where was it taken?",
    "I forgot my charger again.",
];

/// Lasting facts that the owner states about themselves, in several wordings. They do not contradict each other; facts that
/// change are in [`CHANGES`].
pub(super) const OWN_FACTS: &[&[&str]] = &[
    &["I'm allergic to hazelnuts.", "As you know, I'm allergic to hazelnuts."],
    &["I play the cello.", "I play the cello on Sundays."],
    &["My sister's name is Ottilie.", "My sister is called Ottilie."],
    &["I have a dog named Biscuit.", "I have a dog named Biscuit at home."],
    &["I work as a data engineer.", "I work as a data engineer in a small firm."],
    &["I'm a vegetarian.", "I am vegetarian, so no ham for me."],
    &["I want to learn Portuguese this year.", "I want to learn Portuguese."],
    &["My daughter Lotte is seven.", "My daughter Lotte goes to primary school."],
    &["I don't drink coffee after noon.", "I never drink coffee after noon."],
    &["I love hiking in the Harz.", "I really love hiking in the Harz."],
    &["I was born in Graz.", "I was born in Graz, in winter."],
    &["I'm afraid of heights.", "I'm afraid of heights, so no ladder for me."],
    &["I use Neovim for everything.", "I use Neovim for all my notes."],
    &["My birthday is on 14 May.", "My birthday is on the 14th of May."],
    &["I run ten kilometres every Saturday.", "Every Saturday I run ten kilometres."],
    &["I have a peanut intolerance since school.", "Since school I have a peanut intolerance."],
];

/// Facts that change during the year: wordings before and after the change.
pub(super) const CHANGES: &[(&[&str], &[&str])] = &[
    (&["I live in Utrecht.", "I live in Utrecht, close to the canal."], &["I moved to Porto in spring.", "I live in Porto now."]),
    (
        &["I drive an old Volvo.", "I drive an old Volvo to work."],
        &["I sold the Volvo and ride a cargo bike now.", "I ride a cargo bike to work now."],
    ),
    (
        &["I work at Tidewater.", "I work at Tidewater, as you know."],
        &["I left Tidewater and work at Fernhill now.", "I work at Fernhill now."],
    ),
];

/// The owner's repeated requests about how agents should behave.
pub(super) const OWN_WISHES: &[&[&str]] = &[
    &["Please keep your answers short.", "Keep it short, please.", "Shorter answers please, no long lists."],
    &["I prefer tabs over spaces.", "From now on use tabs instead of spaces."],
    &["Please always run the tests before you answer.", "Always run the tests first, please."],
    &["Please answer in English.", "From now on please answer in English."],
    &["I prefer tables over prose for comparisons.", "Give me a table when you compare things, please."],
];

/// Facts that other people state about themselves.
pub(super) const OTHERS_FACTS: &[&str] = &[
    "I live in {place} since last year.",
    "I'm allergic to {food}.",
    "I work as a {job}.",
    "My son is called {child}.",
    "I can never do {day}s, I have training.",
    "I prefer to be called before nine.",
    "I'd rather have a phone call than e-mails.",
    "Please send me the files as PDF, my laptop is old.",
    "I need everything in writing, please.",
];

pub(super) const PLACES: &[&str] =
    &["Bergen", "Leeds", "Kraków", "Lagos", "Montréal", "Tampere", "Pune", "Valencia", "Osaka", "Ghent", "Basel", "Turku"];
pub(super) const FOODS: &[&str] = &["shellfish", "celery", "lupins", "sesame", "strawberries", "mustard"];
pub(super) const JOBS: &[&str] =
    &["carpenter", "radiologist", "translator", "surveyor", "baker", "midwife", "teacher", "florist"];
pub(super) const CHILDREN: &[&str] = &["Emil", "Jonas", "Theo", "Milo", "Oskar", "Anton"];
pub(super) const DAYS: &[&str] = &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
pub(super) const HOURS: &[&str] = &["nine", "half past ten", "noon", "two", "quarter to four", "six"];

/// Requests by the owner to an agent.
pub(super) const TO_AGENT: &[&str] = &[
    "Can you draft a message to {who} about the {thing}?",
    "What is the best way to test the {part} without {tool}?",
    "Please compare {tool} with the alternatives for the {thing}.",
    "How would you explain the {part} to somebody new on {project}?",
    "The {thing} takes {n} seconds on {site}. Where would you look first?",
    "Summarise what is open for {project}.",
    "Write a checklist for {site}, with the {part} first.",
    "Why does the {part} matter for the {thing}?",
    "Give me three names for the {thing}.",
    "Translate this for {who}: the {thing} is ready on {day}.",
    "I get an error about the {part} when {tool} starts. What does it mean?",
];

/// Requests to an agent that the same person repeats.
pub(super) const STANDING_ASKS: &[&str] = &[
    "Can you send me the weekly report for {project} as a table?",
    "Please make me a short list of what is due on {day}.",
    "Could you read me my calendar for {day}?",
    "Can you turn the notes about the {thing} into minutes?",
];

/// Answers of an agent.
pub(super) const ANSWERS: &[&str] = &[
    "I would begin with the {part}, because the {thing} depends on it. After that {tool} tells you whether {site} is healthy.",
    "Here is a draft: \"The {thing} will be ready on {day}. The {part} needs one more look.\"",
    "There are three options. First, keep the {part}. Second, replace it. Third, move the {thing} to {site}.",
    "The error says that the {part} could not be opened. Check the settings of {tool} and try again.",
    "In short: the {thing} is fine, the {part} is not, and {site} can wait until {day}.",
    "I found {n} places where the {part} is used; most of them are in the {thing}.",
    "A checklist: look at the {part}, measure the {thing}, note what {tool} shows, tell {who}.",
    "{tool} is quicker to set up, and the other one is easier to keep running. For {project} I would take {tool}.",
    "I updated the plan for the {thing} and put the {part} first.",
];

/// Replies in which an agent says that it cannot do something.
pub(super) const CANNOT: &[&str] = &[
    "I'm sorry, I can't access your calendar.",
    "I don't have access to your calendar, so I cannot read it.",
    "Unfortunately I cannot open attachments in this chat.",
];

/// Replies to an agent's answer.
pub(super) const AFTER: &[&str] = &[
    "Thanks, that works.",
    "Hm, that still fails with the {part}.",
    "No, I meant the {thing} on {site}.",
    "Perfect, thank you.",
    "And what about the {part}?",
    "Can you do that again, but shorter?",
    "We decided to take {tool} for it.",
    "That is wrong, the {part} is not on {site}.",
    "Good, then I'll order the {part} on {day}.",
    "Great, and now for the {thing} please.",
];

/// Recurring sequences of tool use. Those at the start of the list recur every few days and can become playbooks.
pub(super) const WORKFLOWS: &[&[&str]] = &[
    &[
        "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1.0.0",
        "Read README.md; Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1.1.0",
        "Edit CHANGELOG.md; cargo test --workspace; git commit -m release; gh release create v1.2.0",
    ],
    &[
        "Grep deadline; Read notes.md; npm run lint; git commit -m tidy; docker build .",
        "Grep deadline; Read notes.md; npm run lint; git commit -m lint; docker build . --tag web",
    ],
];

/// Tool use that occurs only once.
pub(super) const ERRANDS: &[&str] = &[
    "Read a.rs; Edit a.rs; !cargo test; Edit a.rs; cargo test",
    "Grep main; Read main.py; python3 main.py",
    "Glob *.ts; Read index.ts; Edit index.ts; npm test",
    "ls -la; cat notes.txt; Write summary.md",
    "WebSearch release notes; WebFetch index.html; Write notes.md",
    "Read a.rs; Read b.rs; Grep fn",
    "git status; git diff; Edit lib.rs; cargo check",
    "!npm install; npm install --legacy-peer-deps; npm test",
];

pub(super) const FIRST: &[&str] = &[
    "Ana", "Tomasz", "Adaeze", "Lena", "Ravi", "Søren", "Inês", "Yuki", "Farid", "Noor", "Elif", "Bruno", "Greta", "Hamid",
    "Ivo", "Jana", "Kofi", "Lucía", "Mina", "Nils", "Olga", "Pavel", "Quirin", "Rosa", "Samir", "Tilde", "Umar", "Vera", "Wanda",
    "Xenia",
];
pub(super) const LAST: &[&str] = &[
    "Costa", "Nowak", "Okafor", "Brandt", "Iyer", "Dahl", "Pires", "Mori", "Karimi", "Haddad", "Yildiz", "Rossi", "Falk",
    "Azizi", "Horvat", "Urban", "Mensah", "Vidal", "Sharma", "Holm", "Petrova", "Dvořák", "Adler", "Ferrer", "Nasser", "Lund",
    "Bello", "Sokol", "Zając", "Marin",
];
pub(super) const AGENTS: &[&str] = &["Claude", "Nova", "Atlas", "Juniper", "Pico"];
