"""Python's websockets with json.loads: the loop that one writes first, and a
dict of frames. Prints what it cost as one JSON line."""

import asyncio
import json
import resource
import sys
import time

import websockets

START, END = "'bench-start'", "bench-end"


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


async def main(endpoint):
    async with websockets.connect(endpoint, max_size=None, compression=None) as ws:
        attach = {"autoAttach": True, "flatten": True, "waitForDebuggerOnStart": False}
        await ws.send(json.dumps({"id": 1, "method": "Target.setAutoAttach", "params": attach}))
        while True:
            message = json.loads(await ws.recv())
            if message.get("method") == "Target.attachedToTarget":
                session = message["params"]["sessionId"]
                break
        frames, count = {}, 0
        wall, before = time.monotonic(), cpu()
        await ws.send(json.dumps({"id": 2, "method": "Runtime.evaluate", "params": {"expression": START}, "sessionId": session}))
        async for text in ws:
            message = json.loads(text)
            count += 1
            method = message.get("method")
            if method == "Page.frameAttached":
                frames[message["params"]["frameId"]] = message["params"].get("parentFrameId")
            elif method == "Page.frameDetached":
                frames.pop(message["params"]["frameId"], None)
            elif method == "Target.targetInfoChanged" and message["params"]["targetInfo"]["title"] == END:
                break
        print(json.dumps({
            "cpu_s": cpu() - before, "wall_s": time.monotonic() - wall, "rss_kb": peak(),
            "notes": {"frames": len(frames), "messages": count},
        }))


asyncio.run(main(sys.argv[-1]))
