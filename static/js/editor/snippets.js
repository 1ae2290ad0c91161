// @ts-check
/** Blocks people write again and again. `#{…}` are the places to fill in, in order. */

/** @type {{ key: string, on: RegExp, label: string, body: string }[]} on: the path of the map the block goes into */
export const SNIPPETS = [
  { key: "livenessProbe", on: /containers\.\[\]$/, label: "livenessProbe: httpGet", body: "livenessProbe:\n\thttpGet:\n\t\tpath: #{/healthz}\n\t\tport: #{8080}\n\tperiodSeconds: #{10}\n\tfailureThreshold: #{3}" },
  { key: "readinessProbe", on: /containers\.\[\]$/, label: "readinessProbe: httpGet", body: "readinessProbe:\n\thttpGet:\n\t\tpath: #{/}\n\t\tport: #{8080}\n\tperiodSeconds: #{5}" },
  { key: "startupProbe", on: /containers\.\[\]$/, label: "startupProbe: httpGet", body: "startupProbe:\n\thttpGet:\n\t\tpath: #{/healthz}\n\t\tport: #{8080}\n\tperiodSeconds: #{2}\n\tfailureThreshold: #{30}" },
  { key: "livenessProbe", on: /containers\.\[\]$/, label: "livenessProbe: exec", body: "livenessProbe:\n\texec:\n\t\tcommand: [#{cat}, #{/tmp/healthy}]\n\tperiodSeconds: #{5}" },
  { key: "ports", on: /containers\.\[\]$/, label: "ports: containerPort", body: "ports:\n- containerPort: #{8080}\n  name: #{http}" },
  { key: "env", on: /containers\.\[\]$/, label: "env: value", body: "env:\n- name: #{NAME}\n  value: #{\"value\"}" },
  { key: "env", on: /containers\.\[\]$/, label: "env: fieldRef", body: "env:\n- name: #{POD_NAME}\n  valueFrom:\n    fieldRef:\n      fieldPath: #{metadata.name}" },
  { key: "resources", on: /containers\.\[\]$/, label: "resources: requests, limits", body: "resources:\n\trequests:\n\t\tcpu: #{100m}\n\t\tmemory: #{64Mi}\n\tlimits:\n\t\tmemory: #{128Mi}" },
  { key: "lifecycle", on: /containers\.\[\]$/, label: "lifecycle: preStop sleep", body: "lifecycle:\n\tpreStop:\n\t\tsleep:\n\t\t\tseconds: #{5}" },
  { key: "volumeMounts", on: /containers\.\[\]$/, label: "volumeMounts", body: "volumeMounts:\n- name: #{data}\n  mountPath: #{/data}" },
  { key: "volumes", on: /(^|\.)spec$/, label: "volumes: emptyDir", body: "volumes:\n- name: #{data}\n  emptyDir: {}" },
  { key: "volumes", on: /(^|\.)spec$/, label: "volumes: configMap", body: "volumes:\n- name: #{config}\n  configMap:\n    name: #{app-config}" },
  { key: "initContainers", on: /(^|\.)spec$/, label: "initContainers", body: "initContainers:\n- name: #{init}\n  image: #{busybox:1.36}\n  command: [#{sh}, #{-c}, #{\"sleep 5\"}]" },
];
