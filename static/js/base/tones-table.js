// @ts-check
/** How states look, as simulator/engine/projection/tones.py declares it. Written by `make golden`; changes here are lost. */

/** @type {Record<string, string>} */
export const GLYPHS = {
  "absent": "–",
  "ready": "●",
  "succeeded": "✓",
  "waiting": "○",
  "starting": "◔",
  "notready": "◑",
  "terminating": "▾",
  "unknown": "?",
  "backoff": "↻",
  "failed": "✕"
};

/** @type {Record<string, string>} */
export const PROBE_RESULTS = {
  "suppressed": "·",
  "success": "✓",
  "error": "?",
  "timeout": "▢",
  "failure": "✕"
};

/** @type {Record<string, string>} */
export const CONDITION_STATUSES = {
  "True": "✓",
  "False": "✗",
  "Unknown": "?"
};

/** @type {Record<string, string>} */
export const EVENT_TYPES = {
  "Normal": "○",
  "Warning": "△"
};

/** @type {Record<string, string>} */
export const SIGNS = {
  "ok": "✓",
  "good": "✓",
  "info": "i",
  "warn": "△",
  "warning": "△",
  "bad": "✕",
  "error": "✕"
};

/** @type {Record<string, string>} */
export const NODE_READY = {
  "True": "ready",
  "False": "failed",
  "Unknown": "unknown"
};

/** @type {Record<string, string>} */
export const WAITING_REASONS = {
  "": "waiting",
  "PodInitializing": "waiting",
  "ContainerCreating": "starting",
  "CrashLoopBackOff": "backoff",
  "ImagePullBackOff": "backoff"
};

/** @type {Record<string, string>} */
export const STATUS_WORDS = {
  "Pending": "starting",
  "SchedulingGated": "starting",
  "Init": "starting",
  "PodInitializing": "starting",
  "ContainerCreating": "starting",
  "Completed": "succeeded",
  "Succeeded": "succeeded",
  "Terminating": "terminating",
  "NotReady": "notready",
  "Unknown": "unknown",
  "CrashLoopBackOff": "backoff",
  "ImagePullBackOff": "backoff"
};

/** @type {Record<string, Record<string, string>>} */
export const MACHINES = {
  "phase": {
    "Pending": "waiting",
    "Running": "ready",
    "Succeeded": "succeeded",
    "Failed": "failed",
    "Unknown": "unknown"
  },
  "condition": {
    "True": "ready",
    "False": "notready",
    "Unknown": "unknown"
  },
  "container": {
    "waiting": "waiting",
    "backoff": "backoff",
    "pulling": "starting",
    "creating": "starting",
    "running": "ready",
    "stopping": "terminating",
    "exited": "failed"
  },
  "kubelet": {
    "running": "ready",
    "stopped": "failed",
    "starting": "starting"
  },
  "runtime": {
    "up": "ready",
    "down": "failed",
    "unreachable": "starting"
  },
  "network": {
    "present": "ready",
    "missing": "failed"
  },
  "uplink": {
    "connected": "ready",
    "cut": "failed",
    "back": "starting"
  },
  "status_report": {
    "held": "unknown"
  },
  "shutdown": {
    "on": "ready",
    "shutting_down": "terminating",
    "group": "terminating",
    "off": "absent"
  },
  "workload": {
    "complete": "ready",
    "partial": "notready",
    "empty": "starting",
    "failing": "failed",
    "done": "succeeded"
  },
  "requests": {
    "answered": "ready",
    "retried": "notready",
    "error": "failed",
    "refused": "failed",
    "timeout": "unknown",
    "reset": "backoff"
  }
};

/** @type {string[]} */
export const TRUE_IS_BAD = [
  "DisruptionTarget"
];
