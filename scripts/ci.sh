#!/usr/bin/env bash
# Everything that must pass before a change lands. Run it from anywhere.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

step format
cargo fmt --all --check
step lint
cargo clippy --all-targets -- -D warnings
step test
cargo test
step docs
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --document-private-items
step "every benchmark once"
cargo bench -- --test
