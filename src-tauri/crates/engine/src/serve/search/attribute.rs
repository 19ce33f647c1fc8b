//! Recognizes questions about an attribute ("allergies", "which pets do I have", "my address") and puts approved memories
//! about it first.
//!
//! The embedding model determines the attribute by comparing the question with short sample questions about each attribute.
//! If none is clearly the nearest, the question is handled like any other.
//!
//! Not in this module: facts that nobody approved, and the order of messages (`rank`).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use keepsake_domain::{Attribute, MemoryId};
use keepsake_store::{ReadTx, StoreError};

use super::{MemoryHit, Why};
use crate::areas::Serve;

/// Sample questions, long and short, for each attribute that people ask about by name. Other attributes (likes, plans,
/// opinions) are asked about by their subject.
const QUESTIONS: [(Attribute, &str); 40] = [
    (Attribute::Age, "How old are they?"),
    (Attribute::Age, "age"),
    (Attribute::Birthday, "When is their birthday?"),
    (Attribute::Birthday, "date of birth"),
    (Attribute::Home, "Where do they live?"),
    (Attribute::Home, "home address"),
    (Attribute::Home, "Which town is she living in?"),
    (Attribute::Origin, "Where do they come from?"),
    (Attribute::Origin, "Where was she born and brought up?"),
    (Attribute::Job, "What is their job?"),
    (Attribute::Job, "What does she do for a living?"),
    (Attribute::Job, "profession"),
    (Attribute::Employer, "Which company do they work for?"),
    (Attribute::Employer, "employer"),
    (Attribute::Education, "Which school or university did they go to?"),
    (Attribute::Education, "What did she study?"),
    (Attribute::Health, "What illnesses do they have, and what medication do they take?"),
    (Attribute::Health, "health conditions"),
    (Attribute::Allergy, "What allergies do they have?"),
    (Attribute::Allergy, "Which foods is she allergic to?"),
    (Attribute::Diet, "What is their diet?"),
    (Attribute::Diet, "Is she a vegetarian or vegan?"),
    (Attribute::Pet, "What pets do they have?"),
    (Attribute::Pet, "What is the name of their dog or cat?"),
    (Attribute::Language, "Which languages do they speak?"),
    (Attribute::Language, "Does she speak German?"),
    (Attribute::Hobby, "What are their hobbies?"),
    (Attribute::Hobby, "What does she do in her spare time?"),
    (Attribute::Partner, "Who is their partner, their husband or wife?"),
    (Attribute::Partner, "Is she married?"),
    (Attribute::Child, "Who are their children?"),
    (Attribute::Child, "How many kids does she have?"),
    (Attribute::Parent, "Who are their parents?"),
    (Attribute::Parent, "her mother and father"),
    (Attribute::Sibling, "Who are their brothers and sisters?"),
    (Attribute::Sibling, "Does she have siblings?"),
    (Attribute::Faith, "What is their religion?"),
    (Attribute::Contact, "What is their phone number or email?"),
    (Attribute::Contact, "contact details"),
    (Attribute::Contact, "How can I reach her?"),
];

/// Minimum cosine at which a question is about an attribute. Of 28 questions about attributes, including three in German, 25
/// are recognized and one is assigned to another attribute. Of 25 other questions that use such words, three are mistaken for
/// questions about an attribute (decision 65).
const NEARNESS_MIN: f32 = 0.5;

/// Minimum lead in cosine over every other attribute.
const LEAD_MIN: f32 = 0.08;

/// Maximum number of memories put first. People seldom have more values of one attribute, and a list of everybody's homes
/// answers nothing.
const FIRST_MAX: usize = 5;

/// Vectors of the sample questions, cached with the name of their model.
#[derive(Debug, Default)]
pub(crate) struct AttributeQuestions(Mutex<Option<Embedded>>);

#[derive(Debug)]
struct Embedded {
    model: String,
    vectors: Arc<Vec<Vec<f32>>>,
}

