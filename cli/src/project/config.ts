/** The configuration of a project from flags, environment, `.env` and `config.yaml`: its folders and its service. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isJsonObject } from '@joinery/metadata/json';
import { CliError } from '../cli-error.ts';

/** Options of the command line, which override all other settings. */
export interface ProjectFlags {
  readonly project?: string;
  readonly envfile?: string;
  readonly endpoint?: string;
  readonly adminSecret?: string;
  readonly headerPrefix?: string;
}

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
  /** Example: `X-Service-`. */
  readonly headerPrefix: string;
  /** The command that `joinery dev` runs next to the service: `dev: { run: ... }`. */
  readonly devCommand: string | undefined;
  /** The environment, with defaults from the `.env` file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Written = Readonly<Record<string, unknown>>;

const defaultEndpoint = 'http://127.0.0.1:8080';

/** Precedence: flags, environment, `.env`, `config.yaml`. Throws CliError with file and line. */
export async function openProject(flags: ProjectFlags, given: Environment): Promise<Project> {
  const folder = resolve(flags.project ?? '.');
  const environment = { ...(await readEnvFile(folder, flags.envfile)), ...given };
  const config = await readConfig(join(folder, 'config.yaml'));
  const file = (name: string): string | undefined => {
    const value = config[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const within = (name: string, fallback: string): string => resolve(folder, file(name) ?? fallback);
  const endpoint =
    flags.endpoint ??
    environment.JOINERY_ENDPOINT ??
    environment.HASURA_GRAPHQL_ENDPOINT ??
    file('endpoint') ??
    defaultEndpoint;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
    throw new CliError(`the endpoint "${endpoint}" is not an http or https URL such as ${defaultEndpoint}`);
  }
  const metadataFile = file('metadata_file');
  return {
    folder,
    metadataDirectory: within('metadata_directory', 'metadata'),
    metadataFile: metadataFile === undefined ? undefined : resolve(folder, metadataFile),
    migrationsDirectory: within('migrations_directory', 'migrations'),
    seedsDirectory: within('seeds_directory', 'seeds'),
    endpoint: endpoint.replace(/\/+$/, ''),
    adminSecret:
      flags.adminSecret ??
      environment.JOINERY_ADMIN_SECRET ??
      environment.HASURA_GRAPHQL_ADMIN_SECRET ??
      file('admin_secret'),
    tls: await tlsOf(folder, config, environment),
    apiPaths: apiPathsOf(config),
    headerPrefix: flags.headerPrefix ?? environment.JOINERY_HEADER_PREFIX ?? file('header_prefix') ?? 'X-Service-',
    devCommand: devCommandOf(config),
    environment,
  };
}

async function tlsOf(folder: string, config: Written, environment: Environment): Promise<Project['tls']> {
  const { certificate_authority: authority, insecure_skip_tls_verify: skip } = config;
  const path = environment.HASURA_GRAPHQL_CERTIFICATE_AUTHORITY ?? authority;
  const verify = skip !== true && environment.HASURA_GRAPHQL_INSECURE_SKIP_TLS_VERIFY !== 'true';
  if (typeof path !== 'string' || path === '') return { authority: undefined, verify };
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
};

function apiPathsOf({ api_paths: written }: Written): Readonly<Record<string, string>> {
  if (typeof written !== 'object' || written === null) return {};
  const moved = Object.entries(written).flatMap(([name, path]): [string, string][] => {
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
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new CliError(`${path}:${line}:${col}: ${problem.message.split('\n')[0]}`, { cause: problem });
  }
  const config: unknown = document.toJS() ?? {};
  if (!isJsonObject(config)) {
    throw new CliError(`${path}:1:1: must be a mapping of settings such as "endpoint: ${defaultEndpoint}"`);
  }
  const { version } = config as { readonly version?: unknown };
  if (version !== undefined && version !== 2 && version !== 3) {
    throw new CliError(`${path}: version ${String(version)} is not supported; 2 and 3 are`);
  }
  return config as Readonly<Record<string, unknown>>;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
