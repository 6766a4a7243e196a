//! Serves the notes over standard input and output.

use notes_server::Notes;
use rmcp::ServiceExt;
use rmcp::transport::stdio;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Notes::new().serve(stdio()).await?;
    session.waiting().await?;
    Ok(())
}
