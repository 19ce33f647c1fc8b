//! The formal reading of a message, once for every crate that reads messages: which stretches its author did not write.
//!
//! Shape is read here: quotation marks, fences, mail headers, stamps of chats, cues of subtitles. What words mean is for the trained
//! reader, a language model or the person. One list of English words is left for the rules that read without the reader, and goes with
//! them: what announces pasted text (`own`).

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
