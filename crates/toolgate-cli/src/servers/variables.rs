//! `${VAR}` and `${VAR:-default}` in the text of a configuration.

/// The text with its variables filled in. A `$` that begins none of the two is itself.
///
/// # Errors
///
/// Names the variable that is not set and has no default.
pub(crate) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else { break };
        out.push_str(before);
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
        if is_name(name) {
            // As in shells, `:-` stands for a variable that is empty, too.
            let value = variable(name).filter(|value| default.is_none() || !value.is_empty());
            let value = value.or_else(|| default.map(str::to_owned));
            out.push_str(&value.ok_or_else(|| format!("the variable `{name}` is not set"))?);
        } else {
            out.push_str(&format!("${{{inside}}}"));
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|ch: char| ch.is_ascii_digit())
        && name.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(text: &str, expected: Result<&str, &str>) {
        let variable = |name: &str| match name {
            "A" => Some("one".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(expand(text, &variable), expected, "{text}");
    }

    #[test]
    fn variables_are_filled_in() {
        becomes("x${A}y${A}", Ok("xoneyone"));
        becomes("${B:-two}/${EMPTY:-three}/${A:-four}/${B:-}", Ok("two/three/one/"));
        becomes("${EMPTY}", Ok(""));
        becomes("$A ${ A} ${1} ${input:key} ${", Ok("$A ${ A} ${1} ${input:key} ${"));
        becomes("a${B}", Err("the variable `B` is not set"));
    }
}
