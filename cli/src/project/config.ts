/** The configuration of a project from flags, environment, `.env` and `config.yaml`: its folders and its service. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isJsonObject } from '@joinery/metadata/json';
import { CliError } from '../cli-error.ts';
import type { ProjectFlags } from './flags.ts';

export interface Project {
  /** Absolute path, as are the other folders. */
  readonly folder: string;
  readonly metadataDirectory: string;
  /** One file instead of a directory, where the configuration names one. */
  readonly metadataFile: string | undefined;
  readonly migrationsDirectory: string;
  readonly seedsDirectory: string;
  readonly endpoint: string;
  readonly adminSecret: string | undefined;
  /** TLS settings of an https endpoint: an additional certificate authority, and whether to verify. */
  readonly tls: { readonly authority: string | undefined; readonly verify: boolean };
  /** Paths of the APIs behind a proxy, by their default paths. */
  readonly apiPaths: Readonly<Record<string, string>>;
  /** Example: `X-Service-`. Where it is not configured, `X-Hasura-` in projects with variables of Hasura v2. */
  readonly headerPrefix: string;
  /** False where `headerPrefix` is a default, which the service may override. */
  readonly hasHeaderPrefix: boolean;
  /** `no_transaction` of config.yaml: see `joinery migrate apply --no-transaction`. */
  readonly noTransaction: boolean;
  /** The command that `joinery dev` runs next to the service: `dev: { run: ... }`. */
  readonly devCommand: string | undefined;
  /** The environment, with defaults from the `.env` file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Written = Readonly<Record<string, unknown>>;

const defaultEndpoint = 'http://127.0.0.1:8080';

/**
 * Precedence: flags, the profile, environment, `.env`, `config.yaml`. Each member of `config.yaml` has a variable
 * `HASURA_GRAPHQL_<NAME>`, as in Hasura v2. Throws CliError with file and line.
 */
export async function openProject(flags: ProjectFlags, given: Environment): Promise<Project> {
  const folder = resolve(flags.project ?? '.');
  const base = { ...(await readEnvFile(folder, flags.envfile)), ...given };
  const written = await readConfig(join(folder, 'config.yaml'));
  const profile = await readProfile(folder, flags.env ?? base.JOINERY_ENV, written, base);
  const environment = await withAdminSecret({ ...base, ...profile.environment });
  const config = { ...written, ...profile.config };
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const setting = (name: string, variable?: string): string | undefined =>
    text(profile.config[name]) ??
    (variable === undefined ? undefined : text(environment[variable])) ??
    text(environment[hasuraVariable(name)]) ??
    text(config[name]);
  const within = (name: string, fallback: string): string => resolve(folder, setting(name) ?? fallback);
  const endpoint = flags.endpoint ?? setting('endpoint', 'JOINERY_ENDPOINT') ?? defaultEndpoint;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
    throw new CliError(`the endpoint "${endpoint}" is not an http or https URL such as ${defaultEndpoint}`);
  }
  const metadataFile = setting('metadata_file');
  const headerPrefix = flags.headerPrefix ?? setting('header_prefix', 'JOINERY_HEADER_PREFIX');
  const fromHasura = Object.keys(environment).some(
    (name) => name.startsWith(HASURA) && environment[name] !== undefined,
  );
  return {
    folder,
    metadataDirectory: within('metadata_directory', 'metadata'),
    metadataFile: metadataFile === undefined ? undefined : resolve(folder, metadataFile),
    migrationsDirectory: within('migrations_directory', 'migrations'),
    seedsDirectory: within('seeds_directory', 'seeds'),
    endpoint: endpoint.replace(/\/+$/, ''),
    adminSecret:
      flags.adminSecret ??
      setting('admin_secret', 'JOINERY_ADMIN_SECRET') ??
      firstSecret(setting('admin_secrets')) ??
      setting('access_key'),
    tls: await tlsOf(folder, setting('certificate_authority'), setting('insecure_skip_tls_verify'), config),
    apiPaths: apiPathsOf(config, environment),
    headerPrefix: headerPrefix ?? (fromHasura ? 'X-Hasura-' : 'X-Service-'),
    hasHeaderPrefix: headerPrefix !== undefined,
    noTransaction: (setting('no_transaction') ?? String(config.no_transaction ?? false)) === 'true',
    devCommand: devCommandOf(config),
    environment,
  };
}

const HASURA = 'HASURA_GRAPHQL_';

/** Returns the variable of Hasura v2 for a member of `config.yaml`; `.` separates members of members. */
function hasuraVariable(name: string): string {
  return `${HASURA}${name.replaceAll('.', '_').toUpperCase()}`;
}

/** Returns the first of the secrets, which Hasura v2 writes as a JSON list in a string. */
function firstSecret(list: string | undefined): string | undefined {
  if (list === undefined) return undefined;
  try {
    const secrets: unknown = JSON.parse(list);
    const [first] = Array.isArray(secrets) ? (secrets as readonly unknown[]) : [];
    return typeof first === 'string' ? first : undefined;
  } catch (cause) {
    throw new CliError('admin_secrets must be a JSON list of strings, such as ["secret"]', { cause });
  }
}

interface Profile {
  readonly environment: Environment;
  readonly config: Written;
}

