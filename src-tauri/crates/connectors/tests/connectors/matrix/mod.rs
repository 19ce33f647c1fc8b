//! The Matrix connector against a real Synapse, and against a scripted server.

mod rooms;
mod run;
mod scripted;
mod stream;
mod synapse;
