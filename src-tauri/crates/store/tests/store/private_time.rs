//! Compares periods of exclusion with a simple model: exactly the messages that arrived while a conversation was excluded are
//! left out.

use keepsake_store::PrivateTime;
use keepsake_testkit::conversation;
use proptest::prelude::*;

use crate::bench::Bench;

/// An action of the person or of a channel.
#[derive(Debug, Clone, Copy)]
enum Act {
    Message,
    Elsewhere,
    On,
    Off,
    Use,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![3 => Just(Act::Message), 1 => Just(Act::Elsewhere), 2 => Just(Act::On), 2 => Just(Act::Off), 1 => Just(Act::Use)];
    proptest::collection::vec(act, 1..24)
}

/// The rule in its simplest form: a flag for each message.
#[derive(Default)]
struct Model {
    is_private: bool,
    left_out: Vec<bool>,
}

impl Model {
    fn act(&mut self, act: Act) {
        match act {
            Act::Message => self.left_out.push(self.is_private),
            Act::Elsewhere => {}
            Act::On => self.is_private = true,
            Act::Off => self.is_private = false,
            Act::Use => {
                self.is_private = false;
                self.left_out.fill(false);
            }
        }
    }
}

fn run(bench: &Bench, acts: &[Act]) -> (Model, Vec<bool>, usize) {
    let mut model = Model::default();
    let (mut here, mut there) = ("owner Mara 09:00: first".to_owned(), String::new());
    bench.append(&conversation("c", &here));
    model.act(Act::Message);
    let id = bench.conversation("c");
    for (index, act) in acts.iter().enumerate() {
        match act {
            Act::Message => {
                here.push_str(&format!("\nowner Mara 10:{index:02}: line {index}"));
                bench.append(&conversation("c", &here));
            }
            Act::Elsewhere => {
                there.push_str(&format!("\nowner Mara 10:{index:02}: line {index}"));
                bench.append(&conversation("d", there.trim()));
            }
            Act::On => bench.store.write(|tx| tx.log().set_private(&id, true)).unwrap(),
            Act::Off => bench.store.write(|tx| tx.log().end_private(&id, PrivateTime::LeaveOut)).unwrap(),
            Act::Use => bench.store.write(|tx| tx.log().end_private(&id, PrivateTime::Use)).unwrap(),
        }
        model.act(*act);
    }
    let left_out: Vec<bool> = bench
        .messages("c")
        .iter()
        .map(|message| bench.store.read(|tx| tx.log().is_in_private_time(message.seq)).unwrap())
        .collect();
    let intervals = bench.store.read(|tx| tx.log().private_intervals(&id)).unwrap().len();
    assert_eq!(
        bench.store.read(|tx| tx.log().private_time_messages(&id)).unwrap(),
        left_out.iter().filter(|each| **each).count() as u64,
        "the count is of the same messages"
    );
    assert_eq!(bench.store.read(|tx| tx.log().conversation(&id)).unwrap().is_private, model.is_private);
    (model, left_out, intervals)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_arrived_in_private_is_left_out_and_nothing_else(acts in acts()) {
        let (model, left_out, intervals) = run(&Bench::new(), &acts);
        prop_assert_eq!(&left_out, &model.left_out);
        if !model.is_private && !left_out.contains(&true) {
            prop_assert_eq!(intervals, 0, "a private time in which nothing arrived leaves no trace");
        }
    }
}

/// Negative control: under the former rule, turning exclusion on and off once left out all earlier messages.
#[test]
fn a_toggle_taken_back_differs_from_leaving_out_all_before_it() {
    let (_, left_out, _) = run(&Bench::new(), &[Act::Message, Act::On, Act::Off]);
    assert_eq!(left_out, [false, false]);
    assert_ne!(left_out, [true, true], "what `private_through_seq` did");
    let (_, left_out, _) = run(&Bench::new(), &[Act::Message, Act::On, Act::Message, Act::Off]);
    assert_eq!(left_out, [false, false, true], "what arrived meanwhile stays out");
}

#[test]
fn private_time_is_not_used_while_it_lasts_and_can_be_later() {
    let bench = Bench::new();
    let (_, left_out, _) = run(&bench, &[Act::On, Act::Message, Act::Off]);
    assert_eq!(left_out, [false, true]);
    let id = bench.conversation("c");
    bench.store.write(|tx| tx.log().mark_extracted(&id, bench.messages("c")[1].seq)).unwrap();
    bench.store.write(|tx| tx.log().end_private(&id, PrivateTime::Use)).unwrap();
    assert!(!bench.store.read(|tx| tx.log().is_in_private_time(bench.messages("c")[1].seq)).unwrap());
    assert_eq!(bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap(), [id], "and is read");
}
