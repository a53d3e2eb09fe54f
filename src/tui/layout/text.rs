//! Layouts as text: `row(3 bundles, 2 column(1 sbuf, =8 log))`; `=8` is eight cells, other numbers are shares.

use std::fmt;

use thiserror::Error;

use super::{Axis, Node, PaneId, Size};

/// Why a text is no layout.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LayoutError {
    /// Something else was expected.
    #[error("layout: column {}: expected {wanted}", at + 1)]
    Expected {
        /// Byte where it should stand.
        at: usize,
        /// What.
        wanted: &'static str,
    },
    /// A pane stands twice.
    #[error("layout: `{0}` is there twice")]
    Twice(&'static str),
}

/// Splits within splits at most.
const DEPTH: usize = 16;

impl Node {
    /// Reads a layout.
    ///
    /// # Errors
    /// [`LayoutError`] says where, and what should stand there.
    pub fn parse(text: &str) -> Result<Node, LayoutError> {
        let mut reader = Reader { text, at: 0 };
        let mut node = reader.node(0)?;
        reader.blank();
        if reader.at < text.len() {
            return Err(reader.expected("the end"));
        }
        let mut panes = node.panes();
        panes.sort_unstable();
        if let Some(pair) = panes.windows(2).find(|w| w.first() == w.last()) {
            return Err(LayoutError::Twice(pair.first().map_or("", |p| p.name())));
        }
        node.tidy();
        Ok(node)
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn expected(&self, wanted: &'static str) -> LayoutError {
        LayoutError::Expected {
            at: self.at,
            wanted,
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blank(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn sign(&mut self, sign: char) -> bool {
        self.blank();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    fn word(&mut self, fits: fn(char) -> bool) -> String {
        self.blank();
        let word: String = self.rest().chars().take_while(|c| fits(*c)).collect();
        self.at += word.len();
        word
    }

    fn node(&mut self, depth: usize) -> Result<Node, LayoutError> {
        self.blank();
        let start = self.at;
        let word = self.word(|c| c.is_ascii_alphabetic());
        let axis = match word.as_str() {
            "row" => Axis::Row,
            "column" => Axis::Column,
            name => {
                let id = PaneId::parse(name);
                self.at = if id.is_some() { self.at } else { start };
                return id
                    .map(Node::Pane)
                    .ok_or_else(|| self.expected("`row`, `column` or a pane"));
            }
        };
        if depth == DEPTH {
            return Err(self.expected("fewer splits within splits"));
        }
        if !self.sign('(') {
            return Err(self.expected("`(`"));
        }
        let mut parts = Vec::new();
        loop {
            let cells = self.sign('=');
            let n = self
                .word(|c| c.is_ascii_digit())
                .parse()
                .ok()
                .filter(|n| (1..=9999).contains(n));
            let n = n.ok_or_else(|| self.expected("a size from 1 to 9999"))?;
            let size = if cells {
                Size::Cells(n)
            } else {
                Size::Share(n)
            };
            parts.push((size, self.node(depth + 1)?));
            if self.sign(')') {
                return Ok(Node::Split(axis, parts));
            }
            if !self.sign(',') {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (axis, parts) = match self {
            Node::Pane(id) => return f.write_str(id.name()),
            Node::Split(axis, parts) => (axis, parts),
        };
        f.write_str(if *axis == Axis::Row {
            "row("
        } else {
            "column("
        })?;
        for (i, (size, node)) in parts.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            match size {
                Size::Share(n) => write!(f, "{comma}{n} {node}")?,
                Size::Cells(n) => write!(f, "{comma}={n} {node}")?,
            }
        }
        f.write_str(")")
    }
}
