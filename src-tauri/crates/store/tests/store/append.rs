//! Appending: idempotence, revisions, erased messages that stay out, and a speaker who is later recognized as the owner.

use keepsake_domain::{Message, Role};
use keepsake_testkit::{Conversation, conversation};
use proptest::prelude::*;

use crate::bench::{Bench, NOW};

const TALK: &str = "owner Mara: I moved to Porto\nassistant Nova: How is it?\nowner Mara: Windy";

#[test]
fn the_same_batch_twice_adds_nothing() {
    let bench = Bench::new();
    let first = bench.append(&conversation("c", TALK));
    assert_eq!((first.imported, first.duplicate, first.created.len(), first.touched.len()), (3, 0, 1, 1));
    let (truth, rest) = (bench.truth(), everything_else(&bench));
    let again = bench.append(&conversation("c", TALK));
    assert_eq!((again.imported, again.duplicate), (0, 3));
    assert!(again.created.is_empty() && again.touched.is_empty(), "nothing was touched");
    assert_eq!((bench.truth(), everything_else(&bench)), (truth, rest));
}

fn everything_else(bench: &Bench) -> Vec<String> {
    ["conversations", "entities", "entity_channels"]
        .iter()
        .flat_map(|table| bench.dump(&format!("SELECT * FROM {table} ORDER BY 1")))
        .collect()
}

#[test]
fn an_edited_text_is_a_revision_beside_the_old_one() {
    let bench = Bench::new();
    bench.append(&conversation("c", TALK));
    let outcome = bench.append(&conversation("c", &TALK.replace("Windy", "Windy and warm")));
    assert_eq!((outcome.imported, outcome.duplicate), (1, 2));
    let shown: Vec<_> = bench.messages("c").into_iter().map(|m| (m.content, m.revision)).collect();
    assert_eq!(shown[2], ("Windy and warm".to_owned(), 1), "the newest revision is shown");
    assert_eq!(bench.dump("SELECT content FROM interactions WHERE revision = 0").len(), 3, "the old text stays in the log");
    let old_again = bench.append(&conversation("c", TALK));
    assert_eq!((old_again.imported, old_again.duplicate), (0, 3), "an older export is no edit back");
}

#[test]
fn a_longer_export_adds_only_what_is_new() {
    let bench = Bench::new();
    bench.append(&conversation("c", TALK));
    let longer = bench.append(&conversation("c", &format!("{TALK}\nassistant Nova 12:00: Bring a coat\n")));
    assert_eq!((longer.imported, longer.duplicate, longer.created.len(), longer.touched.len()), (1, 3, 0, 1));
    let row = bench.store.read(|tx| tx.log().conversation(&bench.conversation("c"))).unwrap();
    assert_eq!((row.messages, row.first, row.last), (4, NOW, NOW.plus_ms(2 * 3_600_000)));
}

#[test]
fn texts_are_kept_exactly() {
    let bench = Bench::new();
    let texts = ["", " leading and trailing ", "a\0b", "\u{feff}bom", "e\u{301} and é", "👩‍👩‍👧 zero\u{200b}width", "line\r\nline"];
    let mut messages = conversation("c", &"owner Mara: x\n".repeat(texts.len()));
    for (message, text) in messages.iter_mut().zip(texts) {
        message.text = text.to_owned();
    }
    bench.append(&messages);
    assert_eq!(bench.messages("c").iter().map(|m| m.content.as_str()).collect::<Vec<_>>(), texts);
    assert_eq!(bench.append(&messages).duplicate, texts.len() as u64);
}

#[test]
fn erased_stays_erased() {
    let bench = Bench::new();
    bench.append(&conversation("c", TALK));
    bench.erase("c");
    let truth = bench.truth();
    let again = bench.append(&conversation("c", TALK));
    assert_eq!((again.imported, again.duplicate, again.erased), (0, 0, 3));
    let edited = bench.append(&conversation("c", &TALK.replace("Windy", "Sunny")));
    assert_eq!((edited.imported, edited.erased), (0, 3), "an edit of an erased message does not come in either");
    assert_eq!(bench.truth(), truth);
    assert_eq!(everything_else(&bench), Vec::<String>::new(), "not even the speakers' names come back");
    let longer = bench.append(&conversation("c", &format!("{TALK}\nowner Mara: New words\n")));
    assert_eq!((longer.imported, longer.erased), (1, 3), "what is new is new");
}

