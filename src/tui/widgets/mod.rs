//! Widgets: draw plain data, know nothing of machines or sessions.

pub mod heatgrid;
