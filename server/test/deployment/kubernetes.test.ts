/** The manifests in deploy/kubernetes are valid for the API of Kubernetes and consistent with each other and with the service. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { secretKeys, violations } from './kubernetes-rules.ts';
import { type KubernetesObject, schemaErrors } from './kubernetes-types.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const kubernetes = `${root}deploy/kubernetes/`;
const folders = ['base', 'components/ingress', 'components/monitoring', 'components/release'];

function documentsOf(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS() as KubernetesObject;
  });
}

/** Returns the objects of the resources that the Kustomization of a folder lists. */
function resourcesIn(folder: string): readonly KubernetesObject[] {
  const { resources } = parse(readFileSync(`${kubernetes}${folder}/kustomization.yaml`, 'utf8')) as {
    readonly resources: readonly string[];
  };
  return resources.flatMap((name) => documentsOf(readFileSync(`${kubernetes}${folder}/${name}`, 'utf8')));
}

const objects = folders.flatMap(resourcesIn);

describe('deploy/kubernetes', () => {
  it('contains objects with known members of the right types only', () => {
    expect(schemaErrors(objects)).toBe('');
  });

  it('contains the objects of a deployment', () => {
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Deployment joinery-api',
      'Deployment joinery-events',
      'HorizontalPodAutoscaler joinery-api',
      'Ingress joinery',
      'Job joinery-release',
      'NetworkPolicy joinery',
      'NetworkPolicy joinery-release',
      'PodDisruptionBudget joinery-api',
      'PodDisruptionBudget joinery-events',
      'Service joinery-api',
      'Service joinery-events',
      'ServiceAccount joinery',
      'ServiceMonitor joinery',
    ]);
  });

  it('has selectors, ports, secrets, settings and grace periods that match', () => {
    expect(violations(objects)).toEqual([]);
  });

  it('reads the keys of the Secret that docs/kubernetes.md creates', () => {
    const page = readFileSync(`${root}docs/kubernetes.md`, 'utf8');
    const created = [...page.matchAll(/--from-(?:file|literal)=([\w-]+)/g)].map(([, key]) => `joinery/${key}`);
    expect([...new Set(created)].sort()).toEqual(secretKeys(objects));
  });

  it('uses the image of the version of the packages', () => {
    const { version } = JSON.parse(readFileSync(`${root}cli/package.json`, 'utf8')) as { readonly version: string };
    const images = [...JSON.stringify(objects).matchAll(/"image":"([^"]+)"/g)].map(([, image]) => image);
    expect([...new Set(images)]).toEqual([`ghcr.io/joinery-graphql/joinery:${version}`]);
  });

  it('lists every file of a folder in its Kustomization', () => {
    const listed = folders.map((folder) => {
      const { resources } = parse(readFileSync(`${kubernetes}${folder}/kustomization.yaml`, 'utf8'));
      return [...resources, 'kustomization.yaml'].sort();
    });
    expect(folders.map((folder) => readdirSync(kubernetes + folder).sort())).toEqual(listed);
  });
});

describe('the checks of objects', () => {
  const change = (kind: string, edit: (text: string) => string) =>
    objects.map((object) =>
      object.kind === kind ? (JSON.parse(edit(JSON.stringify(object))) as KubernetesObject) : object,
    );

  it('report an unknown member', () => {
    const changed = change('Ingress', (text) => text.replace('"pathType"', '"pathTyp"'));
    expect(schemaErrors(changed)).toContain('pathTyp');
  });

  it('report an unknown member of a ServiceMonitor', () => {
    const changed = change('ServiceMonitor', (text) => text.replace('"interval"', '"intervall"'));
    expect(schemaErrors(changed)).toContain('intervall');
  });

  it('report an unknown API version', () => {
    const changed = change('PodDisruptionBudget', (text) => text.replace('policy/v1', 'policy/v1beta1'));
    expect(schemaErrors(changed)).toContain('unknown API version policy/v1beta1');
  });

  it.each([
    [
      'an unknown setting',
      'Deployment',
      'JOINERY_LOG_FORMAT',
      'JOINERY_LOG_FORMS',
      'JOINERY_LOG_FORMS is not a setting',
    ],
    [
      'a file of a setting that is not a secret',
      'Job',
      '"JOINERY_ENDPOINT"',
      '"JOINERY_PORT_FILE"',
      'JOINERY_PORT_FILE is not a setting',
    ],
    [
      'a secret without a volume',
      'Job',
      '"path":"admin-secret"',
      '"path":"admin"',
      'no volume contains /run/secrets/joinery/admin-secret',
    ],
    [
      'a short grace period',
      'Deployment',
      '"terminationGracePeriodSeconds":45',
      '"terminationGracePeriodSeconds":35',
      'needs 35 s',
    ],
    [
      'a selector without pods',
      'PodDisruptionBudget',
      '"app.kubernetes.io/component":"api"}}}',
      '"app.kubernetes.io/component":"ap"}}}',
      'selects no pod',
    ],
    ['a port that does not exist', 'Service', '"targetPort":"http"', '"targetPort":"htp"', 'port htp does not exist'],
    [
      'a service that does not exist',
      'Ingress',
      '"name":"joinery-api"',
      '"name":"joinery-apis"',
      'service joinery-apis does not exist',
    ],
    [
      'a writable file system',
      'Job',
      '"readOnlyRootFilesystem":true',
      '"readOnlyRootFilesystem":false',
      'may write files',
    ],
  ])('report %s', (_, kind, part, replacement, message) => {
    const changed = change(kind, (text) => text.replaceAll(part, replacement));
    expect(violations(changed).join('\n')).toContain(message);
  });
});

/** Present where Kubernetes' command line is installed; it contains Kustomize. */
const hasKubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0;

describe.runIf(hasKubectl)('the example overlay, built by kubectl', () => {
  const built = () => {
    const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', `${kubernetes}overlays/example`], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    return documentsOf(stdout);
  };

  it('is valid and consistent', () => {
    expect([schemaErrors(built()), violations(built())]).toEqual(['', []]);
  });

  it('has the namespace, the host and the image of the environment', () => {
    const text = JSON.stringify(built());
    const values = [
      '"namespace":"shop"',
      '"host":"data.shop.example.com"',
      '"image":"registry.example.com/shop-joinery:1"',
    ];
    expect(values.filter((value) => !text.includes(value))).toEqual([]);
  });
});
