//! Text analysis shared by all crates that read messages. Its main task is to find the parts of a message that its author did
//! not write.
//!
//! Only formatting is used here: quotation marks, code fences, mail headers, chat timestamps, subtitle cues. Meaning is left to
//! the trained reader, a language model or the person. One list of English words remains: the words that announce pasted text
//! (`own`). It serves the rules that work without the reader, and will be removed with them.

mod borrowed;
mod code;
mod instruction;
mod language;
mod own;
pub mod pattern;
mod quotation;
mod sentence;
mod stem;
mod words;

pub use borrowed::{Borrowed, Form, borrowed};
pub use instruction::{hides_text, is_instruction, is_invisible, is_order};
pub use language::Language;
pub use own::{OwnWords, introduces_paste, own_words};
pub use sentence::sentences;
pub use stem::stem;
pub use words::{Word, fold, is_stop_word, is_unspaced, whole_words, words};
