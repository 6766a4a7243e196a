//! `toolgate advertise`: a schema in, what a model is shown of it out.

mod jsonl;

use crate::batch;
use clap::Args;
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct AdvertiseArgs {
    /// One request a line on standard input, one answer a line on standard output
    #[arg(long)]
    jsonl: bool,
}

pub(crate) fn advertise(_args: &AdvertiseArgs) -> ExitCode {
    batch::run(jsonl::respond).into()
}
