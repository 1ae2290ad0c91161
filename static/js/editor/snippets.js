// @ts-check
/** Blocks that people write again and again. `#{1:…}` are the places to fill in, in order. */

/** @type {{ key: string, on: RegExp, label: string, body: string }[]} on: the path of the map the block goes into */
export const SNIPPETS = [
  { key: "livenessProbe", on: /containers\.\[\]$/, label: "livenessProbe: httpGet", body: "livenessProbe:\n\thttpGet:\n\t\tpath: #{1:/healthz}\n\t\tport: #{2:8080}\n\tperiodSeconds: #{3:10}\n\tfailureThreshold: #{4:3}" },
  { key: "readinessProbe", on: /containers\.\[\]$/, label: "readinessProbe: httpGet", body: "readinessProbe:\n\thttpGet:\n\t\tpath: #{1:/}\n\t\tport: #{2:8080}\n\tperiodSeconds: #{3:5}" },
  { key: "startupProbe", on: /containers\.\[\]$/, label: "startupProbe: httpGet", body: "startupProbe:\n\thttpGet:\n\t\tpath: #{1:/healthz}\n\t\tport: #{2:8080}\n\tperiodSeconds: #{3:2}\n\tfailureThreshold: #{4:30}" },
  { key: "livenessProbe", on: /containers\.\[\]$/, label: "livenessProbe: exec", body: "livenessProbe:\n\texec:\n\t\tcommand: [#{1:cat}, #{2:/tmp/healthy}]\n\tperiodSeconds: #{3:5}" },
  { key: "ports", on: /containers\.\[\]$/, label: "ports: containerPort", body: "ports:\n- containerPort: #{1:8080}\n  name: #{2:http}" },
  { key: "env", on: /containers\.\[\]$/, label: "env: value", body: "env:\n- name: #{1:NAME}\n  value: #{2:\"value\"}" },
  { key: "env", on: /containers\.\[\]$/, label: "env: fieldRef", body: "env:\n- name: #{1:POD_NAME}\n  valueFrom:\n    fieldRef:\n      fieldPath: #{2:metadata.name}" },
  { key: "resources", on: /containers\.\[\]$/, label: "resources: requests, limits", body: "resources:\n\trequests:\n\t\tcpu: #{1:100m}\n\t\tmemory: #{2:64Mi}\n\tlimits:\n\t\tmemory: #{3:128Mi}" },
  { key: "lifecycle", on: /containers\.\[\]$/, label: "lifecycle: preStop sleep", body: "lifecycle:\n\tpreStop:\n\t\tsleep:\n\t\t\tseconds: #{1:5}" },
  { key: "volumeMounts", on: /containers\.\[\]$/, label: "volumeMounts", body: "volumeMounts:\n- name: #{1:data}\n  mountPath: #{2:/data}" },
  { key: "volumes", on: /(^|\.)spec$/, label: "volumes: emptyDir", body: "volumes:\n- name: #{1:data}\n  emptyDir: {}" },
  { key: "volumes", on: /(^|\.)spec$/, label: "volumes: configMap", body: "volumes:\n- name: #{1:config}\n  configMap:\n    name: #{2:app-config}" },
  { key: "initContainers", on: /(^|\.)spec$/, label: "initContainers", body: "initContainers:\n- name: #{1:init}\n  image: #{2:busybox:1.36}\n  command: [#{3:sh}, #{4:-c}, #{5:\"sleep 5\"}]" },
];
