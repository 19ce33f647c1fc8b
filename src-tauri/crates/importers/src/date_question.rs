//! The question which of day and month comes first, where the dates of a file can be read both ways.
//!
//! Not here: finding such dates, which is done by the importer that reads them.

/// A question about the date order that only a person can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateQuestion {
    /// The first and the last date in the file that can be read in two ways.
    pub samples: Vec<DateSample>,
}

/// One date, read both ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateSample {
    /// The date as written in the file.
    pub written: String,
    /// The date read day first, as YYYY-MM-DD.
    pub day_first: String,
    /// The date, parsed with the month first and returned as YYYY-MM-DD.
    pub month_first: String,
}
