// A server that reads its frames as the TypeScript SDK does, and writes down every call it sees; see recorder.py.
import { appendFileSync } from "node:fs";

const [log] = process.argv.slice(2);
const tool = {
  name: "book",
  inputSchema: { type: "object", properties: { seat: { type: "string" } }, required: ["seat"] },
};

function result({ method, params }) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "recorder", version: "1" },
      };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      return { content: [{ type: "text", text: "done" }] };
    default:
      return {};
  }
}

function receive(line) {
  let value;
  try {
    value = JSON.parse(line.replace(/\r$/, ""));
  } catch {
    return;
  }
  for (const frame of Array.isArray(value) ? value : [value]) {
    if (frame === null || typeof frame !== "object" || frame.method === undefined) continue;
    const seen = frame.method === "tools/call" ? { params: frame.params ?? null } : { method: String(frame.method) };
    appendFileSync(log, JSON.stringify(seen) + "\n");
    if (frame.id !== undefined) {
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: frame.id, result: result(frame) }) + "\n");
    }
  }
}

let buffer = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  buffer = Buffer.concat([buffer, chunk]);
  for (let end; (end = buffer.indexOf(10)) >= 0; buffer = buffer.subarray(end + 1)) {
    receive(buffer.toString("utf8", 0, end));
  }
}
