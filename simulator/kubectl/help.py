"""``--help`` and ``help VERB``: what a verb does and which of its flags are supported here.

Shorter than kubectl's own help, and accurate for this command line.
"""

from collections.abc import Mapping

from simulator.kubectl.line import BadLine, Grammar

ABOUT = {
    "annotate": "Update the annotations on a resource",
    "api-resources": "Print the supported API resources on the server",
    "api-versions": 'Print the supported API versions on the server, in the form of "group/version"',
    "apply": "Apply a configuration to a resource by stdin: apply -f -; there are no files here",
    "auth": "Inspect authorization: auth can-i VERB TYPE; there is no RBAC here",
    "autoscale": "Auto-scale a deployment, replica set or stateful set",
    "cluster-info": "Display cluster information",
    "config": "Show the kubeconfig, or set the namespace of later commands: config set-context --current --namespace=NAME",
    "cordon": "Mark node as unschedulable",
    "create": "Create a resource from stdin, or by flags one of deployment, job, cronjob, configmap, secret, namespace, serviceaccount,"
    " service, quota, poddisruptionbudget, priorityclass",
    "debug": "Add an ephemeral container to a pod, copy the pod with one (--copy-to), or look at a node from a pod on it (node/NAME)",
    "delete": "Delete resources by names, by selector, or by stdin",
    "describe": "Show details of a specific resource or group of resources",
    "diff": "Show what applying stdin would change: diff -f -",
    "drain": "Drain node in preparation for maintenance",
    "edit": "Edit a resource: opens the editor of the run",
    "events": "List events",
    "evict": "Ask for the eviction of pods, as drain does; not a command of kubectl itself",
    "exec": "Execute a command in a container",
    "explain": "Get documentation for a resource: explain pod.spec.containers",
    "expose": "Expose a pod, service, deployment or replica set as a new Kubernetes service",
    "get": "Display one or many resources",
    "label": "Update the labels on a resource",
    "logs": "Print the logs for a container in a pod",
    "patch": "Update fields of a resource",
    "replace": "Replace a resource by stdin: replace -f -; without it, it opens the editor of the run",
    "rollout": "Manage the rollout of a resource: status, history, restart, undo, pause, resume",
    "run": "Run a particular image on the cluster",
    "scale": "Set a new size for a deployment, replica set or stateful set",
    "set": "Set images or variables of a resource: set image TYPE NAME CONTAINER=IMAGE, set env TYPE NAME KEY=VALUE (or"
    " --list), set resources TYPE NAME --limits=cpu=1",
    "taint": "Update the taints on one or more nodes",
    "top": "Display resource (CPU/memory) usage: top pods, top nodes",
    "type": "Type into a session that exec -it has begun; not a command of kubectl itself, which has a terminal",
    "uncordon": "Mark node as schedulable",
    "version": "Print the client and server version information",
    "wait": "Wait for a specific condition: wait --for=condition=Ready pod/web",
}  # fmt: skip
"""What each verb does, in one line."""


def wants_help(words: list[str]) -> bool:
    """Whether a line asks for help instead of the command itself."""
    before = words[: words.index("--") if "--" in words else len(words)]
    return words[:1] == ["help"] or "--help" in before or "-h" in before


def help_text(words: list[str], grammars: Mapping[str, Grammar]) -> str:
    """The help for the verb on a line, or the list of verbs. Raises BadLine."""
    verb = next((word for word in words if not word.startswith("-") and word != "help"), "")
    if not verb:
        width = max(map(len, ABOUT)) + 1
        lines = [f"  {name.ljust(width)} {about}" for name, about in sorted(ABOUT.items())]
        return "\n".join(["Commands that this command line knows:", *lines, "", 'Use "kubectl <command> --help" for its flags.', ""])
    if verb not in ABOUT:
        raise BadLine(f'error: unknown command "{verb}" for "kubectl"')
    grammar = grammars.get(verb, Grammar())
    flags = [f"      --{name}={'VALUE' if name in grammar.valued else 'true'}" for name in sorted(grammar.names())]
    shorts = {name: letter for letter, name in grammar.short.items()}
    flags = [f"  -{shorts[text[8:].partition('=')[0]]}, {text[6:]}" if text[8:].partition("=")[0] in shorts else text for text in flags]
    return "\n".join([ABOUT[verb], "", "Usage:", f"  kubectl {verb} [flags]", "", *(["Flags:", *flags, ""] if flags else [])])
