"""The frames of a websocket from the client's side, over a stream; the servers measured here do not fragment."""

import asyncio
import base64
import os
import struct

TEXT, CLOSE, PING, PONG = 0x81, 0x88, 0x89, 0x8A


LOCAL = "127.0.0.1"


def greeting(port: int, name: str, *, cookies: str = "", kind: str = "run", host: str = LOCAL) -> bytes:
    """A browser's handshake to watch a run from its beginning, or to join a class."""
    lines = [f"GET /ws/{kind}/{name}/?since=0 HTTP/1.1", f"Host: {host}:{port}", f"Origin: http://{host}:{port}"]
    lines += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}"]
    lines += ["Sec-WebSocket-Version: 13", *([f"Cookie: {cookies}"] if cookies else []), "", ""]
    return "\r\n".join(lines).encode()


async def next_frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Opcode and payload of the next frame. Raises IncompleteReadError if the connection ends."""
    kind, size = await reader.readexactly(2)
    if size == 126:
        (size,) = struct.unpack(">H", await reader.readexactly(2))
    elif size == 127:
        (size,) = struct.unpack(">Q", await reader.readexactly(8))
    return kind, await reader.readexactly(size)


def masked(kind: int, payload: bytes) -> bytes:
    """A frame of a client, with an all-zero mask."""
    size = len(payload)
    if size < 126:
        length = bytes((0x80 | size,))
    elif size < 1 << 16:
        length = bytes((0x80 | 126,)) + size.to_bytes(2)
    else:
        length = bytes((0x80 | 127,)) + size.to_bytes(8)
    return bytes((kind,)) + length + bytes(4) + payload
