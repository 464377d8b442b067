/** Checks Kubernetes objects against the types that are generated from the OpenAPI document of Kubernetes: unknown members are errors. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An object of Kubernetes, as far as the rules of the tests read it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Modules of the types by API version. */
const modules: Readonly<Record<string, string>> = {
  v1: 'kubernetes-types/core/v1',
  'apps/v1': 'kubernetes-types/apps/v1',
  'autoscaling/v2': 'kubernetes-types/autoscaling/v2',
  'batch/v1': 'kubernetes-types/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-types/networking/v1',
  'policy/v1': 'kubernetes-types/policy/v1',
};
/** Of the Prometheus Operator. */
const monitors = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';

const workspace = fileURLToPath(new URL('../../', import.meta.url));
const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));

/** Returns the errors of the compiler; empty if all objects are valid. An unknown API version is an error. */
export function schemaErrors(objects: readonly KubernetesObject[]): string {
  const folder = mkdtempSync(join(workspace, 'test/deployment/.schema-'));
  try {
    writeFileSync(join(folder, 'objects.ts'), objects.map(declaration).join('\n'));
    const { stdout, stderr, error } = spawnSync(
      compiler,
      [
        ...['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--types', ''],
        ...['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', join(folder, 'objects.ts')],
      ],
      { cwd: workspace, encoding: 'utf8' },
    );
    if (error !== undefined) throw error;
    return stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns TypeScript that declares the object as a literal, for which the compiler rejects members that the type does not have. */
function declaration(object: KubernetesObject, index: number): string {
  const { apiVersion, kind } = object;
  const isMonitor = apiVersion === 'monitoring.coreos.com/v1' && kind === 'ServiceMonitor';
  const module = isMonitor ? monitors : (modules[apiVersion] ?? `unknown API version ${apiVersion}`);
  const name = isMonitor ? 'IServiceMonitor' : kind;
  return [
    `import type { ${name} as Type${index} } from '${module}';`,
    `export const object${index}: Type${index} = ${JSON.stringify(object, undefined, 1)};`,
  ].join('\n');
}
