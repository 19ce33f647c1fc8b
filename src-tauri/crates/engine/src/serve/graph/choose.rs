//! Chooses how many nodes of each kind a graph contains. Pure.

/// Number of nodes of each kind, either available or chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) people: usize,
    pub(super) topics: usize,
    /// Projects and technologies.
    pub(super) names: usize,
    pub(super) memories: usize,
    pub(super) places: usize,
}

/// Distributes the room among the kinds, one node at a time in turn, so that a numerous kind does not crowd out the others
/// and no kind gets room that it does not fill.
pub(super) fn room_for(there: Wanted, room: usize) -> Wanted {
    let there = [there.people, there.topics, there.memories, there.places, there.names];
    let mut given = [0; 5];
    let mut left = room.min(there.iter().sum());
    while left > 0 {
        for (given, there) in given.iter_mut().zip(there) {
            if left > 0 && *given < there {
                *given += 1;
                left -= 1;
            }
        }
    }
    let [people, topics, memories, places, names] = given;
    Wanted { people, topics, names, memories, places }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wanted([people, topics, names, memories, places]: [usize; 5]) -> Wanted {
        Wanted { people, topics, names, memories, places }
    }

    #[test]
    fn no_kind_crowds_out_another() {
        let check = |there: [usize; 5], room: usize, expect: [usize; 5]| {
            assert_eq!(room_for(wanted(there), room), wanted(expect), "{there:?} in {room}");
        };
        check([1, 2, 0, 3, 4], 59, [1, 2, 0, 3, 4]);
        check([500, 500, 500, 500, 500], 59, [12, 12, 11, 12, 12]);
        check([1, 0, 0, 900, 900], 59, [1, 0, 0, 29, 29]);
        check([0, 0, 0, 0, 1_000], 59, [0, 0, 0, 0, 59]);
        check([9, 9, 9, 9, 9], 0, [0; 5]);
    }

    proptest! {
        #[test]
        fn all_room_is_used_and_no_more(
            there in proptest::array::uniform5(0_usize..200),
            room in 0_usize..100,
        ) {
            let given = room_for(wanted(there), room);
            let given = [given.people, given.topics, given.names, given.memories, given.places];
            prop_assert!(given.iter().zip(there).all(|(given, there)| *given <= there));
            prop_assert_eq!(given.iter().sum::<usize>(), room.min(there.iter().sum()));
        }
    }
}
