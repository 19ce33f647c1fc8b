//! Search as pure rules: what a question says, how near two vectors are by their codes, and how hits are scored.
//!
//! Everything comes in as data and goes out as data, so that each rule can be tested, measured and fitted for itself. Deliberately
//! not here: the index on disk (`store`), the model (`models`), who may see what, and how the parts are put together (`engine`).

mod codes;
mod cues;
mod query;
mod score;
mod weights;

pub use codes::{Codes, EXACT_MIN, Near};
pub use cues::{Cues, Traits, names_one_of};
pub use query::{Filters, Kind, Moment, PART_CHARS_MIN, Query, TERMS_MAX, Term};
pub use score::{CUE_NAMES, CUES, Evidence};
pub use weights::VERSION as WEIGHTS_VERSION;