#[test]
fn a_speaker_recognised_as_the_owner_later_is_read_again() {
    let bench = Bench::new();
    let as_person = "person Mara: I moved to Porto\nperson Ana: Nice";
    let as_owner = "owner Mara: I moved to Porto\nperson Ana: Nice";
    let whatsapp = Conversation::new("c").channel("whatsapp", "Ana");
    bench.append(&whatsapp.messages(as_person));
    bench.append(&Conversation::new("d").channel("whatsapp", "Ben").messages("person Mara: I like rain"));
    for source in ["c", "d"] {
        let id = bench.conversation(source);
        bench.store.write(|tx| tx.log().mark_extracted(&id, tx.log().last_seq(&id)?)).unwrap();
    }
    assert!(bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap().is_empty());
    assert_eq!(bench.messages("c")[0].role, Role::Person);

    let changes = bench.store.subscribe();
    let outcome = bench.append(&whatsapp.messages(as_owner));
    assert_eq!((outcome.imported, outcome.duplicate), (0, 2));
    assert_eq!(outcome.touched.len(), 2, "every conversation of that speaker");
    assert_eq!(bench.messages("c")[0].role, Role::Owner, "the row is as it was; who it is changed");
    assert_eq!(bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap().len(), 2);
    assert!(!changes.try_recv().unwrap().is_empty(), "open windows hear of it");
    assert_eq!(bench.store.read(|tx| tx.log().owner()).unwrap().unwrap().0, "Mara");
    assert!(bench.append(&whatsapp.messages(as_owner)).touched.is_empty(), "once");
}

#[test]
fn recognising_the_owner_does_not_reopen_a_private_period() {
    let bench = Bench::new();
    let whatsapp = Conversation::new("c").channel("whatsapp", "Ana").private();
    bench.append(&whatsapp.messages("person Mara: said in private"));
    let id = bench.conversation("c");
    bench.store.write(|tx| tx.log().set_private(&id, false)).unwrap();
    bench.append(&Conversation::new("c").channel("whatsapp", "Ana").messages("owner Mara: said in private"));
    assert!(
        bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap().is_empty(),
        "nothing from the private time is ever read"
    );
}

#[test]
fn a_private_message_makes_its_stored_conversation_private() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: in the open"));
    let private = Conversation::new("c").private();
    bench.append(&private.messages("owner Mara: in the open"));
    assert!(
        !bench.store.read(|tx| tx.log().conversation(&bench.conversation("c"))).unwrap().is_private,
        "a repeat decides nothing"
    );
    bench.append(&private.messages("owner Mara: in the open\nowner Mara: between us"));
    assert!(bench.store.read(|tx| tx.log().conversation(&bench.conversation("c"))).unwrap().is_private);
    assert!(bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap().is_empty());
}

#[test]
fn a_speaker_renamed_by_the_source_gets_no_empty_handle() {
    let bench = Bench::new();
    let whatsapp = Conversation::new("c").channel("whatsapp", "Ana");
    bench.append(&whatsapp.messages("person Ana: hello"));
    bench.append(&whatsapp.messages("person Ana Lind: hello"));
    assert_eq!(bench.dump("SELECT channel_handle FROM entity_channels"), ["Ana"]);
}

/// Messages of a few conversations, some of which are later edits of others.
fn messages() -> impl Strategy<Value = Vec<Message>> {
    let one = (0..3_usize, 0..6_usize, 0..3_usize, prop::bool::ANY);
    prop::collection::vec(one, 1..25).prop_map(|picks| {
        let lines = "owner Mara: x\nassistant Nova: x\nowner Mara: x\nassistant Nova: x\nowner Mara: x\nassistant Nova: x";
        picks
            .into_iter()
            .map(|(source, number, text, is_branch)| {
                let mut message = conversation(&format!("c{source}"), lines).swap_remove(number);
                message.text = format!("text {text} of {number}");
                message.is_branch = is_branch && number == 0;
                message
            })
            .collect()
    })
}

/// The content of the log, independent of arrival order.
fn said(bench: &Bench) -> Vec<String> {
    let mut rows = bench.dump(
        "SELECT source_conversation, source_message, author, role, content, created_at_ms, channel_type FROM interactions ORDER BY 1, 2, 5",
    );
    rows.extend(
        bench.dump("SELECT source_conversation, messages, started_at_ms, last_activity_at_ms FROM conversations ORDER BY 1"),
    );
    rows
}

