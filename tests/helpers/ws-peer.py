# SPDX-License-Identifier: GPL-3.0-or-later
# The client of the library "websockets" (Debian: python3-websockets), with
# orders as lines of JSON; prints received messages as lines of JSON.
#
#	usage: ws-peer.py URL
import asyncio
import json
import sys

import websockets


def say(**what):
    print(json.dumps(what), flush=True)


async def lines():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2 ** 22)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async for line in reader:
        yield json.loads(line)


async def listen(ws):
    try:
        async for text in ws:
            say(text=text)
    except websockets.ConnectionClosed:
        pass
    say(closed=ws.close_code)


async def obey(ws, what):
    if "text" in what:
        await ws.send(what["text"])
    elif "pieces" in what:
        await ws.send(what["pieces"])
    elif "binary" in what:
        await ws.send(bytes(what["binary"]))
    elif "bad" in what:
        # no UTF-8, which send() would not let out
        await ws.write_frame(True, 1, bytes(what["bad"]))
    elif "ping" in what:
        await (await ws.ping(what["ping"]))
        say(pong=what["ping"])
    elif "close" in what:
        await ws.close(what["close"])


async def main(url):
    async with websockets.connect(url, close_timeout=2,
                                  max_size=2 ** 22) as ws:
        say(open=True)
        listener = asyncio.create_task(listen(ws))
        async for what in lines():
            try:
                await obey(ws, what)
            except websockets.ConnectionClosed:
                pass
        await listener


asyncio.run(main(sys.argv[1]))
