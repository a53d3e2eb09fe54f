//! Text of fields: listing form, parsing, explanation.
