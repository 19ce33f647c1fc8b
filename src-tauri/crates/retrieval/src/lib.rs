//! The pure rules of search: query parsing, vector codes for nearest-neighbor search, and scoring of hits.
//!
//! All input and output is plain data, so that each rule can be tested, measured and fitted separately. Deliberately not here:
//! the index on disk (`store`), the models (`models`), who may see what, and how the parts are combined (`engine`).

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
