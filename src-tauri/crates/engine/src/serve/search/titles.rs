//! Finds conversations by title: a query that matches a title finds the beginning of the conversation.
//!
//! All words of the query must be in the title. A title that shares only one word with a question does not count; such a
//! conversation is found by its messages.
//!
//! Not in this module: topic titles (`topics`), and the operator `channel:` (`scope`).

use std::collections::HashMap;

use keepsake_retrieval::{Evidence, Query};
use keepsake_store::{ReadTx, StoreError};
use keepsake_text::{fold, words};

use super::index::Index;
use super::rank::{Hit, Why, hit};
use super::scope::Scope;
use crate::serve::masked::may_be_served;

/// Maximum number of conversations found by title, newest first; more would be too many to choose from.
const TITLED_MAX: usize = 3;

/// Maximum number of words in a title query; a longer query asks about content.
const TITLE_TERMS_MAX: usize = 6;

/// The first messages of conversations in scope whose titles contain all the words. The owner sees every title, an agent
/// only those that may be served. Each hit gets `score`, the best score among the other hits.
pub(super) fn titled(
    tx: &ReadTx<'_>,
    index: &Index,
    scope: &Scope,
    query: &Query,
    is_owner: bool,
    score: f64,
) -> Result<Vec<Hit>, StoreError> {
    let Some(longest) = query.terms.iter().max_by_key(|term| term.plain.chars().count()) else { return Ok(Vec::new()) };
    if query.terms.len() > TITLE_TERMS_MAX {
        return Ok(Vec::new());
    }
    // A quick check rules out most titles: they must contain the beginning of the longest word. The check uses only the part
    // that the word and its stem share, because the last letter of a stem may differ from the word: "parti" for "party".
    let same = longest.plain.chars().zip(longest.stem.chars()).take_while(|(plain, stem)| plain == stem);
    let beginning: String = same.map(|(plain, _)| plain).collect();
    let mut named: Vec<String> = Vec::new();
    tx.search().conversation_titles(|id, title| {
        // Titles out of scope are not examined, because the time taken would reveal them.
        if scope.covers(index, id) && fold(title).contains(&beginning) {
            let title_words = words(title);
            let holds_all = query.terms.iter().all(|term| title_words.iter().any(|word| term.matches(word)));
            if holds_all && (is_owner || may_be_served(title)) {
                named.push(id.to_owned());
            }
        }
    })?;
    let mut heads = HashMap::new();
    let mut found: Vec<Hit> = Vec::new();
    for id in named {
        let Some(first) = tx.search().first_seq(&id)?.filter(|first| scope.home(index, *first).is_some()) else { continue };
        if let Some(message) = tx.search().messages_at([first])?.pop() {
            // The conversation was asked for by its title, so the words of this message do not matter.
            let evidence = Evidence { words: 1.0, ..Evidence::default() };
            found.push(hit(tx, &mut heads, message, score, vec![Why::Name], evidence)?);
        }
        if found.len() == TITLED_MAX {
            break;
        }
    }
    Ok(found)
}
