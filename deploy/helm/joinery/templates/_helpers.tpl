{{- define "joinery.fullname" -}}
{{- if contains "joinery" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-joinery" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "joinery.selector" -}}
app.kubernetes.io/name: joinery
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "joinery.labels" -}}
{{ include "joinery.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "joinery.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "joinery.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "joinery.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "joinery.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* A Deployment. Arguments: root, component, values, components, preStopSeconds (0 for none), replicas (nil for none). */}}
{{- define "joinery.deployment" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "joinery.fullname" $root) .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "joinery.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not (kindIs "invalid" .replicas) }}
  replicas: {{ .replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "joinery.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels:
        {{- include "joinery.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "joinery.serviceAccountName" $root }}
      automountServiceAccountToken: false
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      # More than preStop and JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT together.
      terminationGracePeriodSeconds: {{ add .preStopSeconds .values.gracefulShutdownSeconds 10 }}
      securityContext:
        {{- include "joinery.podSecurityContext" . | nindent 8 }}
      topologySpreadConstraints:
        {{- $component := .component }}
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "joinery.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $component }}
        {{- end }}
      containers:
        - name: joinery
          image: "{{ $root.Values.image.repository }}:{{ default $root.Chart.AppVersion $root.Values.image.tag }}"
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [serve]
          ports:
            - { name: http, containerPort: 8080 }
          env:
            - { name: JOINERY_HOST, value: 0.0.0.0 }
            - { name: JOINERY_PORT, value: "8080" }
            - { name: JOINERY_COMPONENTS, value: {{ .components | quote }} }
            - { name: JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT, value: {{ .values.gracefulShutdownSeconds | quote }} }
            {{- $settings := mergeOverwrite (dict "JOINERY_LOG_FORMAT" "json") (deepCopy $root.Values.settings) (deepCopy .values.settings) }}
            {{- range $variable, $value := $settings }}
            - { name: {{ $variable }}, value: {{ $value | toString | quote }} }
            {{- end }}
            {{- range $variable, $key := $root.Values.secret.keys }}
            - { name: {{ $variable }}_FILE, value: /run/secrets/joinery/{{ $key }} }
            {{- end }}
            {{- with $root.Values.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- with $root.Values.envFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          volumeMounts:
            - { name: secrets, mountPath: /run/secrets/joinery, readOnly: true }
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            failureThreshold: 60
          # Liveness does not depend on the database, because a restart of the service would not restore it.
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
          {{- if .preStopSeconds }}
          lifecycle:
            preStop: { sleep: { seconds: {{ .preStopSeconds }} } }
          {{- end }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- include "joinery.containerSecurityContext" . | nindent 12 }}
      volumes:
        - name: secrets
          secret:
            secretName: {{ $root.Values.secret.name }}
            defaultMode: 288 # 0440
            items:
              {{- range $key := $root.Values.secret.keys | values | sortAlpha }}
              - { key: {{ $key }}, path: {{ $key }} }
              {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}

{{/* A PodDisruptionBudget. Arguments: root, component, minAvailable. */}}
{{- define "joinery.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "joinery.fullname" .root }}-{{ .component }}
  labels:
    {{- include "joinery.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  minAvailable: {{ .minAvailable }}
  selector:
    matchLabels:
      {{- include "joinery.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end -}}
