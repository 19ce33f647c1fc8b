//! Where conversations stand, as data: promises, endings, tone, and the range of a summary.

mod commitments;
mod standing;
