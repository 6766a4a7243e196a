//! A tool whose list entry is already a joined form.
//!
//! Some servers show models one flat object in place of a union: the tag becomes an enum, and the member that all variants
//! share becomes an `anyOf` of their shapes. Which shape goes with which tag is gone from the list; only the server still
//! knows it, and judges by it. A guard that judged such a list entry by itself could only say that none of twelve shapes
//! fits, so it has to leave that to the server.

use super::lessons::Block;
use crate::server::DemoServer;
use rmcp::ErrorData;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use serde_json::{Value, json};

impl DemoServer {
    pub(crate) fn joined_tools() -> ToolRouter<Self> {
        let add_block = Tool::new("add_block", "Add one block at the end of a lesson.", joined_schema());
        ToolRouter::new().with_route(ToolRoute::new_dyn(add_block, |context: ToolCallContext<'_, Self>| {
            let answer = add_block_to(context.service, context.arguments.as_ref());
            Box::pin(std::future::ready(answer.map(Into::into)))
        }))
    }
}

/// Judges by the union as it is meant, and adds the block if it holds.
fn add_block_to(server: &DemoServer, arguments: Option<&JsonObject>) -> Result<CallToolResult, ErrorData> {
    let argument = |name| arguments.and_then(|arguments| arguments.get(name));
    let Some(lesson) = argument("lesson").and_then(Value::as_str) else { return Ok(refused("lesson is required")) };
    let Some(kind) = argument("type").and_then(Value::as_str) else { return Ok(refused("type is required")) };
    let Some(data) = argument("data").and_then(Value::as_object) else { return Ok(refused("data is required")) };
    let Some(variant) = Variant::all().into_iter().find(|variant| variant.kind == kind) else {
        return Ok(refused("type is not a type of block"));
    };
    if let Some(missing) = variant.required.iter().find(|name| !data.contains_key(*name)) {
        return Ok(refused(&format!("data.{missing} is required")));
    }
    if serde_json::from_value::<Block>(json!({ "type": kind, "data": data })).is_err() {
        return Ok(refused(&format!("data is not that of a block of type {kind}")));
    }
    let mut world = server.world();
    let blocks = world.lessons.entry(lesson.to_owned()).or_default();
    *blocks += 1;
    Ok(CallToolResult::success(vec![ContentBlock::text(format!("block {blocks} added"))]))
}

fn refused(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}

/// One variant of [`Block`] as its schema tells it.
struct Variant {
    kind: String,
    required: Vec<String>,
    shape: Value,
}

impl Variant {
    fn all() -> Vec<Variant> {
        let schema = schemars::schema_for!(Block);
        schema.get("oneOf").and_then(Value::as_array).into_iter().flatten().filter_map(Variant::from_schema).collect()
    }

    fn from_schema(member: &Value) -> Option<Variant> {
        let kind = member.pointer("/properties/type/const")?.as_str()?.to_owned();
        let shape = member.pointer("/properties/data")?.clone();
        let required = shape.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(Value::as_str).map(str::to_owned).collect();
        Some(Variant { kind, required, shape })
    }
}

/// The list entry: what is left of the union once its variants are joined.
fn joined_schema() -> JsonObject {
    let (kinds, shapes): (Vec<_>, Vec<_>) =
        Variant::all().into_iter().map(|variant| (variant.kind, variant.shape)).unzip();
    let mut schema = JsonObject::new();
    schema.insert("type".into(), json!("object"));
    schema.insert(
        "properties".into(),
        json!({
            "lesson": { "type": "string", "description": "Title of the lesson." },
            "type": { "type": "string", "enum": kinds },
            "data": { "anyOf": shapes },
        }),
    );
    schema.insert("required".into(), json!(["lesson", "type", "data"]));
    if let Some(definitions) = schemars::schema_for!(Block).get("$defs") {
        schema.insert("$defs".into(), definitions.clone());
    }
    schema
}
