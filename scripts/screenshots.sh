#!/usr/bin/env bash
# Makes the pictures of the README from real runs: starts the release binary in tmux, types keys,
# reads the screen and draws it. Needs tmux and python3.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${TPBDBG:-target/release/tpbdbg}
[ -n "${TPBDBG:-}" ] || cargo build --release
out=assets/pictures
mkdir -p "$out"

# One server for all, so that ending a screen does not end it.
socket=tpbdbg-shot-$$
tmux -L "$socket" new-session -d -s keep "sleep 600"
trap 'tmux -L "$socket" kill-server' EXIT

# shot NAME COLUMNS ROWS PROGRAM KEYS...: every KEYS word is one argument of tmux -L "$socket" send-keys.
shot() {
    local name=$1 columns=$2 rows=$3 arguments=$4 session=$1
    shift 4
    tmux -L "$socket" new-session -d -s "$session" -x "$columns" -y "$rows" \
        "env TERM=xterm-256color COLORTERM=truecolor NO_COLOR= $program $arguments"
    sleep 1
    for key in "$@"; do
        tmux -L "$socket" send-keys -t "$session" "$key"
        sleep 0.3
    done
    sleep 0.5
    tmux -L "$socket" capture-pane -e -p -t "$session" | python3 scripts/ansi2svg.py "$columns" "$rows" > "$out/$name.svg"
    tmux -L "$socket" kill-session -t "$session"
}

shot default 160 48 "" s s s s s s s s s s s s
shot memory 160 48 assets/samples/layer_norm.tasm c L m ':heat mode age' Enter
shot deadlock 160 48 assets/samples/bug-deadlock.tasm c L s
shot watch 160 48 assets/samples/pipeline.tasm ':watch w psum[0:64, bank 2]' Enter c c C ':who psum[0, bank 2, 0:4] as fp32' Enter
shot tile 160 48 assets/samples/layer_norm.tasm c L m ':heat show y' Enter ':layout open tile' Enter z
shot palette 160 48 assets/samples/softmax.tasm s s s C-p h e a t
shot small 80 24 assets/samples/softmax.tasm s s s
ls -l "$out"
