#!/usr/bin/env bash
# Runs every check and test, goes on after a failure so that all of them are seen, and ends with one line that counts.
# `make test` prepares what this needs: system packages, the built page, the embedding model.
set -uo pipefail
cd "$(dirname "$0")/../.."
export NO_COLOR=1 CARGO_TERM_COLOR=never

logs=.cache/test-logs
rm -rf "$logs" && mkdir -p "$logs"
passed=0 failed=0

# Tests that a log reports: cargo's "test result:" lines, Vitest's "Tests" line, Node's "# pass" line, and of unittest
# "Ran N tests" with "FAILED (failures=N, errors=N)"; what was skipped counts as neither.
count() {
  awk -v word="$2" '
    /^test result:/ { for (i = 1; i < NF; i++) if ($(i + 1) ~ "^" word) sum += $i }
    /^ +Tests  / { for (i = 1; i < NF; i++) if ($(i + 1) ~ "^" word) sum += $i }
    /^# (pass|fail) / { if (word ~ "^" $2) sum += $3 }
    /^Ran [0-9]+ tests? in / { if (word == "passed") sum += $2 }
    /^(FAILED|OK) \(/ { while (match($0, /(failures|errors|skipped)=[0-9]+/)) {
        what = substr($0, RSTART, RLENGTH); number = what; sub(/.*=/, "", number)
        if (word == "passed") sum -= number; else if (what !~ /^skipped/) sum += number
        $0 = substr($0, RSTART + RLENGTH) } }
    END { print sum + 0 }' "$1"
}

# A stage that fails without a failed test of its own (a lint, a build) counts as one failure.
stage() {
  local name=$1 started=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  "$@" 2>&1 | tee "$logs/$name.log"
  status=${PIPESTATUS[0]}
  local ok bad
  ok=$(count "$logs/$name.log" passed) bad=$(count "$logs/$name.log" failed)
  ((status != 0 && bad == 0)) && bad=1
  passed=$((passed + ok)) failed=$((failed + bad))
  printf '== %s: %s, %d s\n' "$name" "$( ((status == 0)) && echo ok || echo FAILED)" $((SECONDS - started))
  return "$status"
}

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

stage format cargo fmt --all --check
# Every crate in one call: asked for in parts, cargo would build shared dependencies once for each set of features.
stage clippy cargo clippy --workspace --all-targets --locked -- -D warnings
# Links in comments name what is there, private items included.
RUSTDOCFLAGS="-D warnings" stage docs cargo doc --workspace --no-deps --document-private-items --locked
# The programs first: tests of the command line and of the page drive them.
stage build cargo build --workspace --bins --locked
built=$?
stage rust cargo test --workspace --locked --no-fail-fast
stage training python3 -m unittest discover -s src-tauri/training
((built == 0)) && "$target/debug/keepsake-types" > ui/src/api/schema.ts
stage ui-types npm --prefix ui run --silent typecheck
stage ui-lint npm --prefix ui run --silent lint
stage ui-tests npm --prefix ui test --silent
if ((built == 0)); then
  KEEPSAKE_APP="$target/debug/keepsake-app" KEEPSAKE_CLI="$target/debug/keepsake" \
    stage window node --test --test-reporter=tap --test-concurrency=1 tests/e2e/specs/
fi

printf '\n%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
