//! A list of objects as a table: a column a name, in the order in which names come.

use crate::show::{BOLD, columns, filled, split_columns, visible};
use toolgate::json::{Kind, Value};

/// Columns between two columns.
const GAP: usize = 2;
/// No column is narrower, unless what is in it is.
const NARROW: usize = 8;
/// Names beyond which it is no table for people.
const COLUMNS_MAX: usize = 40;

/// The table, cut to the screen where there is one; `None` where the value is no table.
pub(super) fn render(value: Value<'_>, screen: Option<usize>) -> Option<String> {
    let rows: Vec<Value<'_>> = list(value)?.items().collect();
    if rows.is_empty() || rows.iter().any(|row| row.kind() != Kind::Object) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| row.members()) {
        let name = name.as_str().unwrap_or_default().into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() || names.len() > COLUMNS_MAX {
        return None;
    }
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| names.iter().map(|name| row.get(name).map_or(String::new(), cell)).collect()).collect();
    let mut widths: Vec<usize> = names.iter().map(|name| columns(&visible(name))).collect();
    for row in &cells {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(columns(cell)));
    }
    screen.into_iter().for_each(|screen| fit(&mut widths, screen));
    let heads: Vec<String> = names.iter().map(|name| visible(name)).collect();
    let mut out = format!("{BOLD}{}{BOLD:#}\n", line(&heads, &widths));
    cells.iter().for_each(|row| out.push_str(&format!("{}\n", line(row, &widths))));
    Some(out)
}

/// A list, or the one list that an object holds.
fn list(value: Value<'_>) -> Option<Value<'_>> {
    if value.kind() == Kind::Array {
        return Some(value);
    }
    let mut lists = value.members().map(|(_, inner)| inner).filter(|inner| inner.kind() == Kind::Array);
    lists.next().filter(|_| lists.next().is_none())
}

fn cell(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Null => String::new(),
        Kind::String => visible(&value.as_str().unwrap_or_default()),
        _ => visible(&value.text().split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

/// Takes from the widest until all fit, or none can give more.
fn fit(widths: &mut [usize], screen: usize) {
    loop {
        let all = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let Some(widest) = widths.iter_mut().max() else { return };
        if all <= screen || *widest <= NARROW {
            return;
        }
        *widest -= 1;
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let cells = cells.iter().zip(widths).map(|(cell, width)| {
        if columns(cell) <= *width {
            return filled(cell, *width);
        }
        let (head, _) = split_columns(cell, width.saturating_sub(1));
        filled(&format!("{head}…"), *width)
    });
    cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::answer::read;

    #[track_caller]
    fn table(json: &str, screen: Option<usize>, expected: Option<&str>) {
        let document = read(json).unwrap();
        let told = render(document.root(), screen).map(|text| anstream::adapter::strip_str(&text).to_string());
        assert_eq!(told.as_deref(), expected, "{json}");
    }

    #[test]
    fn objects_are_rows() {
        table(
            r#"[{"id":1.50,"name":"a"},{"name":"港","more":[1, 2]}]"#,
            None,
            Some("id    name  more\n1.50  a\n      港    [1, 2]\n"),
        );
        table(r#"{"total":2,"items":[{"a":null}]}"#, None, Some("a\n\n"));
        table(
            r#"[{"a":"0123456789","b":"0123456789012345"}]"#,
            Some(24),
            Some("a           b\n0123456789  01234567890…\n"),
        );
    }

    #[test]
    fn what_is_no_list_of_objects_is_no_table() {
        for json in ["[]", "[1]", "{}", r#"{"a":[{}],"b":[{}]}"#, "7", "[{}]"] {
            table(json, None, None);
        }
    }
}
