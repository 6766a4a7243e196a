//! Holds the arrows of `ARCHITECTURE.md`: which crate may know which, and what the core may not know at all.

use crate::workspace::{Crate, Dependency, Kind, Workspace};
use std::path::{Path, PathBuf};

/// Which crates of ours a crate may build on. A crate that is not named here may not exist.
const ARROWS: &[(&str, &[&str])] = &[
    ("toolgate-proof", &[]),
    ("toolgate", &["toolgate-proof"]),
    ("toolgate-mcp", &["toolgate"]),
    // Has a workspace of its own.
    ("toolgate-rig", &["toolgate", "toolgate-mcp"]),
    ("toolgate-gateway", &["toolgate"]),
    // A plain server, as anybody would write one; its guarded twin uses `toolgate-mcp` as any user would.
    ("toolgate-demo", &["toolgate-mcp"]),
    ("toolgate-cli", &["toolgate", "toolgate-proof", "toolgate-mcp", "toolgate-gateway", "toolgate-demo"]),
    ("toolgate-bench", &["toolgate", "toolgate-gateway", "toolgate-mcp", "toolgate-proof"]),
    ("xtask", &["toolgate"]),
];

/// The crate of ours that has a workspace of its own.
const OUTSIDE: &str = "crates/toolgate-rig";

/// What would make the core anything but a pure function of its arguments.
const IMPURE_CRATES: &[&str] = &[
    "tokio",
    "async-std",
    "smol",
    "futures",
    "rmcp",
    "hyper",
    "axum",
    "reqwest",
    "rand",
    "getrandom",
    "chrono",
    "time",
    "tracing",
    "log",
];
const IMPURE_MODULES: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "std::io",
    "SystemTime",
    "Instant::",
];

/// Features of serde_json that are global to a build: a library that switches one on changes its users' numbers.
const GLOBAL_FEATURES: &[&str] = &["arbitrary_precision", "preserve_order", "unbounded_depth", "float_roundtrip"];

/// Everything that is not as the architecture says, one line each.
pub(crate) fn faults(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    let outside = Workspace::of(&workspace.path(OUTSIDE)).unwrap_or_else(|why| {
        faults.push(why);
        Workspace::default()
    });
    for (name, package) in workspace.crates().iter().chain(outside.crates()) {
        arrows(name, package, &mut faults);
        folder(workspace.root(), name, package, &mut faults);
        global_features(name, package, &mut faults);
        test_files(package, &mut faults);
    }
    match workspace.crates().get("toolgate") {
        Some(core) => purity(core, &mut faults),
        None => faults.push("there is no crate `toolgate`".to_owned()),
    }
    faults
}

fn arrows(name: &str, package: &Crate, faults: &mut Vec<String>) {
    let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| *from == name) else {
        faults.push(format!("crate `{name}` is not in the architecture"));
        return;
    };
    for Dependency { name: to, kind, .. } in &package.dependencies {
        let ours = ARROWS.iter().any(|(known, _)| known == to);
        // A test may look at a crate from outside, and may put the demo server behind what it tests.
        let in_tests = *kind == Kind::Dev && (to == name || to == "toolgate-demo" || to == "toolgate-proof");
        if ours && !allowed.contains(&to.as_str()) && !in_tests {
            faults.push(format!("`{name}` may not depend on `{to}`"));
        }
    }
}

fn folder(root: &Path, name: &str, package: &Crate, faults: &mut Vec<String>) {
    let expected = match name {
        "xtask" => root.join("xtask"),
        "toolgate-bench" => root.join("bench"),
        name => root.join("crates").join(name),
    };
    if package.folder != expected {
        faults.push(format!("`{name}` is not in the folder of its name"));
    }
}

fn global_features(name: &str, package: &Crate, faults: &mut Vec<String>) {
    for dependency in package.dependencies.iter().filter(|dependency| dependency.name == "serde_json") {
        for feature in dependency.features.iter().filter(|feature| GLOBAL_FEATURES.contains(&feature.as_str())) {
            faults.push(format!("`{name}` switches on serde_json's `{feature}` for the whole build"));
        }
    }
}

/// A file of tests that no module takes in would be passed over without a word.
fn test_files(package: &Crate, faults: &mut Vec<String>) {
    let folder = package.folder.join("tests/it");
    if !folder.is_dir() {
        return;
    }
    let files = match rust_files(&folder) {
        Ok(files) => files,
        Err(why) => return faults.push(why),
    };
    for file in files {
        let Some(index) = index_of(&folder, &file) else { continue };
        if !std::fs::read_to_string(&index).is_ok_and(|text| takes_in(&text, &file)) {
            faults.push(format!("{} is no module of {}", file.display(), index.display()));
        }
    }
}

/// The file that has to name this one as its module; none for the first of all.
fn index_of(tests: &Path, file: &Path) -> Option<PathBuf> {
    let is_index = file.file_stem().is_some_and(|stem| stem == "mod");
    let folder = if is_index { file.parent()?.parent()? } else { file.parent()? };
    let index = folder.join(if folder == tests { "main.rs" } else { "mod.rs" });
    (index != file).then_some(index)
}

fn takes_in(index: &str, file: &Path) -> bool {
    let stem = file.file_stem().filter(|stem| *stem != "mod").or_else(|| file.parent()?.file_name());
    let module = format!("mod {};", stem.unwrap_or_default().to_string_lossy());
    index.lines().any(|line| line.ends_with(&module))
}

