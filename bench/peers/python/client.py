"""Python's websockets with json.loads, and a dict of frames. Each session is set
up with four commands, without which a browser tells nothing of it; with "only-read"
as the first argument none is. Prints what it cost as one JSON line."""

import asyncio
import json
import resource
import sys
import time

import websockets

START, END = "'bench-start'", "bench-end"
ATTACH = {"autoAttach": True, "flatten": True, "waitForDebuggerOnStart": False}
SET_UP = [("Page.enable", {}), ("Runtime.enable", {}), ("Target.setAutoAttach", ATTACH), ("Runtime.runIfWaitingForDebugger", {})]


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


async def main(endpoint, sets_up):
    async with websockets.connect(endpoint, max_size=None, compression=None) as ws:
        waiting, last = {}, 0

        async def send(method, params, session=None):
            nonlocal last
            last += 1
            waiting[last] = method
            command = {"id": last, "method": method, "params": params}
            if session is not None:
                command["sessionId"] = session
            await ws.send(json.dumps(command))

        await send("Target.setAutoAttach", ATTACH)
        while True:
            message = json.loads(await ws.recv())
            if message.get("method") == "Target.attachedToTarget":
                session = message["params"]["sessionId"]
                break
        for name, params in SET_UP if sets_up else []:
            await send(name, params, session)
        frames, count = {}, 0
        wall, before = time.monotonic(), cpu()
        await send("Runtime.evaluate", {"expression": START}, session)
        async for text in ws:
            message = json.loads(text)
            count += 1
            method = message.get("method")
            if method is None:
                waiting.pop(message.get("id"), None)
            elif method == "Target.attachedToTarget" and sets_up:
                for name, params in SET_UP:
                    await send(name, params, message["params"]["sessionId"])
            elif method == "Page.frameAttached":
                frames[message["params"]["frameId"]] = message["params"].get("parentFrameId")
            elif method == "Page.frameDetached":
                frames.pop(message["params"]["frameId"], None)
            elif method == "Target.targetInfoChanged" and message["params"]["targetInfo"]["title"] == END:
                break
        print(json.dumps({
            "cpu_s": cpu() - before, "wall_s": time.monotonic() - wall, "rss_kb": peak(),
            "notes": {"frames": len(frames), "messages": count},
        }))


asyncio.run(main(sys.argv[-1], "only-read" not in sys.argv))
