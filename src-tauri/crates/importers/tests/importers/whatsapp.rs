//! WhatsApp chats, as written by phones in several countries. The fixtures contain everything that the program itself writes,
//! in all its forms.

use expect_test::expect;
use keepsake_importers::{ImportOptions, Zone};

use super::{check, options};

#[test]
fn whatsapp_android_uk_group() {
    check(
        "whatsapp/uk.txt",
        ImportOptions { me: Some("jo fenn".into()), ..options() },
        expect![[r#"
        whatsapp-5f1b45bdf4dcec87/h-7d7028ed027baf7f 2026-01-05T09:14:00~ WhatsApp(system) notice: "Mara Quist created group \"Allotment: plot 7\""
        whatsapp-5f1b45bdf4dcec87/h-74d88848b165cc66 2026-01-05T09:14:00~ WhatsApp(system) notice: "Mara Quist added you"
        whatsapp-5f1b45bdf4dcec87/h-898d513027ad22d9 2026-01-05T09:16:00~ Mara Quist(person) text: "Morning! I've planted the leeks.\nAnd the shallots,\n\nwhich took all of Sunday."
        whatsapp-5f1b45bdf4dcec87/h-cbebc4effffa1feb 2026-01-05T09:18:00~ Jo Fenn(owner) text: "our shed, freshly painted" {"file":"IMG-20260105-WA0001.jpg"}
        whatsapp-5f1b45bdf4dcec87/h-9df7024b6f263a11 2026-01-05T09:19:00~ Jo Fenn(owner) text: "ok"
        whatsapp-5f1b45bdf4dcec87/h-9df7024b6f263a11-2 2026-01-05T09:19:00~ Jo Fenn(owner) text: "ok"
        whatsapp-5f1b45bdf4dcec87/h-3aedc30211ccd9d6 2026-01-05T09:22:00~ Jo Fenn(owner) text: "I'm away until Friday" {"edited":true}
        whatsapp-5f1b45bdf4dcec87/h-b4ad9cc9b3c80329 2026-01-05T09:23:00~ WhatsApp(system) notice: "Jo Fenn changed their phone number to a new number. Tap to message or add the new number."
        whatsapp-5f1b45bdf4dcec87/h-447b3333ce3986e2 2026-01-05T09:24:00~ WhatsApp(system) notice: "Mara Quist changed the subject to \"Allotment: plots 7 and 8\""
        whatsapp-5f1b45bdf4dcec87/h-e632cef27d9de628 2026-01-13T18:02:00~ +44 7700 900123(person) text: "note: the gate code has changed"
        skipped 2 media_placeholder: "05/01/2026, 09:17 - Jo Fenn: <Media omitted>"
        skipped 1 deleted: "05/01/2026, 09:20 - Mara Quist: This message was deleted"
        skipped 1 platform_notice: "05/01/2026, 09:15 - Messages and calls are end-to-end encrypted. No one outside of this chat, not even WhatsApp, can re…"
        skipped 1 poll: "05/01/2026, 09:21 - Jo Fenn: POLL: When do we dig? OPTION: Saturday (2 votes) OPTION: Sunday (0 votes)"
        whatsapp: 1 conversations, 15 seen
    "#]],
    );
}

#[test]
fn whatsapp_us_dates_with_narrow_spaces_in_the_zone_of_this_computer() {
    check(
        "whatsapp/us.txt",
        ImportOptions { zone: Zone::Fixed(-300), ..options() },
        expect![[r#"
        whatsapp-b0b0f4f679e807d5/h-0eae7fabc63c1ec5 2025-12-31T02:05:00~ Ana Lima(person) text: "Happy almost new year"
        whatsapp-b0b0f4f679e807d5/h-55bd4a8c180d1a93 2025-12-31T05:05:00~ Ben Okoro(person) text: "It's past midnight here"
        whatsapp-b0b0f4f679e807d5/h-b39500997a3f0836 2026-01-01T17:10:00~ Ana Lima(person) text: "I signed up for pottery class"
        whatsapp: 1 conversations, 3 seen
    "#]],
    );
}

#[test]
fn whatsapp_iphone_german_with_marks() {
    check(
        "whatsapp/iphone_de.txt",
        ImportOptions { me: Some("+436601234567".into()), ..options() },
        expect![[r#"
        whatsapp-5e4daacf8c4f6150/h-929696a9989ee5d6 2025-12-31T21:05:30~ Lena Brandt(person) text: "Guten Rutsch!"
        whatsapp-5e4daacf8c4f6150/h-3ff79a32ba1738c2 2025-12-31T21:06:10~ Timo(person) text: "Ich wohne jetzt in Graz" {"edited":true}
        whatsapp-5e4daacf8c4f6150/h-5c28fbd913e815fc 2026-01-01T00:01:00~ WhatsApp(system) notice: "Verpasster Sprachanruf"
        whatsapp-5e4daacf8c4f6150/h-feaf8d0cdf93955a 2026-01-01T00:02:00~ +43 660 1234567(owner) text: "Prosit"
        whatsapp-5e4daacf8c4f6150/h-5922c28b30fb0cb8 2026-01-01T00:03:00~ Timo(person) text: "Zeile eins\nZeile zwei"
        skipped 2 media_placeholder: "\u{200e}[31.12.25, 21:06:00] Lena Brandt: \u{200e}Bild weggelassen"
        skipped 1 deleted: "[01.01.26, 00:00:01] Lena Brandt: \u{200e}Du hast diese Nachricht gelöscht."
        skipped 1 platform_notice: "\u{200e}[31.12.25, 21:05:09] Lena Brandt: \u{200e}Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt. Niemand außerhalb dieses Ch…"
        whatsapp: 1 conversations, 9 seen
    "#]],
    );
}

#[test]
fn whatsapp_iphone_with_captions_documents_and_places() {
    check(
        "whatsapp/iphone_us.txt",
        ImportOptions { me: Some("Mara Quist".into()), ..options() },
        expect![[r#"
        whatsapp-48de33f1064ec683/h-a20bfdc8c467735b 2026-01-05T09:00:05~ WhatsApp(system) notice: "Mara Quist added you"
        whatsapp-48de33f1064ec683/h-e11dd9e9a37433c6 2026-01-05T09:01:00~ Ana Lima(person) text: "Good morning!\nSecond line: [1/5/26] is today"
        whatsapp-48de33f1064ec683/h-f793c456ec946337 2026-01-05T12:05:10~ Mara Quist(owner) text: "Lunch at noon"
        whatsapp-48de33f1064ec683/h-2929976b25d669f0 2026-01-05T12:06:20~ Ana Lima(person) text: "Our first comb,\nlook!"
        whatsapp-48de33f1064ec683/h-9e1c3d2f27c5d82e 2026-01-05T12:07:20~ Mara Quist(owner) text: "And mine" {"file":"00000013-PHOTO-2026-01-05-12-07-20.jpg"}
        whatsapp-48de33f1064ec683/h-0721cccb644a654c 2026-01-05T12:08:10~ Mara Quist(owner) text: "I'll be late" {"edited":true}
        whatsapp-48de33f1064ec683/h-27377bf6ea48aa5d 2026-01-05T12:12:10~ WhatsApp(system) notice: "Missed voice call. Tap to call back"
        whatsapp-48de33f1064ec683/h-dca40547d2816892 2026-01-05T12:13:10~ Ana Lima(person) file: "Location: https://maps.google.com/?q=51.5,-0.1"
        whatsapp-48de33f1064ec683/h-79900014b759843f 2026-01-05T23:59:59~ +44 7700 900123(person) text: "@\u{2068}Mara Quist\u{2069} see you tomorrow"
        whatsapp-48de33f1064ec683/h-adb02f37f68bf59b 2026-01-06T00:00:01~ Mara Quist(owner) text: "After midnight"
        whatsapp-48de33f1064ec683/h-0acca46268f6134a 2026-01-13T09:00:00~ Mara Quist(owner) text: "On the thirteenth"
        skipped 4 media_placeholder: "\u{200e}[1/5/26, 12:06:10\u{202f}PM] ~\u{202f}Ana Lima: \u{200e}image omitted"
        skipped 1 deleted: "\u{200e}[1/5/26, 12:09:10\u{202f}PM] ~\u{202f}Ana Lima: \u{200e}This message was deleted."
        skipped 1 platform_notice: "\u{200e}[1/5/26, 9:00:01\u{202f}AM] Allotment 🐝: \u{200e}Messages and calls are end-to-end encrypted. Only people in this chat can read, lis…"
        skipped 1 poll: "\u{200e}[1/5/26, 12:11:10\u{202f}PM] Mara Quist: \u{200e}POLL: When do we meet? \u{200e}OPTION: Friday (1 vote) "
        whatsapp: 1 conversations, 18 seen
    "#]],
    );
}

#[test]
fn whatsapp_spanish_half_days() {
    check(
        "whatsapp/spanish.txt",
        options(),
        expect![[r#"
        whatsapp-210aa279c68a2482/h-3041978dd8c3b194 2026-02-28T21:05:00~ Inés(person) text: "¿Vienes mañana?"
        whatsapp-210aa279c68a2482/h-9393c5a3e489b356 2026-03-01T00:00:00~ Raúl(person) text: "Sí, soy vegetariano, acuérdate"
        skipped 1 media_placeholder: "28/2/26 9:06 p. m. - Raúl: imagen omitida"
        whatsapp: 1 conversations, 3 seen
    "#]],
    );
}

#[test]
fn whatsapp_dutch_dashes() {
    check(
        "whatsapp/dutch.txt",
        options(),
        expect![[r#"
        whatsapp-64296c31f8432267/h-0014c520c6a53889 2025-12-31T21:05:00~ Noor(person) text: "Ik werk nu in Utrecht"
        whatsapp-64296c31f8432267/h-46affa5f28c65e1f 2025-12-31T21:06:00~ Sam(person) text: "Mooi!"
        whatsapp: 1 conversations, 2 seen
    "#]],
    );
}

#[test]
fn whatsapp_year_first() {
    check(
        "whatsapp/year_first.txt",
        options(),
        expect![[r#"
        whatsapp-64296c31f8432267/h-fbba15fa1fc4cc38 2026-01-05T21:05:00~ Noor(person) text: "first"
        whatsapp-64296c31f8432267/h-9f4e1c7d1ab3055f 2026-02-05T21:06:00~ Sam(person) text: "second"
        whatsapp: 1 conversations, 2 seen
    "#]],
    );
}

#[test]
fn whatsapp_order_is_inferred_from_time_running_forwards() {
    check(
        "whatsapp/monotonic.txt",
        options(),
        expect![[r#"
        whatsapp-146a361d27113e20/h-f234e880cbd6b536 2026-01-11T10:00:00~ Ana(person) text: "one"
        whatsapp-146a361d27113e20/h-531f7a70d8694c5b 2026-02-03T10:00:00~ Ben(person) text: "two"
        whatsapp-146a361d27113e20/h-3955778943dda3f8 2026-02-10T10:00:00~ Ana(person) text: "three"
        whatsapp-146a361d27113e20/h-63b2406acfb657e5 2026-03-01T10:00:00~ Ben(person) text: "four"
        whatsapp: 1 conversations, 4 seen
    "#]],
    );
}

#[test]
fn whatsapp_ambiguous_dates_are_asked_about() {
    check(
        "whatsapp/ambiguous.txt",
        options(),
        expect![[r#"
        error: the order of day and month in FILE is unclear: "03/04/2026" may be 2026-04-03 or 2026-03-04; choose the order that the phone uses
    "#]],
    );
}

#[test]
fn whatsapp_ambiguous_dates_with_an_answer() {
    let order = Some(keepsake_importers::DateOrder::MonthFirst);
    check(
        "whatsapp/ambiguous.txt",
        ImportOptions { date_order: order, ..options() },
        expect![[r#"
        whatsapp-146a361d27113e20/h-46c4499db35f767a 2026-03-04T10:00:00~ Ana(person) text: "which day is this?"
        whatsapp-146a361d27113e20/h-f6ef90b16f4351a5 2026-04-04T10:01:00~ Ben(person) text: "nobody knows"
        whatsapp-146a361d27113e20/h-f38984fcc4a2a227 2026-05-04T10:02:00~ Ana(person) text: "ask me"
        whatsapp: 1 conversations, 3 seen
    "#]],
    );
}

#[test]
fn whatsapp_lines_without_header_and_empty_texts() {
    check(
        "whatsapp/no_header.txt",
        options(),
        expect![[r#"
        whatsapp-146a361d27113e20/h-73a364ea05284b57 2026-01-05T10:00:00~ Ana(person) text: "I play the cello"
        skipped 1 empty: "05.01.2026, 10:01 - Ben:"
        skipped 1 media_placeholder: "05.01.2026, 10:02 - Ana: null"
        skipped 2 no_header: "a line from nowhere"
        whatsapp: 1 conversations, 5 seen
    "#]],
    );
}
