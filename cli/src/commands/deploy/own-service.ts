/** A service in this process for the time of a command: on a free port of loopback, with a secret of its own, without deliveries. */
import { randomBytes } from 'node:crypto';
import { CliError } from '../../cli-error.ts';
import { type Connection, connect } from '../../client/connection.ts';
import type { Project } from '../../project/config.ts';
import { NotReady } from './wait.ts';

export interface OwnService {
  readonly connection: Connection;
  stop(): Promise<void>;
}

export interface OwnServiceFlags {
  readonly databaseUrl?: string;
  /** Seconds to wait for the database. */
  readonly wait?: number;
}

/** Settings of the nodes that would keep the command from its work, or that have no use in it. */
const left = withFiles(['JOINERY_METADATA_DIR', 'JOINERY_PROCESSES', 'JOINERY_ADMIN_SECRET', 'JOINERY_ADMIN_SECRETS']);

/** Adds the variables that name a file with the value. */
function withFiles(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [name, `${name}_FILE`]);
}

/** Starts the service with the settings of the environment and of `.env`. Throws CliError, or NotReady for a database that is away. */
export async function startOwnService(project: Project, { databaseUrl, wait }: OwnServiceFlags): Promise<OwnService> {
  // The endpoint configures the commands, not the service.
  const { JOINERY_ENDPOINT: _, ...settings } = project.environment;
  const given = Object.fromEntries(Object.entries(settings).filter(([name]) => !left.includes(name)));
  const isOfHasura = Object.keys(given).some((name) => name.startsWith('HASURA_GRAPHQL_') && given[name] !== undefined);
  const environment = { ...(isOfHasura && { JOINERY_HASURA_ENV: 'true' }), JOINERY_LOG_LEVEL: 'warn', ...given };
  requireDatabase(databaseUrl, environment);
  const { headerPrefix } = project;
  const adminSecret = randomBytes(24).toString('base64url');
  const flags = {
    host: '127.0.0.1',
    port: '0',
    components: 'api',
    enabledApis: 'metadata,graphql,config',
    adminSecret,
    headerPrefix,
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(wait !== undefined && { databaseWait: String(wait) }),
  };
  const { start } = await import('@joinery/server');
  const running = await start({ environment, flags }).catch((error: unknown) => {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    throw code === 'busy'
      ? new NotReady(message, { cause: error })
      : new CliError(`the service in this process did not start: ${message}`, { cause: error });
  });
  return {
    connection: connect({ endpoint: running.url, adminSecret, headerPrefix }),
    stop: () => running.stop('joinery deploy ends'),
  };
}

const databaseVariables = withFiles([
  'JOINERY_DATABASE_URL',
  'JOINERY_METADATA_DATABASE_URL',
  'DATABASE_URL',
  'HASURA_GRAPHQL_DATABASE_URL',
  'HASURA_GRAPHQL_METADATA_DATABASE_URL',
]);

/** Throws CliError where the service would start an embedded database, whose content no node would see. */
function requireDatabase(url: string | undefined, environment: Readonly<Record<string, string | undefined>>): void {
  if (url !== undefined || databaseVariables.some((name) => (environment[name] ?? '') !== '')) return;
  throw new CliError('--in-process needs the database: set JOINERY_DATABASE_URL, or give --database-url');
}