/** Reads `.env.<name>` and `environments.<name>` of `config.yaml`, where `{{NAME}}` is a variable of the environment. */
async function readProfile(
  folder: string,
  name: string | undefined,
  { environments }: Written,
  base: Environment,
): Promise<Profile> {
  if (name === undefined || name === '') return { environment: {}, config: {} };
  if (!/^[\w.-]+$/.test(name)) throw new CliError(`"${name}" cannot be the name of a profile`);
  const profiles = isJsonObject(environments) ? environments : {};
  const written = profiles[name];
  const file = await textOf(join(folder, `.env.${name}`));
  if (written === undefined && file === undefined) {
    const known = Object.keys(profiles);
    const listed = known.length === 0 ? '' : `; config.yaml has ${known.join(', ')}`;
    throw new CliError(`no profile "${name}": create .env.${name}, or environments.${name} in config.yaml${listed}`);
  }
  if (written !== undefined && !isJsonObject(written)) {
    throw new CliError(`environments.${name} in config.yaml must be a mapping such as "endpoint: ${defaultEndpoint}"`);
  }
  const { parseEnv } = await import('node:util');
  const environment = file === undefined ? {} : (parseEnv(file) as Environment);
  const all = { ...base, ...environment };
  const expand = (value: unknown): unknown =>
    typeof value === 'string'
      ? value.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, one: string) => required(all, one, name))
      : value;
  const config = Object.fromEntries(Object.entries(written ?? {}).map(([key, value]) => [key, expand(value)]));
  return { environment, config };
}

function required(environment: Environment, variable: string, profile: string): string {
  const value = environment[variable];
  if (value !== undefined && value !== '') return value;
  throw new CliError(`the variable ${variable} of the profile "${profile}" is not set; set it in .env.${profile}`);
}

async function tlsOf(
  folder: string,
  path: string | undefined,
  skip: string | undefined,
  config: Written,
): Promise<Project['tls']> {
  const verify = skip !== 'true' && config.insecure_skip_tls_verify !== true;
  if (path === undefined) return { authority: undefined, verify };
  const text = await textOf(resolve(folder, path));
  if (text !== undefined) return { authority: text, verify };
  throw new CliError(`${resolve(folder, path)} does not exist; "certificate_authority" must name a file in PEM format`);
}

const knownPaths: Readonly<Record<string, string>> = {
  v1_query: '/v1/query',
  query: '/v1/query',
  v2_query: '/v2/query',
  v1_metadata: '/v1/metadata',
  v1_graphql: '/v1/graphql',
  graphql: '/v1/graphql',
  v1_version: '/v1/version',
  version: '/v1/version',
  pg_dump: '/v1alpha1/pg_dump',
};

function apiPathsOf({ api_paths: written }: Written, environment: Environment): Readonly<Record<string, string>> {
  const variables = Object.keys(knownPaths).flatMap((name): [string, string][] => {
    const path = environment[hasuraVariable(`api_paths.${name}`)];
    return path === undefined || path === '' ? [] : [[name, path]];
  });
  const paths = { ...(isJsonObject(written) ? written : {}), ...Object.fromEntries(variables) };
  const moved = Object.entries(paths).flatMap(([name, path]): [string, string][] => {
    const standard = knownPaths[name];
    return standard === undefined || typeof path !== 'string' ? [] : [[standard, `/${path.replace(/^\/+/, '')}`]];
  });
  return Object.fromEntries(moved);
}

function devCommandOf({ dev }: Readonly<Record<string, unknown>>): string | undefined {
  const { run } = (typeof dev === 'object' && dev !== null ? dev : {}) as { readonly run?: unknown };
  return typeof run === 'string' && run !== '' ? run : undefined;
}

/** Reads the variables of `.env`, or of the file of `--envfile`, which must exist. */
async function readEnvFile(folder: string, given: string | undefined): Promise<Environment> {
  const path = resolve(folder, given ?? '.env');
  const text = await textOf(path);
  if (text === undefined) {
    if (given === undefined) return {};
    throw new CliError(`${path} does not exist; create it, or omit --envfile`);
  }
  const { parseEnv } = await import('node:util');
  return parseEnv(text) as Environment;
}

async function readConfig(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await textOf(path);
  if (text === undefined) return {};
  const { parseYaml, yamlValue } = await import('./yaml-file.ts');
  const config = yamlValue(parseYaml(text, path)) ?? {};
  if (!isJsonObject(config)) {
    throw new CliError(`${path}:1:1: must be a mapping of settings such as "endpoint: ${defaultEndpoint}"`);
  }
  const { version } = config as { readonly version?: unknown };
  if (version !== undefined && version !== 2 && version !== 3) {
    throw new CliError(`${path}: version ${String(version)} is not supported; 2 and 3 are`);
  }
  return config as Readonly<Record<string, unknown>>;
}

/** Reads the file of `JOINERY_ADMIN_SECRET_FILE`, as the service does. */
async function withAdminSecret(given: Environment): Promise<Environment> {
  const { JOINERY_ADMIN_SECRET_FILE: path, ...environment } = given;
  if (path === undefined || path === '') return environment;
  if (environment.JOINERY_ADMIN_SECRET !== undefined) {
    throw new CliError('JOINERY_ADMIN_SECRET and JOINERY_ADMIN_SECRET_FILE are both set; set one of them');
  }
  const secret = (await textOf(path))?.replace(/\r?\n$/, '');
  if (secret === undefined) throw new CliError(`JOINERY_ADMIN_SECRET_FILE: the file ${path} does not exist`);
  if (secret === '')
    throw new CliError(`JOINERY_ADMIN_SECRET_FILE: the file ${path} is empty; write the secret into it`);
  return { ...environment, JOINERY_ADMIN_SECRET: secret };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
