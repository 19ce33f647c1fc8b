//! A fair lock: it serves callers in the order in which they arrive.
//!
//! A plain lock goes to whichever caller asks first after its release. That is usually the previous holder, so an import would
//! write batch after batch while an approval waits. Here every caller draws a number, and the lock serves callers in the order
//! of their numbers.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Result, StoreError};

#[derive(Debug, Default)]
struct Numbers {
    drawn: u64,
    served: u64,
}

/// A value that one caller at a time may use.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    numbers: Mutex<Numbers>,
    moved_on: Condvar,
    value: Mutex<T>,
}

impl<T> Turns<T> {
    pub(crate) fn of(value: T) -> Self {
        Self { numbers: Mutex::default(), moved_on: Condvar::new(), value: Mutex::new(value) }
    }

    /// Waits until all earlier callers have been served.
    pub(crate) fn wait(&self) -> Result<Turn<'_, T>> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = numbers.drawn;
        numbers.drawn += 1;
        let mine_is_up = self.moved_on.wait_while(numbers, |numbers| numbers.served != mine);
        drop(mine_is_up.unwrap_or_else(PoisonError::into_inner));
        let end = End(self);
        Ok(Turn { value: self.value.lock().map_err(|_| StoreError::Poisoned)?, _end: end })
    }
}

/// Exclusive access to the value, released on drop.
#[derive(Debug)]
pub(crate) struct Turn<'t, T> {
    value: MutexGuard<'t, T>,
    // Fields are dropped in this order: the value is released before the next caller is served.
    _end: End<'t, T>,
}

#[derive(Debug)]
struct End<'t, T>(&'t Turns<T>);

impl<T> Drop for End<'_, T> {
    fn drop(&mut self) {
        self.0.numbers.lock().unwrap_or_else(PoisonError::into_inner).served += 1;
        self.0.moved_on.notify_all();
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_straight_back_comes_after_those_who_wait() {
        // A plain lock goes back to the first holder nearly every time; this one must never do that.
        for _ in 0..20 {
            let turns = Turns::of(Vec::new());
            let first = turns.wait().unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| turns.wait().unwrap().push("who waited"));
                while turns.numbers.lock().unwrap().drawn < 2 {
                    std::thread::yield_now();
                }
                drop(first);
                turns.wait().unwrap().push("who came back");
            });
            assert_eq!(*turns.wait().unwrap(), ["who waited", "who came back"]);
        }
    }

    #[test]
    fn a_turn_that_panics_ends_and_the_next_one_is_told() {
        let turns = Turns::of(());
        let turn = std::panic::AssertUnwindSafe(|| {
            let _turn = turns.wait();
            panic!("in the middle of it");
        });
        assert!(std::panic::catch_unwind(turn).is_err());
        assert!(matches!(turns.wait(), Err(StoreError::Poisoned)), "what it left behind is not trusted");
        assert!(turns.wait().is_err(), "and nobody waits for ever");
    }
}
