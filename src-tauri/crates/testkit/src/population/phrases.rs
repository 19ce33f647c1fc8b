//! Phrases with which people give each other their addresses, in two sets: one for writing rules, and one used only for
//! measuring.

/// The set of phrases that a population uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// Phrases for which rules may be written.
    Known,
    /// Phrases used for measuring. Never consult them when writing rules.
    HeldOut,
}

/// The known and the held-out phrases of one kind.
pub(super) type Phrases = (&'static [&'static str], &'static [&'static str]);

/// `{E}` is the writer's own e-mail address.
pub(super) const EMAIL: Phrases = (
    &[
        "my email is {E}",
        "You can reach me at {E} as well.",
        "Best to write to me at {E}",
        "here's my mail: {E}",
        "I'm at {E} if this room goes down.",
        "send the draft to me at {E} please",
        "{E} is my private address",
        "drop me a line at {E}",
        "My new address is {E}, the old one bounces.",
        "please use my work email, it's long: my work email is {E}",
        "email me at {E} and I'll look at it tonight",
        "meine Mailadresse ist {E}",
        "Du erreichst mich unter {E}",
        "mon adresse mail est {E}",
        "mi correo es {E}",
        "contact me via {E}",
    ],
    &[
        "If you'd rather write, mine is {E}",
        "For invoices I can be reached under {E}",
        "you'll find me at {E}",
        "Forward it to me at {E} when you get a minute",
        "that's my email: {E}",
        "the address to use for me is still {E}, my email has not changed: my email is {E}",
        "I switched to {E} last month",
        "ping me at {E} if it breaks again",
        "Schreib mir einfach an {E}",
        "meine E-Mail: {E}",
        "vous pouvez m'écrire à {E}",
        "puedes escribirme a {E}",
        "I read mail at {E}",
        "get in touch with me at {E}",
    ],
);

/// `{P}` is the writer's own phone number.
pub(super) const PHONE: Phrases = (
    &[
        "my number is {P}",
        "call me on {P}",
        "You can text me at {P} any time.",
        "my mobile: {P}",
        "here's my new number: {P}",
        "reach me on {P} after six",
        "I'm on {P} all day",
        "{P} is my number",
        "my phone number has changed to {P}",
        "ring me on {P} when you arrive",
        "meine Nummer ist {P}",
        "ruf mich an unter {P}",
        "mon numéro est le {P}",
        "mi número es el {P}",
        "please call me at {P} before the meeting",
        "whatsapp me on {P}",
    ],
    &[
        "save my number, it's my new one: my number's {P}",
        "if anything comes up you can get me on {P}",
        "Phone is easier for me, call me: {P}",
        "this is my mobile number {P}",
        "I can be reached at {P} until Friday",
        "message me on {P}",
        "my cell is {P}, just ring",
        "Meine Handynummer lautet {P}",
        "Ihr erreicht mich auf {P}",
        "appelle-moi au {P}",
        "llámame al {P} si puedes",
        "my direct number: {P}",
    ],
);

/// `{H}` is the writer's Matrix handle, including `@` and the server.
pub(super) const MATRIX: Phrases = (
    &[
        "I'm {H} on Matrix", "By the way, I'm also {H}.", "my Matrix ID is {H}", "This is {F} from the Matrix room ({H})",
        "it's me, {H}", "You can find me on Matrix as {H}", "my handle on Matrix is {H}", "{H} is me", "On Matrix I go by {H}",
        "ping me on Matrix: {H}", "you may know me as {H}", "ich bin {H} auf Matrix", "Auf Matrix bin ich {H}",
        "sur Matrix je suis {H}", "en Matrix soy {H}", "I've moved to {H} on Matrix",
    ],
    &[
        "find me on Matrix, I'm {H}",
        "the account {H} is mine",
        "my Matrix handle: {H}",
        "On Matrix you know me as {H}",
        "people know me as {H} on Matrix",
        "I post as {H} on Matrix",
        "add me on Matrix as {H}",
        "mein Matrix-Handle ist {H}",
        "ich bin's, {H}",
        "mon identifiant Matrix est {H}",
        "mi usuario de Matrix es {H}",
        "{H} on Matrix is me as well, same person",
        "it's {F}, {H} on Matrix",
    ],
);

