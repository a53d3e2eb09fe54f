//! All integration tests, one binary so that linking happens once.

mod floors;
mod samples;
mod seeds;
