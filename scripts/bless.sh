#!/usr/bin/env bash
# Rewrites the expected output of the golden scripts. Read the difference before it is committed.
set -euo pipefail
cd "$(dirname "$0")/.."

TPBDBG_BLESS=1 cargo test --test all scripts::
git --no-pager diff --stat -- tests/scripts
