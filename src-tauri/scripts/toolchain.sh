#!/usr/bin/env bash
# Sees that Rust, Node and Python are there and new enough, and says what to do where one is not.
set -euo pipefail

fail() { echo "$*" >&2; exit 1; }
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

command -v cargo >/dev/null || fail "Rust is missing. Install it with rustup (https://rustup.rs), then run the command again."
rust=$(rustc --version | cut -d' ' -f2)
at_least 1.95.0 "$rust" || fail "Rust $rust is too old, 1.95 or newer is needed. Run \`rustup update\`."
command -v npm >/dev/null || fail "Node with npm is missing. Install Node 20.19 or newer, then run the command again."
node=$(node --version)
at_least 20.19.0 "${node#v}" || fail "Node $node is too old, 20.19 or newer is needed."
command -v python3 >/dev/null || fail "Python 3 is missing. Install python3 (3.11 or newer), then run the command again."
