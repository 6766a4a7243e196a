//! A server behind streamable HTTP on a port of its own, and a client that writes its own bodies.

use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What each request of 2026-07-28 says about its client.
pub const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"http","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

pub struct Http {
    address: SocketAddr,
}

pub struct Answer {
    pub status: u16,
    /// `null` where the body is no JSON.
    pub body: Value,
}

impl Http {
    /// Serves a new handler for each request.
    pub async fn serve<H: ServerHandler>(make: impl Fn() -> H + Send + Sync + 'static) -> Http {
        let mut config = StreamableHttpServerConfig::default();
        config.legacy_session_mode = false;
        config.json_response = true;
        let service = StreamableHttpService::new(move || Ok(make()), Arc::new(LocalSessionManager::default()), config);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = axum::Router::new().route_service("/mcp", service);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Http { address }
    }

    /// One request with these headers beside those that each has.
    pub async fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        // A server that refuses by the head alone does not read the rest.
        let _ = stream.write_all(body).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        assert!(!head.to_ascii_lowercase().contains("transfer-encoding"), "{head}");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, body: serde_json::from_str(body).unwrap_or(Value::Null) }
    }

    /// A call in 2025-11-25.
    pub async fn call_legacy(&self, tool: &str, arguments: Option<&[u8]>) -> Answer {
        self.post(&[("MCP-Protocol-Version", "2025-11-25")], &super::wire::call(1, tool, arguments, None)).await
    }

    /// A call in 2026-07-28, with these headers beside those that it needs.
    pub async fn call(&self, tool: &str, arguments: Option<&[u8]>, more: &[(&str, &str)]) -> Answer {
        let mut headers =
            vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)];
        headers.extend_from_slice(more);
        self.post(&headers, &super::wire::call(1, tool, arguments, Some(META))).await
    }
}
