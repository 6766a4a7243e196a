//! A server as a file names it.

use super::clients::Guarded;
use super::variables::{Lookup, Template};
use super::{How, Judging};
use std::path::{Path, PathBuf};

/// A server as a file names it, with its variables not yet filled in. It has no `Debug`: values of `env` and `headers` are in it.
#[derive(Clone, Default)]
pub(crate) struct Entry {
    pub(crate) command: Option<Template>,
    pub(crate) args: Vec<Template>,
    pub(crate) env: Vec<(String, Template)>,
    pub(crate) cwd: Option<Template>,
    pub(crate) url: Option<Template>,
    pub(crate) headers: Vec<(String, Template)>,
    /// The variable that holds a bearer token.
    pub(crate) bearer_env: Option<String>,
    /// A policy file of `toolgate run`, by which its tools are judged; beside the file.
    pub(crate) policy: Option<PathBuf>,
    /// Our own guard, behind which its client starts it.
    pub(crate) guard: Option<Guarded>,
    /// Whether its client has it switched off.
    pub(crate) is_off: bool,
}

impl Entry {
    /// Refuses one that names no server, or two.
    pub(crate) fn is_whole(&self) -> Result<(), String> {
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => Err("it has `command` and `url`".to_owned()),
            (None, None) => Err("it has neither `command` nor `url`".to_owned()),
            _ => Ok(()),
        }
    }

    /// How the server is reached, with variables filled in.
    ///
    /// # Errors
    ///
    /// Names what is not set.
    pub(crate) fn how(&self, variable: &Lookup) -> Result<How, String> {
        let fill = |text: &Template| text.fill(variable);
        let pairs = |pairs: &[(String, Template)]| -> Result<Vec<(String, String)>, String> {
            pairs.iter().map(|(name, value)| Ok((name.clone(), fill(value)?))).collect()
        };
        if let Some(url) = &self.url {
            let mut headers = pairs(&self.headers)?;
            if let Some(name) = &self.bearer_env {
                headers.push(bearer(name, variable)?);
            }
            return Ok(How::Url { url: fill(url)?, headers });
        }
        let words = self.command.iter().chain(&self.args);
        Ok(How::Command {
            words: words.map(fill).collect::<Result<_, _>>()?,
            env: pairs(&self.env)?,
            cwd: self.cwd.as_ref().map(fill).transpose()?.map(PathBuf::from),
        })
    }

    /// Everything in it that variables may stand in, with what it is.
    pub(crate) fn templates(&self) -> Vec<(String, &Template)> {
        let named = |what: &str, name: &str| format!("{what} `{}`", toolgate::shown_name(name));
        let one = |what: &str, template| (format!("`{what}`"), template);
        let mut all: Vec<(String, &Template)> = Vec::new();
        all.extend(self.command.iter().map(|text| one("command", text)));
        all.extend(self.args.iter().map(|text| one("args", text)));
        all.extend(self.cwd.iter().map(|text| one("cwd", text)));
        all.extend(self.url.iter().map(|text| one("url", text)));
        all.extend(self.env.iter().map(|(name, value)| (named("env", name), value)));
        all.extend(self.headers.iter().map(|(name, value)| (named("header", name), value)));
        all
    }

    /// By what its tools are judged, where it is named in a file of this folder.
    ///
    /// # Errors
    ///
    /// Names a variable that is not set.
    pub(crate) fn judging(&self, folder: &Path, variable: &Lookup) -> Result<Judging, String> {
        match (&self.policy, &self.guard) {
            (Some(policy), _) => Ok(Judging::Policy(folder.join(policy))),
            (None, None) => Ok(Judging::Default),
            (None, Some(guard)) => {
                let options = guard.options.iter().map(|word| word.fill(variable));
                options.collect::<Result<_, _>>().map(Judging::Guard)
            }
        }
    }
}

/// The header of a bearer token in a variable.
pub(crate) fn bearer(name: &str, variable: &Lookup) -> Result<(String, String), String> {
    let token = variable(name)?.ok_or_else(|| format!("the variable `{name}` is not set"))?;
    Ok(("Authorization".to_owned(), format!("Bearer {}", token.trim())))
}
