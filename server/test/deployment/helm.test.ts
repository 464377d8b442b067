/** The Helm chart renders to objects that are valid for the API of Kubernetes and consistent with each other and with the service. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { violations } from './kubernetes-rules.ts';
import { type KubernetesObject, schemaErrors } from './kubernetes-types.ts';

type Values = Readonly<Record<string, unknown>>;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = `${root}deploy/helm/joinery`;
const chart = parse(readFileSync(`${folder}/Chart.yaml`, 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
};
const defaults = parse(readFileSync(`${folder}/values.yaml`, 'utf8')) as Values;
const schema = JSON.parse(readFileSync(`${folder}/values.schema.json`, 'utf8')) as object;
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** All parts switched on. */
const everything: Values = {
  settings: { JOINERY_CORS_DOMAIN: 'https://shop.example.com', JOINERY_POOL_SIZE: 5 },
  secret: { keys: { JOINERY_JWT_SECRET: 'jwt-secret' } },
  imagePullSecrets: [{ name: 'registry' }],
  envFrom: [{ secretRef: { name: 'handlers' } }],
  env: [{ name: 'SHOP_URL', value: 'http://shop' }],
  api: {
    autoscaling: { enabled: false },
    replicas: 3,
    nodeSelector: { pool: 'api' },
    podAnnotations: { team: 'shop' },
  },
  events: { settings: { JOINERY_LOG_LEVEL: 'debug' }, tolerations: [{ key: 'spot', operator: 'Exists' }] },
  release: { enabled: true, image: 'registry.example.com/shop-joinery:1' },
  ingress: { enabled: true, host: 'data.shop.example.com', className: 'traefik', annotations: { a: 'b' } },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
};
const values: readonly (readonly [string, Values])[] = [
  ['the default values', {}],
  ['everything switched on', everything],
  [
    'everything switched off',
    { networkPolicy: { enabled: false }, serviceAccount: { create: false }, api: { preStopSeconds: 0 } },
  ],
];

describe('the chart', () => {
  it('has the version of the packages', () => {
    const { version } = JSON.parse(readFileSync(`${root}cli/package.json`, 'utf8')) as { readonly version: string };
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  it.each(values)('accepts %s', (_, given) => {
    expect(validate(merged(defaults, given)) || validate.errors).toBe(true);
  });

  it.each([
    ['an unknown value', { replicas: 2 }],
    ['an unknown value of a part', { api: { replica: 2 } }],
    ['a setting without the prefix', { settings: { POOL_SIZE: '5' } }],
    ['a secret without the admin secret', { secret: { keys: { JOINERY_ADMIN_SECRET: null } } }],
  ])('rejects %s', (_, given) => {
    expect(validate(merged(defaults, given))).toBe(false);
  });

  it('describes each value of values.yaml in its schema', () => {
    const { properties } = schema as { readonly properties: object };
    expect(
      Object.keys(properties)
        .filter((name) => name !== 'global')
        .sort(),
    ).toEqual(Object.keys(defaults).sort());
  });
});

const BUILD_MS = 240_000;
const renderer = join(mkdtempSync(join(tmpdir(), 'joinery-helm-')), 'render');
afterAll(() => rmSync(dirname(renderer), { recursive: true }));

/** Debian's Go and Sprig, the template language and functions of Helm. */
const hasGo =
  existsSync('/usr/share/gocode/src/github.com/Masterminds/sprig') && spawnSync('go', ['version']).status === 0;
const hasHelm = spawnSync('helm', ['version']).status === 0;

describe.runIf(hasGo)('rendered with the template language of Helm', () => {
  beforeAll(() => {
    const main = fileURLToPath(new URL('render/main.go', import.meta.url));
    const { status, stderr } = spawnSync('go', ['build', '-o', renderer, main], {
      encoding: 'utf8',
      env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' },
    });
    expect(status, stderr).toBe(0);
  }, BUILD_MS);

  it.each(values)('%s yield valid objects', (_, given) => {
    expect(schemaErrors(rendered(given))).toBe('');
  });

  it.each(values)('%s yield consistent objects', (_, given) => {
    expect(violations(rendered(given))).toEqual([]);
  });

  it('the default values yield the objects of deploy/kubernetes/base', () => {
    expect(kinds(rendered({}))).toEqual(kinds(baseObjects()));
  });

  it('everything switched on yields all objects', () => {
    const found = kinds(rendered(everything));
    expect(['Ingress', 'Job', 'ServiceMonitor', 'NetworkPolicy'].filter((kind) => !found.includes(kind))).toEqual([]);
  });

  it('settings of all pods and of a part become variables', () => {
    const [, ...events] = JSON.stringify(rendered(everything)).split('"name":"shop-joinery-events"');
    const variables = ['{"name":"JOINERY_POOL_SIZE","value":"5"}', '{"name":"JOINERY_LOG_LEVEL","value":"debug"}'];
    expect(variables.filter((variable) => !events.join('').includes(variable))).toEqual([]);
  });

  it('an ingress without a host is an error', () => {
    expect(() => render({ ingress: { enabled: true } })).toThrow('ingress.host is required');
  });

  it('the notes contain the address of the service', () => {
    expect(render(everything)['NOTES.txt']).toContain('https://data.shop.example.com/v1/graphql');
  });
});

describe.runIf(hasHelm)('rendered by Helm', () => {
  it('passes helm lint', () => {
    const { status, stdout, stderr } = spawnSync('helm', ['lint', '--strict', folder], { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });

  it.each(values)('%s yield valid and consistent objects', (_, given) => {
    const { stdout, stderr, status } = spawnSync('helm', ['template', 'shop', folder, '--values', '-'], {
      input: JSON.stringify(given),
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const objects = documentsOf(stdout);
    expect([schemaErrors(objects), violations(objects)]).toEqual(['', []]);
  });
});

/** Returns the rendered templates by file name. Throws with the error of the template. */
function render(given: Values): Readonly<Record<string, string>> {
  const objects = {
    Values: merged(defaults, given),
    Release: { Name: 'shop', Namespace: 'shop', Service: 'Helm', IsInstall: true, IsUpgrade: false, Revision: 1 },
    // Go's fields of the built-in object Chart begin with a capital letter.
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
  };
  const { stdout, stderr, status } = spawnSync(renderer, [folder], {
    input: JSON.stringify(objects),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, string>;
}

function rendered(given: Values): readonly KubernetesObject[] {
  const templates = Object.entries(render(given)).filter(([name]) => name.endsWith('.yaml'));
  return templates.flatMap(([, text]) => documentsOf(text));
}

function documentsOf(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    expect([...document.errors, ...document.warnings], text).toEqual([]);
    return (document.toJS() as KubernetesObject | null) ?? [];
  });
}

function baseObjects(): readonly KubernetesObject[] {
  const files = ['service-account', 'api', 'events', 'network-policy'];
  return files.flatMap((name) => documentsOf(readFileSync(`${root}deploy/kubernetes/base/${name}.yaml`, 'utf8')));
}

function kinds(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map(({ kind }) => kind).sort();
}

/** Merges values as Helm does: maps by member, null removes, everything else replaces. */
function merged(base: Values, given: Values): Values {
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(given)) {
    const before = result[name];
    if (value === null) delete result[name];
    else result[name] = isMap(before) && isMap(value) ? merged(before, value) : value;
  }
  return result;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
