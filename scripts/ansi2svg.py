#!/usr/bin/env python3
"""Turns a terminal screen with escape sequences (tmux capture-pane -e -p) into an SVG picture.

usage: ansi2svg.py COLUMNS ROWS < screen > picture.svg
Cells are drawn at fixed positions, so the picture does not depend on the viewer's font metrics.
"""
import re
import sys
import unicodedata
from xml.sax.saxutils import escape

W, H = 8.4, 17
BASE = ["#1b1d23", "#e06c75", "#7fbf6f", "#d8b35a", "#5f9fe8", "#c678dd", "#4fb8c4", "#c8ccd4"]
BRIGHT = ["#5c6370", "#ff8087", "#9fdc8c", "#f0cb6e", "#7db8ff", "#dd96f2", "#6fd6e0", "#ffffff"]
FG, BG = "#d0d4dc", "#14161b"


def colour256(n):
    if n < 8:
        return BASE[n]
    if n < 16:
        return BRIGHT[n - 8]
    if n < 232:
        n -= 16
        steps = [0, 95, 135, 175, 215, 255]
        return "#%02x%02x%02x" % (steps[n // 36], steps[n // 6 % 6], steps[n % 6])
    g = 8 + 10 * (n - 232)
    return "#%02x%02x%02x" % (g, g, g)


def sgr(state, params):
    p = [int(x) if x else 0 for x in params.split(";")] if params else [0]
    i = 0
    while i < len(p):
        v = p[i]
        if v == 0:
            state.update(fg=None, bg=None, bold=False, dim=False, rev=False)
        elif v == 1:
            state["bold"] = True
        elif v == 2:
            state["dim"] = True
        elif v == 7:
            state["rev"] = True
        elif v == 22:
            state["bold"] = state["dim"] = False
        elif v == 27:
            state["rev"] = False
        elif 30 <= v <= 37:
            state["fg"] = BASE[v - 30]
        elif 90 <= v <= 97:
            state["fg"] = BRIGHT[v - 90]
        elif 40 <= v <= 47:
            state["bg"] = BASE[v - 40]
        elif 100 <= v <= 107:
            state["bg"] = BRIGHT[v - 100]
        elif v == 39:
            state["fg"] = None
        elif v == 49:
            state["bg"] = None
        elif v in (38, 48):
            key = "fg" if v == 38 else "bg"
            if i + 2 < len(p) and p[i + 1] == 5:
                state[key] = colour256(p[i + 2])
                i += 2
            elif i + 4 < len(p) and p[i + 1] == 2:
                state[key] = "#%02x%02x%02x" % tuple(p[i + 2:i + 5])
                i += 4
        i += 1


def cells(line):
    state = dict(fg=None, bg=None, bold=False, dim=False, rev=False)
    out = []
    for m in re.finditer(r"\x1b\[([0-9;]*)m|\x1b[^m]*m|(.)", line):
        if m.group(2) is None:
            if m.group(1) is not None:
                sgr(state, m.group(1))
            continue
        fg, bg = state["fg"] or FG, state["bg"] or BG
        if state["rev"]:
            fg, bg = bg, fg
        style = (fg, bg, state["bold"], state["dim"])
        out.append((m.group(2), style))
        if unicodedata.east_asian_width(m.group(2)) in "WF":
            out.append(("", style))
    return out


# Block elements are drawn as boxes, so that neighbours join without gaps.
BLOCKS = {"▀": (0, 0, 1, .5), "▄": (0, .5, 1, .5), "█": (0, 0, 1, 1)}


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    lines = sys.stdin.read().split("\n")[:rows]
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * W:.0f}" height="{rows * H:.0f}" '
          f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">')
    print(f'<rect width="100%" height="100%" fill="{BG}"/>')
    for y, line in enumerate(lines):
        row = cells(line)[:columns]
        x = 0
        while x < len(row):
            run = x
            while run < len(row) and row[run][1][1] == row[x][1][1]:
                run += 1
            if row[x][1][1] != BG:
                print(f'<rect x="{x * W:.1f}" y="{y * H}" width="{(run - x) * W + .3:.1f}" height="{H + .3}" fill="{row[x][1][1]}"/>')
            x = run
        for x, (c, (fg, _, bold, dim)) in enumerate(row):
            if c in BLOCKS:
                bx, by, bw, bh = BLOCKS[c]
                print(f'<rect x="{(x + bx) * W:.1f}" y="{(y + by) * H:.1f}" width="{bw * W + .3:.1f}" height="{bh * H + .3:.1f}" fill="{fg}"/>')
        x = 0
        while x < len(row):
            c, style = row[x]
            if c.strip() == "" or c in BLOCKS:
                x += 1
                continue
            run = x
            # ASCII runs share an element; everything else is placed on its own.
            while run < len(row) and row[run][1] == style and row[run][0].isascii() and row[run][0] != "":
                run += 1
            run = max(run, x + 1)
            text = "".join(r[0] for r in row[x:run])
            fg, _, bold, dim = style
            extra = (' font-weight="bold"' if bold else "") + (' opacity="0.6"' if dim else "")
            print(f'<text x="{x * W:.1f}" y="{y * H + 13}" fill="{fg}"{extra} xml:space="preserve" '
                  f'textLength="{(run - x) * W:.1f}">{escape(text)}</text>')
            x = run
    print("</svg>")


main()
