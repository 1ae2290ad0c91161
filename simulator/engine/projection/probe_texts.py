"""Probes and hooks in the wording of ``kubectl describe``."""

from simulator.engine.kernel.json_text import Json


def numbers_text(probe: Json) -> str:
    """Delay, timeout, period and thresholds of a probe, defaults filled in."""
    delay, timeout, period = probe.get("initialDelaySeconds") or 0, probe.get("timeoutSeconds") or 1, probe.get("periodSeconds") or 10
    waits = f"delay={delay}s timeout={timeout}s period={period}s"
    return f"{waits} #success={probe.get('successThreshold') or 1} #failure={probe.get('failureThreshold') or 3}"


def handler_text(handler: Json) -> str:
    """What a probe or hook does, as describe writes it."""
    if action := handler.get("exec"):
        return f"exec [{' '.join(str(word) for word in action.get('command') or ())}]"
    if action := handler.get("httpGet"):
        scheme, path = str(action.get("scheme") or "HTTP").lower(), str(action.get("path") or "/")
        return f"http-get {scheme}://{action.get('host') or ''}:{action['port']}{'' if path[0] == '/' else '/'}{path}"
    if action := handler.get("tcpSocket"):
        return f"tcp-socket {action.get('host') or ''}:{action['port']}"
    if action := handler.get("grpc"):
        return f"grpc <pod>:{action['port']} {action.get('service') or ''}"
    if action := handler.get("sleep"):
        return f"sleep {action['seconds']}s"
    return "unknown"
