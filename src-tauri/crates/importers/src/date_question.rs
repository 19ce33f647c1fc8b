//! The question whether the day or the month comes first, for files whose dates can be read both ways.
//!
//! Not here: finding such dates. The importer that reads them does that.

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
    /// The date read with the day first, as YYYY-MM-DD.
    pub day_first: String,
    /// The date read with the month first, as YYYY-MM-DD.
    pub month_first: String,
}
