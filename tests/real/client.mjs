// The official TypeScript client, told what to do one JSON line at a time; see `driver.py` for the lines.
import { openSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "toolgate-tests", version: "1" });

const operations = {
  async start({ command: [command, ...args], env, cwd, stderr }) {
    const transport = new StdioClientTransport({ command, args, env, cwd, stderr: openSync(stderr, "a") });
    await client.connect(transport);
    return { server: client.getServerVersion(), capabilities: client.getServerCapabilities() };
  },

  async list() {
    const tools = [];
    let cursor;
    do {
      const page = await client.listTools({ cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return { tools };
  },

  async call({ name, arguments: sent }) {
    try {
      return { result: await client.callTool({ name, arguments: sent }) };
    } catch (error) {
      return { error: { code: error.code ?? null, message: String(error.message) } };
    }
  },

  async close() {
    await client.close();
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = await operations[request.op](request);
  } catch (error) {
    answer = { fault: String(error.stack ?? error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
  if (request.op === "close") break;
}
process.exit(0);
