"""A server with one tool, which says what reached it."""

import json
import sys

TOOL = {
    "name": "count",
    "inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}, "additionalProperties": False},
}
INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "counter", "version": "1"}}

for line in sys.stdin:
    frame = json.loads(line)
    if "id" not in frame:
        continue
    result = {
        "initialize": lambda _: INFO,
        "tools/list": lambda _: {"tools": [TOOL]},
        "tools/call": lambda params: {"content": [{"type": "text", "text": json.dumps(params["arguments"])}]},
    }[frame["method"]](frame.get("params"))
    print(json.dumps({"jsonrpc": "2.0", "id": frame["id"], "result": result}), flush=True)
