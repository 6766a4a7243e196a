//! The server of `harbour.rs` with the boundary before its tools: the lines that differ are all there is to it.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::stdio;
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use toolgate_mcp::Guarded;

/// A stay in the harbour.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Booking {
    /// Name of the boat.
    boat: String,
    /// How many nights it stays.
    nights: u8,
    /// Only say what it would cost.
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
}

struct Harbour;

#[tool_router]
impl Harbour {
    #[tool(description = "Books a berth.")]
    fn book_berth(&self, Parameters(booking): Parameters<Booking>) -> String {
        let price = 30 * u32::from(booking.nights);
        match booking.dry_run {
            true => format!("{} would pay {price}", booking.boat),
            false => format!("booked for {}: {price}", booking.boat),
        }
    }
}

#[tool_handler]
impl ServerHandler for Harbour {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Guarded::typed(Harbour).serve(stdio()).await?;
    session.waiting().await?;
    Ok(())
}
