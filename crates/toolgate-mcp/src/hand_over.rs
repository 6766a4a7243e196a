//! Admitted arguments on their way from the judge to a handler's type, and the type's refusal on its way back.

use rmcp::ErrorData;
use rmcp::model::{Extensions, JsonObject};
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, PoisonError};
use toolgate::Refusal;

/// Goes with one call, in the extensions of its request.
#[derive(Clone)]
pub(crate) struct HandOver {
    shared: Arc<Shared>,
    /// The part that is read, where it is not all of the arguments.
    part: Option<Arc<str>>,
}

struct Shared {
    arguments: String,
    refusal: Mutex<Option<Refusal>>,
}

impl HandOver {
    pub(crate) fn new(arguments: String) -> Self {
        HandOver { shared: Arc::new(Shared { arguments, refusal: Mutex::default() }), part: None }
    }

    /// The text of the admitted arguments, with all their digits.
    pub(crate) fn arguments(&self) -> &str {
        self.part.as_deref().unwrap_or(&self.shared.arguments)
    }

    /// The same call with a part of its arguments.
    pub(crate) fn with_arguments(&self, arguments: String) -> Self {
        HandOver { shared: Arc::clone(&self.shared), part: Some(arguments.into()) }
    }

    /// Keeps what the type refuses for [`HandOver::refusal`]; the error is only to end the handler.
    pub(crate) fn refuse(&self, refusal: Refusal) -> ErrorData {
        *self.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
        ErrorData::internal_error("the handler's type does not take the arguments", None)
    }

    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Reads a part of the arguments, or all of them.
    pub(crate) fn read<T: DeserializeOwned>(&self, arguments: &str) -> Result<T, ErrorData> {
        toolgate::read_arguments(arguments).map_err(|refusal| self.refuse(refusal))
    }

    /// What came with this call, or the arguments as they are where nobody has judged them.
    ///
    /// # Errors
    ///
    /// Says that the arguments cannot be written; they are not taken for none.
    pub(crate) fn of(extensions: &mut Extensions, arguments: Option<&JsonObject>) -> Result<Self, ErrorData> {
        if let Some(judged) = extensions.remove::<HandOver>() {
            return Ok(judged);
        }
        let Some(arguments) = arguments else { return Ok(HandOver::new("{}".to_owned())) };
        let text = serde_json::to_string(arguments);
        text.map(HandOver::new).map_err(|_| ErrorData::internal_error("the arguments could not be written", None))
    }
}
