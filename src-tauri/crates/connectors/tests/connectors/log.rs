//! Keeps in memory everything that the program and its libraries write to the log, so that tests can search it for secrets.

use std::fmt::{Debug, Write as _};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static LOG: Mutex<String> = Mutex::new(String::new());

/// The log. A test that failed while logging does not affect the others.
fn log() -> MutexGuard<'static, String> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Collector;

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Collector {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Fields(&mut log()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Fields(&mut log()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields(&mut log()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Some of the libraries log this way.
impl log::Log for Collector {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        writeln!(log(), " {}", record.args()).unwrap();
    }

    fn flush(&self) {}
}

/// Starts to keep what is logged, at every level. Returns the number of bytes kept before.
pub(crate) fn collect() -> usize {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Collector).unwrap();
        log::set_logger(&Collector).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
    log().len()
}

/// What was logged since `from` bytes were kept.
pub(crate) fn since(from: usize) -> String {
    log()[from..].to_owned()
}
