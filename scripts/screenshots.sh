#!/usr/bin/env bash
# Makes the pictures of the README from real runs: starts the release binary in tmux, types keys,
# reads the screen and draws it. Needs tmux and python3.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${TPBDBG:-target/release/tpbdbg}
[ -n "${TPBDBG:-}" ] || cargo build --release
out=assets/pictures
mkdir -p "$out"

# shot NAME COLUMNS ROWS PROGRAM KEYS...: every KEYS word is one argument of tmux send-keys.
shot() {
    local name=$1 columns=$2 rows=$3 arguments=$4 session="tpbdbg-shot-$$"
    shift 4
    tmux new-session -d -s "$session" -x "$columns" -y "$rows" \
        "env TERM=xterm-256color COLORTERM=truecolor NO_COLOR= $program $arguments"
    sleep 1
    for key in "$@"; do
        tmux send-keys -t "$session" "$key"
        sleep 0.3
    done
    sleep 0.5
    tmux capture-pane -e -p -t "$session" | python3 scripts/ansi2svg.py "$columns" "$rows" > "$out/$name.svg"
    tmux kill-session -t "$session"
}

shot default 160 48 "" s s s s s s s s s s s s
shot watch 160 48 assets/samples/pipeline.tasm ':watch w psum[0:64, bank 1]' Enter c o
shot small 80 24 assets/samples/softmax.tasm s s s
ls -l "$out"
