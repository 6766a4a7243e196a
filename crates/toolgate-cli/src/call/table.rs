//! A list of objects as a table: a column a name, in the order in which names come.

use crate::show::{BOLD, columns, counted, filled, quoted_for_shell, split_columns, visible};
use toolgate::json::{Kind, Value};
use toolgate::pointer_segment;

/// Columns between two columns.
const GAP: usize = 2;
/// No column is narrower, unless what is in it is.
const NARROW: usize = 8;
/// Names beyond which it is no table for people.
const COLUMNS_MAX: usize = 40;
/// Lists that are named where it is not known which is meant.
const LISTS_MAX: usize = 8;

/// The table, cut to the screen where there is one.
///
/// # Errors
///
/// Says why the value is no table, and with which `--select` beside `at` a part of it is one.
pub(super) fn render(value: Value<'_>, at: &str, screen: Option<usize>) -> Result<String, String> {
    let rows: Vec<Value<'_>> = list(value, at)?.items().collect();
    if rows.is_empty() {
        return Err("the list is empty".to_owned());
    }
    if rows.iter().any(|row| row.kind() != Kind::Object) {
        return Err("not every item of the list is an object".to_owned());
    }
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| row.members()) {
        let name = name.as_str().unwrap_or_default().into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() || names.len() > COLUMNS_MAX {
        return Err(format!("the objects have {}", counted(names.len(), "name")));
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
    Ok(out)
}

/// A list, or the one list that an object holds.
fn list<'v>(value: Value<'v>, at: &str) -> Result<Value<'v>, String> {
    if value.kind() == Kind::Array {
        return Ok(value);
    }
    let lists: Vec<(Value<'_>, Value<'_>)> = value.members().filter(|(_, inner)| inner.kind() == Kind::Array).collect();
    match lists.as_slice() {
        [(_, only)] => Ok(*only),
        [] => Err("it holds no list of objects".to_owned()),
        several => {
            let selects = several.iter().take(LISTS_MAX).map(|(name, _)| {
                let pointer = format!("{at}/{}", pointer_segment(&name.as_str().unwrap_or_default()));
                format!("--select {}", quoted_for_shell(&pointer))
            });
            let selects = selects.collect::<Vec<_>>().join(" or ");
            Err(format!("it holds {}; ask for one with {selects}", counted(several.len(), "list")))
        }
    }
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
    fn table(json: &str, screen: Option<usize>, expected: Result<&str, &str>) {
        let document = read(json).unwrap();
        let told = render(document.root(), "/at", screen).map(|text| anstream::adapter::strip_str(&text).to_string());
        assert_eq!(told.as_deref().map_err(String::as_str), expected, "{json}");
    }

    #[test]
    fn objects_are_rows() {
        table(
            r#"[{"id":1.50,"name":"a"},{"name":"港","more":[1, 2]}]"#,
            None,
            Ok("id    name  more\n1.50  a\n      港    [1, 2]\n"),
        );
        table(r#"{"total":2,"items":[{"a":null}]}"#, None, Ok("a\n\n"));
        table(
            r#"[{"a":"0123456789","b":"0123456789012345"}]"#,
            Some(24),
            Ok("a           b\n0123456789  01234567890…\n"),
        );
    }

    #[test]
    fn what_is_no_list_of_objects_is_no_table() {
        for (json, why) in [
            ("[]", "the list is empty"),
            ("[1]", "not every item of the list is an object"),
            ("{}", "it holds no list of objects"),
            ("7", "it holds no list of objects"),
            ("[{}]", "the objects have 0 names"),
            (
                r#"{"a b":[{}],"c/d":[{}]}"#,
                "it holds 2 lists; ask for one with --select '/at/a b' or --select '/at/c~1d'",
            ),
        ] {
            table(json, None, Err(why));
        }
    }
}