impl AttributeQuestions {
    fn vectors(&self, embedder: &dyn keepsake_models::Embedder) -> Option<Arc<Vec<Vec<f32>>>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| known.model == embedder.name()) {
            return Some(Arc::clone(&known.vectors));
        }
        let vectors = embedder
            .embed_questions(&QUESTIONS.map(|(_, question)| question))
            .inspect_err(|error| tracing::warn!(%error, "questions about attributes could not be embedded"))
            .ok()?;
        let vectors = Arc::new(vectors);
        *known = Some(Embedded { model: embedder.name().to_owned(), vectors: Arc::clone(&vectors) });
        Some(vectors)
    }
}

/// The attribute with the nearest sample question, if it is clearly the nearest. Pure.
fn nearest(question: &[f32], questions: &[Vec<f32>]) -> Option<Attribute> {
    let cosine = |vector: &Vec<f32>| vector.iter().zip(question).map(|(x, y)| x * y).sum::<f32>();
    let found: Vec<(f32, Attribute)> =
        questions.iter().zip(QUESTIONS).map(|(vector, (attribute, _))| (cosine(vector), attribute)).collect();
    let (best, attribute) = found.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_led = |(next, other): &(f32, Attribute)| *other == attribute || best - next >= LEAD_MIN;
    (best >= NEARNESS_MIN && found.iter().all(is_led)).then_some(attribute)
}

impl Serve<'_> {
    /// The attribute that a question is about, given its vector; `None` without a model or without a clear match.
    pub(crate) fn attribute_asked(&self, question: &[f32]) -> Option<Attribute> {
        let embedder = self.engine.inner.embedder.ready()?;
        nearest(question, &self.engine.inner.attribute_questions.vectors(&*embedder)?)
    }

    /// Puts approved memories about the requested attribute first.
    pub(super) fn add_of_attribute(
        &self,
        tx: &ReadTx<'_>,
        open: &[MemoryId],
        question: &[f32],
        hits: &mut Vec<MemoryHit>,
    ) -> Result<(), StoreError> {
        let Some(attribute) = self.attribute_asked(question) else { return Ok(()) };
        let of_attribute: HashSet<MemoryId> = tx.memories().of_attribute(attribute)?.into_iter().collect();
        let best = hits.first().map_or(0.0, |hit| hit.score);
        // Memories that match the other words of the question, especially the person, come first; then the newest.
        let (mut first, others): (Vec<_>, Vec<_>) =
            std::mem::take(hits).into_iter().partition(|hit| of_attribute.contains(&hit.id));
        let is_new = |id: &&MemoryId| of_attribute.contains(*id) && first.iter().all(|hit| hit.id != **id);
        let more: Vec<&MemoryId> = open.iter().rev().filter(is_new).take(FIRST_MAX.saturating_sub(first.len())).collect();
        first.extend(more.into_iter().map(|id| MemoryHit { id: id.clone(), score: 0.0, meaning: None, why: Vec::new() }));
        for hit in &mut first {
            hit.score = hit.score.max(best);
            hit.why.push(Why::Attribute);
        }
        *hits = first;
        hits.extend(others);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_asked_about_where_it_is_clearly_the_nearest() {
        let along = |at: usize, length: f32| {
            let mut vector = vec![0.0; QUESTIONS.len()];
            vector[at] = length;
            vector
        };
        let questions: Vec<Vec<f32>> = (0..QUESTIONS.len()).map(|at| along(at, 1.0)).collect();
        let of = |attribute: Attribute| QUESTIONS.iter().position(|(other, _)| *other == attribute).unwrap();
        let allergy = of(Attribute::Allergy);
        assert_eq!(nearest(&along(allergy, 0.9), &questions), Some(Attribute::Allergy));
        assert_eq!(nearest(&along(allergy, NEARNESS_MIN - 0.1), &questions), None, "too far");
        let mut between = along(allergy, 0.7);
        between[allergy + 1] = 0.69;
        assert_eq!(nearest(&between, &questions), Some(Attribute::Allergy), "two questions about one attribute");
        between[of(Attribute::Diet)] = 0.69;
        assert_eq!(nearest(&between, &questions), None, "as near to another");
        assert_eq!(nearest(&[], &[]), None);
    }
}
