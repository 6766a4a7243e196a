//! A client that writes the arguments' text as it is given, since no SDK would send a name twice.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use toolgate_demo::{WORLD_URI, World};

pub(crate) struct Wire {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    id: u64,
}

/// What came of a call, as the model sees it.
#[derive(Debug, PartialEq)]
pub(crate) enum Said {
    Done(String),
    Wrong(String),
}

impl Wire {
    pub(crate) async fn open() -> Wire {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(toolgate_demo::serve(input, output));
        let (output, input) = tokio::io::split(ours);
        let mut wire = Wire { input, output: BufReader::new(output).lines(), id: 0 };
        let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}"#;
        wire.request("initialize", hello).await;
        wire.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        wire
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: &str) -> Said {
        let answer = self.request("tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#)).await;
        let text = answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned();
        if answer["result"]["isError"] == true { Said::Wrong(text) } else { Said::Done(text) }
    }

    pub(crate) async fn world(&mut self) -> World {
        let answer = self.request("resources/read", &format!(r#"{{"uri":"{WORLD_URI}"}}"#)).await;
        serde_json::from_str(answer["result"]["contents"][0]["text"].as_str().expect("a text")).expect("a world")
    }

    pub(crate) async fn schema(&mut self, tool: &str) -> Value {
        let answer = self.request("tools/list", "{}").await;
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        tools.into_iter().find(|t| t["name"] == tool).expect("the tool")["inputSchema"].clone()
    }

    async fn request(&mut self, method: &str, params: &str) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)).await;
        let line = self.output.next_line().await.expect("readable").expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], id);
        answer
    }

    async fn send(&mut self, frame: &str) {
        self.input.write_all(format!("{frame}\n").as_bytes()).await.expect("writable");
    }
}
