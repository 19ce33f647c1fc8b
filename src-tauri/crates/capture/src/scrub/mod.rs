//! Scrubbing: the copy of a text that may be shown to a model. (being written)
