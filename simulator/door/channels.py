"""The channel protocols of exec and attach: frames, and the Status that ends a command in a container.

A frame is binary, and its first byte is the number of its channel. Channel 3 carries a single frame, the last one: a
Status with the exit code. In v5 the byte 255 followed by a channel's number means that nothing more follows on that
channel. Source: apimachinery pkg/util/remotecommand/constants.go, client-go tools/remotecommand/{websocket,v4,v5}.go.
"""

from typing import Any

from simulator.door.exchange import json_bytes

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
"""The supported subprotocols, newest first. Earlier ones do not report an exit code."""


def exit_status(code: int) -> bytes:
    """The Status of a command that has exited."""
    if not code:
        return json_bytes({"metadata": {}, "status": "Success"})
    message = f"command terminated with non-zero exit code: command terminated with exit code {code}"
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return json_bytes(_failure(message, "NonZeroExitCode") | {"details": {"causes": causes}})


def error_status(message: str) -> bytes:
    """The Status of a command without an exit code."""
    return json_bytes(_failure(message, "InternalError") | {"code": 500})


def _failure(message: str, reason: str) -> dict[str, Any]:
    return {"metadata": {}, "status": "Failure", "message": message, "reason": reason}
