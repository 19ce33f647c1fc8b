//! Turns the reader's raw scores into probabilities. `training/measure.py` fits the coefficients, and the description of the
//! weights contains them.

use std::collections::BTreeMap;

/// Minimum distance of a score from 0 and 1, where its logit would be infinite.
const EDGE: f64 = 1e-6;

/// The coefficients `[a, b]` of `sigmoid(a · logit(score) + b)`, by label and language group.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Calibration(BTreeMap<String, BTreeMap<String, [f64; 2]>>);

impl Calibration {
    /// The probability that a span with this label and raw score is correct.
    pub(crate) fn probability(&self, label: &str, is_english: bool, score: f32) -> f64 {
        let group = if is_english { "english" } else { "other" };
        let [a, b] = self.0.get(label).and_then(|groups| groups.get(group)).copied().unwrap_or([1.0, 0.0]);
        let score = f64::from(score).clamp(EDGE, 1.0 - EDGE);
        let logit = (score / (1.0 - score)).ln();
        1.0 / (1.0 + (-(a * logit + b)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_become_probabilities_by_label_and_language() {
        let calibration: Calibration = serde_json::from_str(r#"{"fact": {"english": [1.0, 0.0], "other": [1.0, 1.0]}}"#).unwrap();
        let near = |value: f64, expect: f64| assert!((value - expect).abs() < 1e-6, "{value} is not {expect}");
        near(calibration.probability("fact", true, 0.7), 0.7);
        near(calibration.probability("fact", false, 0.5), 0.731_058_6);
        near(calibration.probability("C", true, 0.25), 0.25);
    }
}