/// `{H}` is the writer's SimpleX nickname, a single word.
pub(super) const SIMPLEX: Phrases = (
    &[
        "on SimpleX I am {H}", "my SimpleX name is {H}", "I go by {H} on SimpleX", "find me on SimpleX as {H}",
        "my username on SimpleX is {H}", "On SimpleX I'm called {H}", "you can reach me as {H} on SimpleX",
        "add me on SimpleX as {H}", "auf SimpleX heiße ich {H}", "sur SimpleX je m'appelle {H}", "en SimpleX me llamo {H}",
        "My SimpleX: {H}",
    ],
    &[
        "look for me on SimpleX under {H}", "on SimpleX my nick is {H}", "I use {H} on SimpleX",
        "on SimpleX you'll find me as {H}", "my SimpleX nickname is {H}", "I'm known as {H} on SimpleX",
        "message me on SimpleX as {H}", "auf SimpleX findest du mich als {H}", "mein SimpleX-Name ist {H}",
        "sur SimpleX on me trouve sous {H}", "en SimpleX mi usuario es {H}", "SimpleX-wise I go by {H} on SimpleX",
    ],
);

/// `{N}` is another person's name, `{E}` that person's address.
pub(super) const OTHERS_EMAIL: Phrases = (
    &[
        "{N}'s email is {E}",
        "her address is {E}",
        "ask {N} at {E}",
        "You can reach {N} at {E}",
        "> my email is {E}\nthanks, noted",
        "{N} said: my email is {E}",
        "{N} wrote \"reach me at {E}\" yesterday",
        "is {E} still your address?",
        "[10:12] {N}: my email is {E}",
        "please put {E} in copy",
        "{N}s Adresse ist {E}",
        "l'adresse de {N} est {E}",
    ],
    &[
        "Did {N} give you {E}?",
        "{N} is best reached at {E}",
        "write to {N} under {E}, not to me",
        "On Mon, 4 May 2026, {N} wrote:\nemail me at {E}",
        "according to {N}, \"my new address is {E}\"",
        "their contact is {E}",
        "my colleague {N} uses {E}",
        "I forwarded it to {E}",
        "el correo de {N} es {E}",
        "schreib doch {N} an {E}",
        "my manager's email is {E}",
        "{N} told everyone my email is {E}",
    ],
);

/// `{N}` is another person's name, `{H}` that person's Matrix handle.
pub(super) const OTHERS_HANDLE: Phrases = (
    &[
        "{H} is on Matrix", "ask {H} about it", "{H} can you look at this?", "{N} is {H} on Matrix", "thanks {H}!",
        "This is {N} ({H}), who joins us today.", "I talked to {H} about it", "> I'm {H} on Matrix\nwelcome",
        "{N} wrote: I'm {H} on Matrix", "I'm not {H}", "are you {H} on Matrix?", "as {H} said, it can wait",
    ],
    &[
        "I'm waiting for {H}", "my brother is {H} on Matrix", "you should follow {H} on Matrix", "I'm sure {H} knows",
        "was that {H} on Matrix yesterday?", "{N} goes by {H} on Matrix", "the handle {H} belongs to {N}",
        "I'm here with {H} and two others", "cc {H}", "“it's me, {H}” read the note", "I agree with {H}",
        "find {N} on Matrix as {H}",
    ],
);

/// Ordinary conversation; `{J}` is the project and `{K}` one of its words.
pub(super) const TALK: &[&str] = &[
    "The {K} in {J} looks better today.",
    "Can somebody check the {K} before noon?",
    "I pushed the {K} fix for {J}.",
    "Lunch at twelve?",
    "The train is late again, start without me.",
    "We should talk about {J} on Thursday.",
    "Nice work on the {K}!",
    "I think the {K} breaks {J} when it rains.",
    "ok, see you then",
    "Who has the key to the small meeting room?",
    "{J} needs another {K} before the demo.",
    "Sounds good to me.",
    "I'm off next week, back on the third.",
    "The coffee machine is broken, again.",
    "Did the {K} numbers arrive?",
];
