"""An informer of the JavaScript client, and an MCP server over stdio (client-go), as AI agents use one.

Both are installed next to the downloaded kubectls (``.venv/door/node``, by ``make test-door``).
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.door.clients import WHEELS, left_out
from tests.door.cluster import POD
from tests.door.test_python_clients import kubeconfig

MODULES = Path(os.environ.get("PODSCOPE_DOOR_NODE") or WHEELS / "node") / "node_modules"
NODE = Path(sys.prefix) / "bin" / "node"
SECONDS = 60
INFORMER = """\
import * as k8s from '@kubernetes/client-node';
const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const core = config.makeApiClient(k8s.CoreV1Api);
const pods = () => core.listNamespacedPod({namespace: 'default'});
const first = (await pods()).items.map(item => item.metadata.name);
const seen = [];
const informer = k8s.makeInformer(config, '/api/v1/namespaces/default/pods', pods);
for (const word of ['add', 'delete']) informer.on(word, pod => seen.push(`${word} ${pod.metadata.name}`));
await informer.start();
await core.createNamespacedPod({namespace: 'default', body: JSON.parse(process.argv[3])});
const until = async word => { for (let n = 0; n < 200 && !seen.includes(word); n++) await new Promise(done => setTimeout(done, 100)); };
await until('add p');
await core.deleteNamespacedPod({name: 'p', namespace: 'default', gracePeriodSeconds: 0});
await until('delete p');
await informer.stop();
console.log(JSON.stringify({first, seen}));
process.exit(0);
"""


def client_node(text: str, home: Path) -> list[str]:
    """The command that runs a script with the client in the folder ``home``; skips or fails if it is missing."""
    if not (MODULES / "@kubernetes" / "client-node").exists() or not NODE.exists():
        left_out("@kubernetes/client-node: make test-door installs it")
    script = home / "informer.mjs"
    script.write_text(text)
    (home / "node_modules").symlink_to(MODULES)
    return [str(NODE), str(script)]


def test_an_informer_in_javascript_sees_pods_come_and_go(cluster: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*client_node(INFORMER, tmp_path), str(kubeconfig(cluster, tmp_path, skips_tls=True)), json.dumps(POD)],
        env={"HOME": str(tmp_path)}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {"first": ["first"], "seen": ["add first", "add p", "delete p"]}


class McpServer:
    """An MCP server over stdio."""

    def __init__(self, config: Path, home: Path) -> None:
        binary = next(iter(sorted(MODULES.glob("kubernetes-mcp-server-linux-amd64/bin/*"))), None)
        if binary is None:
            left_out("kubernetes-mcp-server: make test-door installs it")
        self._process = subprocess.Popen(
            [str(binary), "--kubeconfig", str(config)], env={"HOME": str(home)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._number = 0
        client = {"name": "test", "version": "1"}
        self.ask("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo=client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = json.loads(line)
            if found.get("id") == self._number:
                return dict(found["result"])
        raise AssertionError(self.stop())

    def call(self, tool: str, **arguments: Any) -> str:
        """The text that a tool returns; fails if the tool reports an error."""
        found = self.ask("tools/call", name=tool, arguments=arguments)
        text = "".join(item.get("text", "") for item in found["content"])
        assert not found.get("isError"), text
        return text

    def stop(self) -> str:
        """Stop it; returns its error output."""
        self._process.kill()
        return self._process.communicate()[1]


@pytest.fixture
def mcp(cluster: str, tmp_path: Path) -> Iterator[McpServer]:
    server = McpServer(kubeconfig(cluster, tmp_path), tmp_path)
    yield server
    server.stop()


def test_an_mcp_server_lists_creates_reads_and_deletes(mcp: McpServer) -> None:
    assert "first" in mcp.call("pods_list_in_namespace", namespace="default")
    mcp.call("resources_create_or_update", resource=json.dumps(POD))
    assert "name: p" in mcp.call("pods_get", namespace="default", name="p")
    mcp.call("pods_log", namespace="default", name="first")
    mcp.call("pods_delete", namespace="default", name="p")
    assert "first" in mcp.call("resources_list", apiVersion="v1", kind="Pod", namespace="default")
