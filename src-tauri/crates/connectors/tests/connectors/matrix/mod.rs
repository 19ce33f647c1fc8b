//! The Matrix connector against a real Synapse, and against a scripted server.

mod browser;
mod cipherer;
mod device;
mod discovery;
mod element;
mod rooms;
mod run;
mod scripted;
mod stream;
mod synapse;
