//! Tables on the terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// A table with these headings; headings that begin with `>` are of columns of numbers, which stand to the right.
pub fn table<R: IntoIterator<Item = String>>(headings: &[&str], rows: impl IntoIterator<Item = R>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    // without a terminal nobody sees where a line ends, and a program wants whole lines
    let terminal = console::Term::stdout();
    if terminal.is_term() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(terminal.size().1);
    }
    table.set_header(headings.iter().map(|h| Cell::new(h.trim_start_matches('>'))));
    for row in rows {
        table.add_row(row);
    }
    for (i, heading) in headings.iter().enumerate() {
        if let Some(column) = table.column_mut(i) {
            column.set_padding((if i == 0 { 2 } else { 0 }, 2));
            if heading.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table.trim_fmt()
}
