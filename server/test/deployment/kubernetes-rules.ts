/** Rules between Kubernetes objects that their schemas do not contain. */

import { options, variableName } from '../../src/config/options.ts';
import type { KubernetesObject } from './kubernetes-types.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly items: readonly { key: string; path: string }[] };
  }[];
}

interface Workload {
  readonly name: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly selector: Readonly<Record<string, string>> | undefined;
  readonly pod: PodSpec;
}

/** Settings that other commands than `serve` read. */
const ofCommands = ['JOINERY_ENDPOINT'];
const settings = new Map(Object.values(options).map((option) => [variableName(option), 'secret' in option]));

/** Returns the violations of all rules; empty if there are none. */
export function violations(objects: readonly KubernetesObject[]): readonly string[] {
  const workloads = objects.flatMap(workloadOf);
  return [
    ...workloads.flatMap(settingsOf),
    ...workloads.flatMap(secretsOf),
    ...workloads.flatMap(stopOf),
    ...workloads.flatMap(hardeningOf),
    ...objects.flatMap((object) => selectionsOf(object, workloads)),
    ...objects.flatMap((object) => backendsOf(object, objects)),
  ];
}

/** Returns the key of the Secret that each workload reads, by the name of the Secret. */
export function secretKeys(objects: readonly KubernetesObject[]): readonly string[] {
  const keys = objects
    .flatMap(workloadOf)
    .flatMap(({ pod }) =>
      (pod.volumes ?? []).flatMap(({ secret }) => secret?.items.map(({ key }) => `${secret.secretName}/${key}`) ?? []),
    );
  return [...new Set(keys)].sort();
}

function workloadOf({ kind, metadata, spec }: KubernetesObject): readonly Workload[] {
  if (kind !== 'Deployment' && kind !== 'Job') return [];
  const { template, selector } = spec as unknown as {
    readonly template: { readonly metadata: { readonly labels: Record<string, string> }; readonly spec: PodSpec };
    readonly selector?: { readonly matchLabels: Record<string, string> };
  };
  const { labels } = template.metadata;
  return [{ name: metadata.name, kind, labels, selector: selector?.matchLabels, pod: template.spec }];
}

function settingsOf({ name, pod }: Workload): readonly string[] {
  return pod.containers.flatMap(({ env = [] }) =>
    env.flatMap(({ name: variable }) => {
      const setting = variable.replace(/_FILE$/, '');
      const isKnown = variable === setting ? settings.has(variable) : settings.get(setting) === true;
      return !variable.startsWith('JOINERY_') || isKnown || ofCommands.includes(variable)
        ? []
        : [`${name}: ${variable} is not a setting`];
    }),
  );
}

/** The files of secret settings are those that the volume contains. */
function secretsOf({ name, pod }: Workload): readonly string[] {
  return pod.containers.flatMap(({ env = [], volumeMounts = [] }) => {
    const files = volumeMounts.flatMap(({ name: volume, mountPath }) =>
      (pod.volumes?.find((one) => one.name === volume)?.secret?.items ?? []).map(({ path }) => `${mountPath}/${path}`),
    );
    const read = env.flatMap(({ name: variable, value = '' }) => (variable.endsWith('_FILE') ? [value] : []));
    return [
      ...read.filter((path) => !files.includes(path)).map((path) => `${name}: no volume contains ${path}`),
      ...files.filter((path) => !read.includes(path)).map((path) => `${name}: no setting reads ${path}`),
    ];
  });
}

/** The grace period is longer than the sleep of preStop and the graceful shutdown together. */
function stopOf({ name, kind, pod }: Workload): readonly string[] {
  if (kind !== 'Deployment') return [];
  return pod.containers.flatMap(({ env = [], lifecycle }) => {
    const shutdown = Number(env.find((one) => one.name === 'JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT')?.value);
    const needed = shutdown + (lifecycle?.preStop?.sleep?.seconds ?? 0);
    const period = pod.terminationGracePeriodSeconds ?? 30;
    return period > needed ? [] : [`${name}: stops after ${period} s, but the service needs ${needed} s`];
  });
}

function hardeningOf({ name, pod }: Workload): readonly string[] {
  return pod.containers.flatMap(({ securityContext, resources }) => [
    ...(pod.securityContext?.runAsNonRoot === true ? [] : [`${name}: may run as root`]),
    ...(pod.automountServiceAccountToken === false ? [] : [`${name}: has a token of the service account`]),
    ...(securityContext?.readOnlyRootFilesystem === true ? [] : [`${name}: may write files`]),
    ...(securityContext?.allowPrivilegeEscalation === false ? [] : [`${name}: may gain privileges`]),
    ...(resources?.requests?.cpu === undefined ? [`${name}: requests no CPU`] : []),
  ]);
}

/** Selectors select pods that exist. */
function selectionsOf(object: KubernetesObject, workloads: readonly Workload[]): readonly string[] {
  const { kind, metadata } = object;
  return selectorsIn(object).flatMap((selector) =>
    workloads.some(({ labels }) => Object.entries(selector).every(([label, value]) => labels[label] === value))
      ? []
      : [`${kind} ${metadata.name}: selects no pod with ${JSON.stringify(selector)}`],
  );
}

function selectorsIn({ kind, spec = {} }: KubernetesObject): readonly Readonly<Record<string, string>>[] {
  const labels = (value: unknown) => (value as { readonly matchLabels: Record<string, string> }).matchLabels;
  if (kind === 'Service') return [spec.selector as Record<string, string>];
  if (kind === 'NetworkPolicy') return [labels(spec.podSelector)];
  return kind === 'Deployment' || kind === 'PodDisruptionBudget' ? [labels(spec.selector)] : [];
}

/** Ports, services and Deployments that other objects name exist. */
function backendsOf({ kind, metadata, spec }: KubernetesObject, all: readonly KubernetesObject[]): readonly string[] {
  const missing = (what: string) => [`${kind} ${metadata.name}: ${what} does not exist`];
  if (kind === 'Service') {
    const { ports } = spec as unknown as { readonly ports: readonly { readonly targetPort: string }[] };
    const known = all.flatMap(workloadOf).flatMap(({ pod }) => pod.containers.flatMap((one) => one.ports ?? []));
    return ports.flatMap(({ targetPort }) =>
      known.some(({ name }) => name === targetPort) ? [] : missing(`port ${targetPort}`),
    );
  }
  if (kind === 'HorizontalPodAutoscaler') {
    const { scaleTargetRef } = spec as unknown as { readonly scaleTargetRef: { readonly name: string } };
    const target = all.find((one) => one.kind === 'Deployment' && one.metadata.name === scaleTargetRef.name);
    if (target === undefined) return missing(`Deployment ${scaleTargetRef.name}`);
    return target.spec?.replicas === undefined ? [] : [`${metadata.name}: the Deployment sets replicas as well`];
  }
  const services = all.filter((one) => one.kind === 'Service');
  if (kind === 'Ingress') {
    const names = [...JSON.stringify(spec).matchAll(/"service":\{"name":"([^"]+)"/g)].map(([, name = '']) => name);
    return names.flatMap((name) =>
      services.some((one) => one.metadata.name === name) ? [] : missing(`service ${name}`),
    );
  }
  if (kind === 'ServiceMonitor') {
    const { selector } = spec as unknown as { readonly selector: { readonly matchLabels: Record<string, string> } };
    const selected = services.filter(({ metadata: { labels = {} } }) =>
      Object.entries(selector.matchLabels).every(([label, value]) => labels[label] === value),
    );
    return selected.length === 2 ? [] : [`${metadata.name}: selects ${selected.length} services`];
  }
  return [];
}
