"""Passes TCP connections on to a server's port for browsers: `tunnel.py PORT WEB`. There the bytes of each are the messages of
a WebSocket, as a browser sends them."""

import asyncio
import contextlib
import struct
import sys

UPGRADE = (
    b"GET /sync HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
# A server lets only some clients open a WebSocket at the same time.
OPENING = 64
BINARY, CLOSE = 0x82, 0x88


def message(content):
    """Returns a client's binary message. A mask of zeros leaves the content as it is."""
    length = len(content)
    if length < 126:
        head = struct.pack(">BB", BINARY, 0x80 | length)
    elif length < 1 << 16:
        head = struct.pack(">BBH", BINARY, 0x80 | 126, length)
    else:
        head = struct.pack(">BBQ", BINARY, 0x80 | 127, length)
    return head + bytes(4) + content


async def pass_up(reader, writer):
    while content := await reader.read(1 << 16):
        writer.write(message(content))
        await writer.drain()


async def pass_down(reader, writer):
    while True:
        first, length = await reader.readexactly(2)
        if length > 125:
            length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8), "big")
        content = await reader.readexactly(length)
        if first == CLOSE:
            return
        if first == BINARY:
            writer.write(content)
            await writer.drain()


async def connect(client, sink, web, opening):
    with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(sink):
        async with opening:
            server, source = await asyncio.open_connection("127.0.0.1", web)
            source.write(UPGRADE)
            head = await server.readuntil(b"\r\n\r\n")
        with contextlib.closing(source):
            if head.split()[1] != b"101":
                return
            both = [asyncio.ensure_future(pass_up(client, source)), asyncio.ensure_future(pass_down(server, sink))]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)


async def main(port, web):
    opening = asyncio.Semaphore(OPENING)
    server = await asyncio.start_server(
        lambda client, sink: connect(client, sink, web, opening), "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
