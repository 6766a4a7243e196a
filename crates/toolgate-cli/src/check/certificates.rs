//! `check --certificates`: what each proof rests on, kept in a file.

use crate::certificates::Line;
use crate::exit::Exit;
use crate::show::{complain, counted};
use crate::store::Writing;
use std::cell::RefCell;
use std::io::{BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use toolgate::ToolSet;

/// The file while it is written.
pub(super) struct CertificatesFile {
    path: PathBuf,
    written: RefCell<Written>,
}

struct Written {
    file: BufWriter<Writing>,
    lines: usize,
    /// Forms that are shown and have none.
    without: usize,
    fault: Option<std::io::Error>,
}

impl CertificatesFile {
    /// Begins the file; what was there stays until its end.
    pub(super) fn create(path: &Path) -> Result<Self, Exit> {
        let file = Writing::begin(path).map_err(|error| failed(path, &error))?;
        let written = Written { file: BufWriter::new(file), lines: 0, without: 0, fault: None };
        Ok(CertificatesFile { path: path.to_owned(), written: RefCell::new(written) })
    }

    /// Adds a line for each tool that is shown.
    pub(super) fn add(&self, set: &ToolSet, profile: &str) {
        let mut written = self.written.borrow_mut();
        for tool in set.listed() {
            let (Ok(contract), Some(published)) = (tool.contract(), tool.published()) else { continue };
            let Some(certificate) = published.certificate(contract) else {
                written.without += 1;
                continue;
            };
            let line = Line {
                tool: tool.name().to_owned(),
                profile: profile.to_owned(),
                contract: contract.schema_text().to_owned(),
                advertised: published.advertised.schema.clone(),
                certificate,
            };
            if written.fault.is_none() {
                let outcome = writeln!(written.file, "{}", line.to_json());
                written.fault = outcome.err();
                written.lines += 1;
            }
        }
    }

    /// Says on standard error what was written; the report has standard output to itself.
    pub(super) fn end(self) -> Result<(), Exit> {
        let Written { file, lines, without, fault } = self.written.into_inner();
        let flushed = fault.map_or_else(|| file.into_inner().map_err(IntoInnerError::into_error), Err);
        flushed.and_then(Writing::end).map_err(|error| failed(&self.path, &error))?;
        let without = match without {
            0 => String::new(),
            forms => format!("; {} without one", counted(forms, "proof")),
        };
        let lines = counted(lines, "certificate");
        let _ = writeln!(anstream::stderr(), "{lines} written to {}{without}", self.path.display());
        Ok(())
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Exit {
    complain(&format!("cannot write {}: {error}", path.display()), Exit::Output)
}
