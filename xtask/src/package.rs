//! The packages by which people get the program: by cargo, for Debian, for npm and for PyPI; and the container file, which is looked
//! over because no engine can be counted on. All of them are for the machine that builds them, and are then installed and tried.

use crate::evidence::{INSTALL, Python};
use crate::step::{Outcome, Report, Run};
use crate::workspace::Workspace;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Where the packages come to lie.
const PACKAGES: &str = "target/package";
/// Platforms that npm may find a package for, as Node names them.
const PLATFORMS: &[&str] = &["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
/// Shells that a Debian system has a place for.
const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// Builds the program with a profile, wraps it in every way, and installs and tries what came of it.
pub(crate) fn run(workspace: &Workspace, report: &mut Report, profile: &str) {
    let packages = Packages { workspace, profile };
    report.step("crates as they are published", || packages.crates());
    report.step("cargo install", || packages.installed());
    report.step("manual pages and completions", || outcome(packages.share()));
    report.step("Debian package", || packages.debian());
    report.step("npm packages", || packages.npm());
    report.step("Python wheel", || packages.wheel());
    report.step("container file", || packages.container());
    report.step("packages, installed and tried", || packages.tried());
}

struct Packages<'a> {
    workspace: &'a Workspace,
    profile: &'a str,
}

impl Packages<'_> {
    /// A place under the folder of packages.
    fn path(&self, relative: &str) -> PathBuf {
        self.workspace.path(PACKAGES).join(relative)
    }

    /// The program as `cargo install` has put it down.
    fn program(&self) -> PathBuf {
        self.path("cargo/bin/toolgate")
    }

    fn version(&self) -> Result<String, String> {
        let said = Run::new(self.program(), self.workspace.root()).args(["--version"]).output()?;
        said.trim().strip_prefix("toolgate ").map(str::to_owned).ok_or(format!("`--version` says {said:?}"))
    }

    /// Whether each crate can be published: all that its manifest names is there.
    fn crates(&self) -> Outcome {
        let package = ["package", "--workspace", "--locked", "--allow-dirty", "--no-verify", "--quiet"];
        self.workspace.cargo(package).args(["--exclude", "xtask", "--exclude", "toolgate-bench"]).outcome()
    }

    fn installed(&self) -> Outcome {
        let install = ["install", "--locked", "--force", "--quiet", "--path", "crates/toolgate-cli", "--profile"];
        let install = self.workspace.cargo(install).args([self.profile, "--root"]).args([self.path("cargo")]);
        install.outcome()
    }

    /// What the program says of itself, for the places where a system looks for it.
    fn share(&self) -> Result<(), String> {
        let share = fresh(self.path("share"))?;
        let toolgate = || Run::new(self.program(), self.workspace.root());
        toolgate().args(["man", "--all"]).args([share.join("man")]).output()?;
        for shell in SHELLS {
            let script = toolgate().args(["completions", shell]).output()?;
            write(&share.join("completions").join(format!("toolgate.{shell}")), script.as_bytes())?;
        }
        // Debian wants a record of its own of what the package went through; what changed in the program is in CHANGELOG.md.
        let date = Run::new("date", self.workspace.root()).args(["--rfc-email"]).output()?;
        let changelog = format!(
            "toolgate ({}-1) unstable; urgency=medium\n\n  * What has changed is told in CHANGELOG.md.\n\n \
             -- The toolgate developers <toolgate@users.noreply.github.com>  {}\n",
            self.version()?,
            date.trim()
        );
        write(&share.join("changelog.Debian"), changelog.as_bytes())
    }

    fn debian(&self) -> Outcome {
        if !self.workspace.cargo(["deb", "--version"]).works() {
            return Outcome::Skipped("cargo-deb is not installed (`cargo install cargo-deb --locked`)".to_owned());
        }
        if !Run::new("dpkg-deb", self.workspace.root()).args(["--version"]).works() {
            return Outcome::Skipped("this is no Debian: there is no dpkg-deb".to_owned());
        }
        let output = match fresh(self.path("debian")) {
            Ok(output) => output,
            Err(why) => return Outcome::Failed(why),
        };
        // `cargo install` has built it.
        let deb = self.workspace.cargo(["deb", "--no-build", "--quiet", "--locked", "--package", "toolgate-cli"]);
        deb.args(["--profile", self.profile, "--output"]).args([output]).outcome()
    }

    /// One package that starts the program, and one that holds it for this platform.
    fn npm(&self) -> Outcome {
        if !Run::new("npm", self.workspace.root()).args(["--version"]).works() {
            return Outcome::Skipped(format!("there is no npm; {INSTALL}"));
        }
        match self.npm_folders() {
            Ok([starter, platform]) => {
                let pack = Run::new("npm", &self.path("npm")).args(["pack", "--silent"]);
                pack.args([starter, platform]).outcome()
            }
            Err(why) => Outcome::Failed(why),
        }
    }

    fn npm_folders(&self) -> Result<[PathBuf; 2], String> {
        let npm = fresh(self.path("npm"))?;
        let (starter, platform) = (npm.join("toolgate"), npm.join("platform"));
        let source = self.workspace.path("packaging/npm");
        let version = self.version()?;

        let text = std::fs::read_to_string(source.join("package.json")).map_err(|error| error.to_string())?;
        let mut manifest: Map<String, Value> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let names = PLATFORMS.iter().map(|platform| (format!("@toolgate/{platform}"), json!(version)));
        manifest.insert("version".to_owned(), json!(version));
        manifest.insert("optionalDependencies".to_owned(), Value::Object(names.collect()));
        write(&starter.join("package.json"), json!(manifest).to_string().as_bytes())?;
        for file in ["bin/toolgate.js", "README.md"] {
            copy(&source.join(file), &starter.join(file))?;
        }

        let (os, cpu) = node_platform();
        let mut of_platform = vec![
            ("name", json!(format!("@toolgate/{os}-{cpu}"))),
            ("version", json!(version)),
            (
                "description",
                json!(format!("The program toolgate for {os} on {cpu}; the package `toolgate` starts it.")),
            ),
            ("license", json!(manifest.get("license"))),
            ("repository", json!(manifest.get("repository"))),
            ("os", json!([os])),
            ("cpu", json!([cpu])),
            ("preferUnplugged", json!(true)),
        ];
        if cfg!(target_env = "gnu") {
            of_platform.push(("libc", json!(["glibc"])));
        }
        let manifest: Map<String, Value> =
            of_platform.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        write(&platform.join("package.json"), json!(manifest).to_string().as_bytes())?;
        copy(&self.program(), &platform.join("bin/toolgate"))?;
        for folder in [&starter, &platform] {
            for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
                copy(&self.workspace.path(licence), &folder.join(licence))?;
            }
        }
        Ok([starter, platform])
    }

    fn wheel(&self) -> Outcome {
        let maturin = self.tool("maturin");
        if !Run::new(&maturin, self.workspace.root()).args(["--version"]).works() {
            return Outcome::Skipped(format!("there is no maturin; {INSTALL}"));
        }
        let output = match fresh(self.path("pypi")) {
            Ok(output) => output,
            Err(why) => return Outcome::Failed(why),
        };
        let build = Run::new(maturin, &self.workspace.path("packaging/pypi")).args(["build", "--quiet", "--profile"]);
        let build = build.args([self.profile, "--out"]).args([output]);
        // A wheel that is published has to run wherever its tag says; one that is only tried here runs here.
        let build = if self.profile == "dev" { build.args(["--compatibility", "linux"]) } else { build };
        build.outcome()
    }

    fn container(&self) -> Outcome {
        let hadolint = self.tool("hadolint");
        if !Run::new(&hadolint, self.workspace.root()).args(["--version"]).works() {
            return Outcome::Skipped(format!("there is no hadolint; {INSTALL}"));
        }
        let file = "packaging/container/Containerfile";
        Run::new(hadolint, self.workspace.root()).args([file]).outcome()
    }

    fn tried(&self) -> Outcome {
        let Some(python) = Python::find(self.workspace) else {
            return Outcome::Skipped(format!("there is no Python; {INSTALL}"));
        };
        let run = python.run(self.workspace).args(["tests/packages/run.py", PACKAGES, "--uv"]);
        run.args([self.tool("uv")]).outcome()
    }

    /// A program from the environment that `.ci/install` makes.
    fn tool(&self, name: &str) -> PathBuf {
        self.workspace.path(".venv/packaging/bin").join(name)
    }
}

/// This machine, as Node names it.
fn node_platform() -> (&'static str, &'static str) {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        os => os,
    };
    let cpu = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        cpu => cpu,
    };
    (os, cpu)
}

fn outcome(result: Result<(), String>) -> Outcome {
    match result {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

/// An empty folder, with nothing left of the last time.
fn fresh(folder: PathBuf) -> Result<PathBuf, String> {
    let made = match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => std::fs::create_dir_all(&folder),
    };
    made.map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// Copies a file with its permissions, into a folder that need not be there.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let folder = to.parent().unwrap_or(to);
    let copied = std::fs::create_dir_all(folder).and_then(|()| std::fs::copy(from, to));
    copied.map(drop).map_err(|error| format!("{}: {error}", from.display()))
}
