//! The job queue, alerts, maintenance runs, and calls to language models.

pub(crate) mod alerts;
pub(crate) mod maintenance;
pub(crate) mod model_calls;
pub(crate) mod queue;