#[test]
fn a_batch_of_several_statements_is_what_its_messages_are_one_by_one() {
    let (one, many) = (Bench::new(), Bench::new());
    let lines = |answer: &str| {
        let line = |n: usize| format!("owner Mara: question {n}\nassistant Nova: {answer} {n}\n");
        conversation("c", &(0..60).map(line).collect::<String>())
    };
    // The batch repeats and edits rows that are already written, and rows that are still being collected.
    let mut batch = lines("answer");
    batch.extend(lines("answer").into_iter().rev());
    batch.extend(lines("better answer").into_iter().rev());
    batch.extend(conversation("d", TALK));
    batch.extend(conversation("d", &TALK.replace("Windy", "Warm")));
    let outcome = one.append(&batch);
    assert_eq!((outcome.imported, outcome.duplicate), (120 + 60 + 3 + 1, 120 + 60 + 2));
    for message in batch.chunks(1) {
        many.append(message);
    }
    let linked = "SELECT seq, source_message, revision, content, author, metadata, direction FROM interactions ORDER BY seq";
    assert_eq!(one.dump(linked), many.dump(linked));
    assert_eq!(said(&one), said(&many));
    let people = "SELECT messages, first_ms, last_ms FROM conversation_people ORDER BY 1, 2, 3";
    assert_eq!(one.dump(people), many.dump(people));
    assert!(one.store.read(|tx| tx.log().verify_chain()).unwrap().faults.is_empty());
    let hits = one.store.read(|tx| tx.search().messages("better", 200)).unwrap().len();
    assert_eq!(hits, 60, "and all of it is in the index");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_and_any_batches_give_the_same_set(
        (ordered, shuffled) in messages().prop_flat_map(|m| (Just(m.clone()), Just(m).prop_shuffle())),
        cut in 1..8_usize,
    ) {
        let (one, many) = (Bench::new(), Bench::new());
        let whole = one.append(&ordered);
        let mut imported = 0;
        for batch in shuffled.chunks(cut) {
            imported += many.append(batch).imported;
        }
        // The branch flag is not compared, because it depends on which of several equal messages arrived first.
        prop_assert_eq!(whole.imported, imported);
        prop_assert_eq!(said(&one), said(&many));
        prop_assert!(many.store.read(|tx| tx.log().verify_chain()).unwrap().faults.is_empty());
        prop_assert_eq!(many.append(&ordered).imported, 0);
        let rows = one.dump("SELECT count(*) FROM interactions").pop();
        prop_assert_eq!(rows, Some(imported.to_string()));
    }
}

#[test]
fn a_conversation_is_with_its_counterpart_and_not_with_who_spoke_first() {
    let check = |batches: &[&str], expect: &str| {
        let bench = Bench::new();
        for batch in batches {
            bench.append(&Conversation::new("c").channel("whatsapp", "c").messages(batch));
        }
        let with = "SELECT e.display_name FROM conversations c JOIN entities e ON e.id = c.entity_id";
        assert_eq!(bench.dump(with), [expect], "{batches:?}");
    };
    check(&["owner Mara: hello"], "Mara");
    check(&["owner Mara: hello\nperson Ana: hi\nperson Ben: hi"], "Ana");
    check(&["assistant Nova: hello\nowner Mara: hi"], "Nova");
    check(&["assistant Nova: hello\nowner Mara: hi\nperson Ana: hi"], "Ana");
    let first = "owner Mara: hello";
    check(&[first, "owner Mara: hello\nassistant Nova: hi"], "Nova");
    check(&[first, "owner Mara: hello\nassistant Nova: hi", "owner Mara: hello\nassistant Nova: hi\nperson Ana: hi"], "Ana");
    // A conversation is not assigned to a speaker who is later identified as the owner.
    check(&["person Mara: hello\nperson Ana: hi"], "Mara");
    check(&["person Mara: hello\nperson Ana: hi", "owner Mara: hello\nperson Ana: hi"], "Ana");
    // The same applies if the other person's message came just before, in the same batch.
    check(&["person Mara: hello", "person Mara: hello\nperson Ana: hi\nowner Mara: that is me"], "Ana");
}
