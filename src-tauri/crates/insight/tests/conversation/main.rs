//! The status of conversations: promises, endings, tone, and the range of a summary.

mod asked;
mod commitments;
mod status;
