mod lines;
mod programs;
