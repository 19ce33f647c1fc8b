//! The integration tests are in `main.rs`; this library is empty.