fn purity(core: &Crate, faults: &mut Vec<String>) {
    for dependency in core.dependencies.iter().filter(|dependency| dependency.kind == Kind::Normal) {
        if IMPURE_CRATES.contains(&dependency.name.as_str()) {
            faults.push(format!("the core depends on `{}`", dependency.name));
        }
    }
    let files = match rust_files(&core.folder.join("src")) {
        Ok(files) if !files.is_empty() => files,
        Ok(_) => return faults.push("the core has no source".to_owned()),
        Err(why) => return faults.push(why),
    };
    for file in files {
        match std::fs::read_to_string(&file) {
            Ok(source) => faults.extend(impure_lines(&source).map(|fault| format!("{}: {fault}", file.display()))),
            Err(error) => faults.push(format!("{}: {error}", file.display())),
        }
    }
}

/// Lines of code, tests apart, that name what the core may not know.
fn impure_lines(source: &str) -> impl Iterator<Item = String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let numbered = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    numbered.filter_map(|(index, line)| {
        let module = IMPURE_MODULES.iter().find(|module| line.contains(**module))?;
        Some(format!("line {} names `{module}`", index + 1))
    })
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// What the invariants of `ARCHITECTURE.md` name as the tests that hold them, and what of it is not there.
#[cfg(test)]
mod invariants {
    use crate::workspace::Workspace;

    #[test]
    fn name_tests_that_exist() {
        let workspace = Workspace::find().unwrap();
        let page = std::fs::read_to_string(workspace.path("ARCHITECTURE.md")).unwrap();
        let (_, invariants) = page.split_once("## Invariants").unwrap();
        let judge = std::fs::read_to_string(workspace.path("cases/judge.json")).unwrap();
        let named: Vec<&str> = invariants.split('`').skip(1).step_by(2).collect();
        assert!(named.len() > 20, "the page names {} things", named.len());
        for name in named {
            assert!(exists(&workspace, &judge, name), "`{name}` is named by an invariant and is not there");
        }
    }

    /// A test in a file, a group of cases, a file, or else a word of the text.
    fn exists(workspace: &Workspace, judge: &str, name: &str) -> bool {
        if let Some((file, test)) = name.split_once("::") {
            let source = std::fs::read_to_string(workspace.path(file)).unwrap_or_default();
            source.contains(&format!("fn {test}("))
        } else if let Some(group) = name.strip_prefix("judge: ") {
            judge.replace("\": \"", "\":\"").contains(&format!("\"group\":\"{group}\""))
        } else if name.contains(['/', '.']) && !name.starts_with("_meta") {
            workspace.path(name).exists()
        } else {
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depending_on(names: &[(&str, Kind)]) -> Crate {
        let dependency =
            |(name, kind): &(&str, Kind)| Dependency { name: (*name).to_owned(), kind: *kind, features: Vec::new() };
        Crate { folder: PathBuf::new(), dependencies: names.iter().map(dependency).collect() }
    }

    #[track_caller]
    fn arrow(from: &str, to: &str, kind: Kind, expected: &[&str]) {
        let mut faults = Vec::new();
        arrows(from, &depending_on(&[(to, kind)]), &mut faults);
        assert_eq!(faults, expected);
    }

    #[test]
    fn the_workspace_is_as_the_architecture_says() {
        let faults = faults(&Workspace::find().unwrap());
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn an_arrow_points_one_way() {
        arrow("toolgate-gateway", "toolgate", Kind::Normal, &[]);
        arrow("toolgate", "toolgate-gateway", Kind::Normal, &["`toolgate` may not depend on `toolgate-gateway`"]);
        arrow("toolgate", "toolgate-gateway", Kind::Dev, &["`toolgate` may not depend on `toolgate-gateway`"]);
        arrow("toolgate-proof", "toolgate", Kind::Normal, &["`toolgate-proof` may not depend on `toolgate`"]);
        arrow("toolgate-gateway", "toolgate-demo", Kind::Dev, &[]);
        arrow(
            "toolgate-gateway",
            "toolgate-demo",
            Kind::Normal,
            &["`toolgate-gateway` may not depend on `toolgate-demo`"],
        );
    }

    #[test]
    fn a_crate_nobody_planned_is_named() {
        arrow("toolgate-utils", "serde", Kind::Normal, &["crate `toolgate-utils` is not in the architecture"]);
    }

    #[test]
    fn impure_code_is_named_and_comments_and_tests_are_not() {
        let source = "// std::fs is not for us\nuse std::fs::File;\n#[cfg(test)]\nmod tests { use std::env; }\n";
        assert_eq!(impure_lines(source).collect::<Vec<_>>(), ["line 2 names `std::fs`"]);
    }

    #[test]
    fn a_file_of_tests_has_to_be_a_module() {
        let tests = Path::new("tests/it");
        for (file, index, line) in [
            ("tests/it/a.rs", Some("tests/it/main.rs"), "mod a;"),
            ("tests/it/b/mod.rs", Some("tests/it/main.rs"), "pub(crate) mod b;"),
            ("tests/it/b/c.rs", Some("tests/it/b/mod.rs"), "mod c;"),
            ("tests/it/main.rs", None, "mod main;"),
        ] {
            let file = Path::new(file);
            assert_eq!(index_of(tests, file).as_deref(), index.map(Path::new));
            assert!(takes_in(&format!("//! Tests.\n{line}\n"), file) && !takes_in("mod other;\n", file));
        }
    }

    #[test]
    fn a_global_feature_is_named() {
        let mut package = depending_on(&[("serde_json", Kind::Normal)]);
        package.dependencies[0].features.push("arbitrary_precision".to_owned());
        let mut faults = Vec::new();
        global_features("toolgate", &package, &mut faults);
        assert_eq!(faults, ["`toolgate` switches on serde_json's `arbitrary_precision` for the whole build"]);
    }
}
