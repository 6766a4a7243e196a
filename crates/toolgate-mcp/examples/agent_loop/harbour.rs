//! The tools of the example.

use std::sync::{Arc, Mutex, PoisonError};
use toolgate_mcp::{Call, Tools, TypedTool};

/// A stay in the harbour.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Booking {
    /// Name of the boat.
    boat: String,
    /// How many nights it stays.
    nights: u8,
    /// Which side it lies on.
    #[serde(default)]
    side: Side,
    /// Only say what it would cost.
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Side {
    #[default]
    Port,
    Starboard,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

/// Who lies where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Harbour {
    booked: Arc<Mutex<Vec<String>>>,
}

impl Harbour {
    /// The boats that have a berth.
    pub(crate) fn booked(&self) -> Vec<String> {
        self.booked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn book(harbour: Harbour, booking: Booking, _: Call) -> String {
    let price = 30 * u32::from(booking.nights);
    if booking.dry_run {
        return format!("{} would pay {price} to {:?}", booking.boat, booking.side);
    }
    harbour.booked.lock().unwrap_or_else(PoisonError::into_inner).push(booking.boat.clone());
    format!("booked for {}: {price}", booking.boat)
}

async fn list(harbour: Harbour, _: Nothing, _: Call) -> String {
    match harbour.booked().as_slice() {
        [] => "all berths are free".to_owned(),
        boats => format!("taken by {}", boats.join(", ")),
    }
}

/// What a model can do in the harbour.
pub(crate) fn tools() -> Tools<Harbour> {
    Tools::new()
        .tool(TypedTool::new("book_berth", book).description("Books a berth."))
        .tool(TypedTool::new("list_berths", list).description("Says which berths are taken."))
}
