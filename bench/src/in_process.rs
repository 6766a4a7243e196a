//! What the boundary costs inside a server: a call of one route of the official SDK, bare, guarded, and guarded with every key
//! read, in process and without a transport.

use crate::counting::{Work, allocations, instructions, median, times};
use crate::report::{Section, Verdict, count, ratio};
use crate::shapes::{self, Shape};
use crate::work::work;
use rmcp::RoleServer;
use rmcp::handler::server::common::{FromContextPart, schema_for_input};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject, NumberOrString, Tool};
use rmcp::service::{Peer, RequestContext, serve_directly};
use schemars::JsonSchema;
use std::fmt::Write as _;
use std::hint::black_box;
use toolgate_mcp::guard;

/// The tool of five scalars as its author would write it.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Edit {
    path: String,
    line: u64,
    ratio: Option<f64>,
    #[serde(default)]
    dry_run: bool,
    mode: Option<Mode>,
}

#[derive(serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Read,
    Write,
    Append,
}

impl Edit {
    fn done(self) -> String {
        let mode = match self.mode {
            Some(Mode::Read) => 1,
            Some(Mode::Write) => 2,
            Some(Mode::Append) => 3,
            None => 0,
        };
        black_box((self.line, self.ratio, self.dry_run, mode));
        self.path
    }
}

const BARE: &str = "rmcp: bare";
const GUARDED: &str = "rmcp: guarded";
const ALL_READ: &str = "rmcp: guarded, every key read";
const ROUNDS: usize = 30;

struct Nothing;
impl rmcp::ServerHandler for Nothing {}

/// The operation, ready to be repeated.
pub fn own_work<'a>(shape: &'a Shape, operation: &str) -> Work<'a> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let inside = runtime.enter();
    let peer = serve_directly(Nothing, tokio::io::duplex(1).0, None).peer().clone();
    drop(inside);
    let arguments: JsonObject = serde_json::from_str(&shape.good).expect("the calls are JSON");
    match operation {
        "bare" => {
            let router = router::<rmcp::handler::server::wrapper::Parameters<Edit>>(|edit| edit.0.done());
            Box::new(move || {
                let context = context(&peer, &arguments);
                is_done(runtime.block_on(router.call(context)));
            })
        }
        "guarded" => {
            let router = guard(router::<rmcp::handler::server::wrapper::Parameters<Edit>>(|edit| edit.0.done()));
            Box::new(move || {
                let context = context(&peer, &arguments);
                is_done(runtime.block_on(router.call(context)));
            })
        }
        _ => {
            let router = guard(router::<toolgate_mcp::Parameters<Edit>>(|edit| edit.0.done()));
            Box::new(move || {
                let context = context(&peer, &arguments);
                is_done(runtime.block_on(router.call(context)));
            })
        }
    }
}

fn router<P>(handler: fn(P) -> String) -> ToolRouter<()>
where
    P: JsonSchema + 'static + for<'c> FromContextPart<ToolCallContext<'c, ()>>,
{
    let schema = schema_for_input::<P>().expect("the schema is an object's");
    ToolRouter::new().with_route(ToolRoute::new(Tool::new("edit", "", schema), handler))
}

fn context<'s>(peer: &Peer<RoleServer>, arguments: &JsonObject) -> ToolCallContext<'s, ()> {
    let call = CallToolRequestParams::new("edit").with_arguments(arguments.clone());
    ToolCallContext::new(&(), call, RequestContext::new(NumberOrString::Number(1), peer.clone()))
}

fn is_done(answer: Result<CallToolResponse, rmcp::ErrorData>) {
    match black_box(answer) {
        Ok(CallToolResponse::Complete(result)) if result.is_error != Some(true) => {}
        _ => panic!("the call is right"),
    }
}

pub fn section() -> Section {
    let shape = shapes::find("5 scalars");
    let operations = [BARE, GUARDED, ALL_READ];
    let mut samples: [Vec<f64>; 3] = Default::default();
    for _ in 0..2 {
        for (operation, samples) in operations.iter().zip(&mut samples) {
            samples.extend(times(&mut work(&shape, operation), &shape, ROUNDS));
        }
    }
    let mut text = String::from(
        "One call of a route of the official SDK, from its arguments as the SDK has parsed them to the result of its handler, no \
         transport. The tool has five fields.\n\n\
         | route | instructions | allocations | ns | of bare |\n|---|---|---|---|---|\n",
    );
    let ns: Vec<f64> = samples.iter().map(|samples| median(samples)).collect();
    for (operation, ns_of) in operations.iter().zip(&ns) {
        let counted = instructions(&shape.name, operation, shape.batch() / 10).unwrap_or(f64::NAN);
        let allocated = allocations(&mut work(&shape, operation));
        let name = operation.trim_start_matches("rmcp: ");
        let _ = writeln!(text, "| {name} | {} | {allocated} | {ns_of:.0} | {} |", count(counted), ratio(ns_of / ns[0]));
    }
    let added = |index: usize| (ns[index] - ns[0]) / 1_000.0;
    let us = |figure: f64| format!("{figure:.2} µs");
    let verdicts = vec![
        Verdict::at_most("5 scalars: added to a call by `guard(router)`", added(1), 2.0, us),
        Verdict::at_most("5 scalars: added to a call with every key read", added(2), 2.0, us),
    ];
    Section { title: "Inside a server", command: "toolgate-bench in-process", text, verdicts }
}
