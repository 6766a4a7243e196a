//! A tool of the box as a handler of rig's. rig's own adapters parse the arguments once more; this one hands on their text.

use crate::answer;
use rig_core::effect::{EffectKind, FamilyDescriptor, HandlerDescriptor, Outcome, family, tool_key};
use rig_core::error::{ErrorKind, ErrorReport};
use rig_core::serve::{Dispatch, Reply, Serve};
use serde_json::Value;
use toolgate::ManifestTool;
use toolgate_mcp::Toolbox;

pub(crate) struct BoxedTool<S> {
    toolbox: Toolbox<S>,
    name: String,
    description: String,
    schema: Value,
}

impl<S> BoxedTool<S> {
    pub(crate) fn new(toolbox: &Toolbox<S>, shown: &ManifestTool) -> Result<Self, serde_json::Error> {
        Ok(BoxedTool {
            toolbox: toolbox.clone(),
            name: shown.name.clone(),
            description: shown.description.clone().unwrap_or_default(),
            schema: serde_json::from_str(&shown.schema)?,
        })
    }
}

impl<S: Send + Sync + 'static> Serve for BoxedTool<S> {
    type Family = family::Tool;

    fn descriptor(&self) -> HandlerDescriptor {
        HandlerDescriptor {
            key: tool_key(&self.name),
            family: FamilyDescriptor::Tool {
                name: self.name.clone(),
                description: self.description.clone(),
                parameters: self.schema.clone(),
                embedding: None,
            },
            layers: Vec::new(),
        }
    }

    async fn serve(&self, kind: EffectKind, _: Dispatch) -> Reply {
        match kind {
            EffectKind::ToolCall { name, args } if name == self.name => {
                let answer = self.toolbox.call(&name, &args).await;
                let result = answer::result(answer, self.toolbox.provider());
                Reply::Outcome(Ok(Outcome::ToolResult { result }))
            }
            _ => {
                let why = format!("the handler of the tool `{}` was asked for something else", self.name);
                Reply::Outcome(Err(ErrorReport::new(ErrorKind::HandlerUnavailable, why)))
            }
        }
    }
}
