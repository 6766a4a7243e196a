#!/usr/bin/env python3
"""The recording server on the Python SDK's own reader; see recorder.py.

    recorder_sdk.py LOG
"""
import asyncio
import json
import sys

import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from recorder import note, result


async def main(log):
    async with stdio_server() as (read, write):
        async for message in read:
            if isinstance(message, Exception):
                continue
            frame = message.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
            note(log, frame)
            if "method" in frame and "id" in frame:
                response = types.JSONRPCResponse(jsonrpc="2.0", id=frame["id"], result=result(frame))
                await write.send(SessionMessage(response))
        # The transport waits for this before it ends.
        await write.aclose()


with open(sys.argv[1], "a") as log:
    asyncio.run(main(log))
