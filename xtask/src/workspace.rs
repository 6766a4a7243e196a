//! Where the workspace and its build products stand, and what its manifests say of each other.

use crate::step::Run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The checkout that is worked on.
#[derive(Default)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    crates: BTreeMap<String, Crate>,
}

/// One crate of the workspace.
pub(crate) struct Crate {
    /// The folder of its manifest.
    pub(crate) folder: PathBuf,
    /// What it depends on, in every kind.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a manifest's dependencies.
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) features: Vec<String>,
}

/// Which table of the manifest it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is part of what is built.
    Normal,
    /// It is there for tests only.
    Dev,
}

impl Workspace {
    /// Asks cargo about the workspace that xtask was built in.
    pub(crate) fn find() -> Result<Self, String> {
        Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR")))
    }

    /// Asks cargo about the workspace of this folder.
    pub(crate) fn of(folder: &Path) -> Result<Self, String> {
        let metadata = Run::new(cargo(), folder).args(["metadata", "--format-version", "1", "--no-deps"]).output()?;
        Self::from_metadata(&metadata)
    }

    fn from_metadata(text: &str) -> Result<Self, String> {
        let metadata: Value = serde_json::from_str(text).map_err(|error| format!("cargo metadata: {error}"))?;
        let path = |name: &str| text_of(&metadata, name).map(PathBuf::from);
        let packages = metadata.get("packages").and_then(Value::as_array).ok_or("cargo metadata lists no packages")?;
        let crates = packages.iter().map(read_crate).collect::<Result<_, String>>()?;
        Ok(Workspace { root: path("workspace_root")?, target: path("target_directory")?, crates })
    }

    /// The folder of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A place in the checkout.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Where cargo puts a program of the development profile.
    pub(crate) fn built(&self, relative: &str) -> PathBuf {
        self.target.join("debug").join(format!("{relative}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Where cargo puts a program of the release profile.
    pub(crate) fn released(&self, relative: &str) -> PathBuf {
        self.target.join("release").join(format!("{relative}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Where cargo puts what it builds of the crates with a workspace of their own.
    pub(crate) fn built_outside(&self) -> PathBuf {
        self.target.join("outside")
    }

    /// Where downloaded test data stands. It is in the checkout whatever the target folder, so that tests find it.
    pub(crate) fn evidence(&self) -> PathBuf {
        self.root.join("target").join("evidence")
    }

    /// The crates by name.
    pub(crate) fn crates(&self) -> &BTreeMap<String, Crate> {
        &self.crates
    }

    /// A cargo command in the checkout.
    pub(crate) fn cargo<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        Run::new(cargo(), &self.root).args(args)
    }
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn read_crate(package: &Value) -> Result<(String, Crate), String> {
    let manifest = PathBuf::from(text_of(package, "manifest_path")?);
    let folder = manifest.parent().ok_or("a manifest without a folder")?.to_owned();
    let dependencies = package.get("dependencies").and_then(Value::as_array).ok_or("a package without dependencies")?;
    let dependencies = dependencies.iter().map(read_dependency).collect::<Result<_, String>>()?;
    Ok((text_of(package, "name")?.to_owned(), Crate { folder, dependencies }))
}

fn read_dependency(dependency: &Value) -> Result<Dependency, String> {
    let kind = match dependency.get("kind").and_then(Value::as_str) {
        Some("dev") => Kind::Dev,
        _ => Kind::Normal,
    };
    let features = dependency.get("features").and_then(Value::as_array).into_iter().flatten();
    let features = features.filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(Dependency { name: text_of(dependency, "name")?.to_owned(), kind, features })
}

fn text_of<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    value.get(name).and_then(Value::as_str).ok_or_else(|| format!("cargo metadata has no `{name}`"))
}
