//! Conversations by their titles: whoever types what one is called finds where it begins.
//!
//! All of the words must stand in the title; one that shares a word with a question is found by what was said in it. Deliberately not
//! here: titles of topics (`topics`), the operator `channel:` (`scope`).

use std::collections::HashMap;

use keepsake_retrieval::{Evidence, Query};
use keepsake_store::{ReadTx, StoreError};
use keepsake_text::{fold, words};

use super::index::Index;
use super::rank::{Hit, Why, hit};
use super::scope::Scope;
use crate::served::may_be_served;

/// Conversations that are found by their titles, at most, the newest first: more of one title are no choice.
const TITLED_MAX: usize = 3;

/// Whoever types more words asks for what was said.
const TITLE_TERMS_MAX: usize = 6;

/// Where the conversations begin whose titles hold all that is looked for, of those that may be looked at. The owner sees every title, an
/// agent only such as it may be served. Each is as good as the best of the others, whose `score` this is.
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
    // How its longest word begins rules out most of them, and is quick to look for. The last letter of a stem may be no letter of the
    // word: "parti" of "party".
    let same = longest.plain.chars().zip(longest.stem.chars()).take_while(|(plain, stem)| plain == stem);
    let beginning: String = same.map(|(plain, _)| plain).collect();
    let mut named: Vec<String> = Vec::new();
    tx.conversation_titles(|id, title| {
        if fold(title).contains(&beginning) {
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
        let Some(first) = tx.first_seq(&id)?.filter(|first| scope.home(index, *first).is_some()) else { continue };
        if let Some(message) = tx.messages_at([first])?.pop() {
            // It is what was asked for, whatever the message itself says.
            let evidence = Evidence { words: 1.0, ..Evidence::default() };
            found.push(hit(tx, &mut heads, message, score, vec![Why::Name], evidence)?);
        }
        if found.len() == TITLED_MAX {
            break;
        }
    }
    Ok(found)
}
