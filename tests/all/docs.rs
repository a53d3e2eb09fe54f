//! What the documents show is what the program says.

use tpbdbg::cmd::help;

#[test]
fn the_command_table_of_the_readme_is_generated() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("<!-- commands -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- /commands -->").unwrap();
    // `tpbdbg doc` prints the table to paste.
    assert_eq!(table.trim(), help::markdown().trim());
}
