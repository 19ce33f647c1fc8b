//! Search as pure rules: what a question says, the words of a text, how near two vectors are by their codes, and how hits are scored.
//!
//! Everything comes in as data and goes out as data, so that each rule can be tested, measured and fitted for itself. Deliberately
//! not here: the index on disk (`store`), the model (`models`), who may see what, and how the parts are put together (`engine`).

mod codes;
mod cues;
mod query;
mod score;
mod stem;
mod weights;
mod words;

pub use codes::{Codes, EXACT_MIN, Near};
pub use cues::{Cues, Traits, names_one_of};
pub use query::{Filters, Kind, Moment, PART_CHARS_MIN, Query, TERMS_MAX, Term, is_stop_word};
pub use score::{CUE_NAMES, CUES, Evidence};
pub use stem::stem;
pub use weights::VERSION as WEIGHTS_VERSION;
pub use words::{Word, fold, is_unspaced, words};
