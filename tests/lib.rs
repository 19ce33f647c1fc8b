//! Integration tests live in `main.rs`; this library is empty.
