// A server that reads its frames as Node does, and writes down every call it sees; see recorder.py.
//
//     recorder.mjs LOG plain     lines end at LF, `JSON.parse`
//     recorder.mjs LOG sdk       the TypeScript SDK's own reader
import { appendFileSync } from "node:fs";

const [log, reader] = process.argv.slice(2);
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

// A plain reader takes batches in every revision; the SDK takes none.
function receive(value, answer) {
  for (const frame of Array.isArray(value) ? value : [value]) {
    if (frame === null || typeof frame !== "object" || frame.method === undefined) continue;
    const seen = frame.method === "tools/call" ? { params: frame.params ?? null } : { method: String(frame.method) };
    appendFileSync(log, JSON.stringify(seen) + "\n");
    if (frame.id !== undefined) answer({ jsonrpc: "2.0", id: frame.id, result: result(frame) });
  }
}

async function readPlainly() {
  const answer = (message) => process.stdout.write(JSON.stringify(message) + "\n");
  let rest = [];
  for await (let chunk of process.stdin) {
    for (let end; (end = chunk.indexOf(10)) >= 0; chunk = chunk.subarray(end + 1)) {
      const line = Buffer.concat([...rest, chunk.subarray(0, end)]).toString("utf8");
      rest = [];
      try {
        receive(JSON.parse(line.replace(/\r$/, "")), answer);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    rest.push(chunk);
  }
}

async function readWithSdk() {
  const sdk = new URL("../real/node_modules/@modelcontextprotocol/sdk/dist/esm/server/stdio.js", import.meta.url);
  const { StdioServerTransport } = await import(sdk);
  const transport = new StdioServerTransport();
  transport.onmessage = (message) => receive(message, (answer) => transport.send(answer));
  process.stdin.on("end", () => process.exit(0));
  await transport.start();
}

await { plain: readPlainly, sdk: readWithSdk }[reader]();
