"""The official Python client, told what to do one JSON line at a time; see `driver.py` for the lines."""
import asyncio
import contextlib
import json
import sys

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def connect(stack, request):
    command, *args = request["command"]
    server = StdioServerParameters(command=command, args=args, env=request["env"], cwd=request["cwd"])
    stderr = stack.enter_context(open(request["stderr"], "a"))
    transport = stdio_client(server, errlog=stderr)
    return await stack.enter_async_context(Client(transport, mode=request["mode"], cache=None))


async def call(client, request):
    try:
        return {"result": plain(await client.call_tool(request["name"], request.get("arguments")))}
    except MCPError as error:
        return {"error": {"code": error.code, "message": str(error)}}


async def every_tool(client):
    tools, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += map(plain, page.tools)
        cursor = page.next_cursor
        if cursor is None:
            return {"tools": tools}


async def answer(stack, state, request):
    if request["op"] == "start":
        client = state["client"] = await connect(stack, request)
        server = client.server_info
        return {
            "server": plain(server) if server else None,
            "capabilities": plain(client.server_capabilities),
            "protocol": client.protocol_version,
        }
    if request["op"] == "list":
        return await every_tool(state["client"])
    if request["op"] == "call":
        return await call(state["client"], request)
    if request["op"] == "close":
        await stack.aclose()
        return {}
    raise ValueError(request["op"])


async def main():
    state = {}
    async with contextlib.AsyncExitStack() as stack:
        while line := await asyncio.to_thread(sys.stdin.readline):
            request = json.loads(line)
            try:
                reply = await answer(stack, state, request)
            except Exception as fault:  # said to the test, which fails with it
                reply = {"fault": f"{type(fault).__name__}: {fault}"}
            print(json.dumps(reply), flush=True)
            if request["op"] == "close":
                return


asyncio.run(main())
