{{- define "podscope.labels" -}}
app.kubernetes.io/name: podscope
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- define "podscope.environment" -}}
envFrom:
- configMapRef: {name: {{ .Values.settings }}, optional: true}
env:
- name: PODSCOPE_SECRET_KEY
  valueFrom: {secretKeyRef: {name: {{ .Values.secret }}, key: secret-key}}
- name: PODSCOPE_DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.secret }}, key: database-url}}
- name: PODSCOPE_REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.secret }}, key: redis-url}}
- {name: PODSCOPE_JOBS, value: celery}
- {name: PODSCOPE_ALLOWED_HOSTS, value: {{ .Values.host }}}
- {name: PODSCOPE_ORIGINS, value: "{{ if .Values.tlsSecret }}https{{ else }}http{{ end }}://{{ .Values.host }}"}
- {name: PODSCOPE_HTTPS, value: "{{ if .Values.tlsSecret }}1{{ else }}0{{ end }}"}
- {name: PODSCOPE_BEHIND_PROXY, value: "1"}
# The node's processors are not those of the container.
- {name: PODSCOPE_WORKERS, value: "2"}
{{- end }}

{{- define "podscope.container" -}}
image: {{ .Values.image }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
- {name: data, mountPath: /var/lib/podscope}
- {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "podscope.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- end }}

{{- define "podscope.spread" -}}
topologySpreadConstraints:
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "podscope.labels" . | nindent 6 }}
{{- end }}
