/** The service as a library: `import { createJoinery } from 'joinery'`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CliError } from './cli-error.ts';

export interface JoineryOptions {
  /** Settings by the names of environment variables, such as `JOINERY_DATABASE_URL`. `process.env` is not read. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Whether the service also listens on `JOINERY_HOST` and `JOINERY_PORT`. The default is false. */
  readonly listens?: boolean;
  /** Metadata, as `export_metadata` returns it, that replaces that of the database. */
  readonly metadata?: unknown;
}

export interface GraphQLRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  /** Headers of the request, such as `x-service-role`, or `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GraphQLResponse<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }[];
}

export interface Joinery {
  /** The URL where the service listens; undefined if it does not. */
  readonly url: string | undefined;
  /** Handles a request of an HTTP server, by its path: `/v1/graphql`. Its body must not have been read. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** A listener of the event `upgrade` of an HTTP server, for subscriptions over websockets. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Runs an operation as a request to `/v1/graphql`, with all limits. */
  graphql<Data = Record<string, unknown>>(request: GraphQLRequest): Promise<GraphQLResponse<Data>>;
  /** Runs a metadata command as an admin. Rejects with CliError if it fails. */
  command(type: string, args: unknown): Promise<unknown>;
  /** Completes requests and deliveries, and disconnects from the database. */
  close(): Promise<void>;
}

/** Starts the service in this process. Rejects if the settings are invalid or the metadata cannot be applied. */
export async function createJoinery(options: JoineryOptions): Promise<Joinery> {
  const { start } = await import('@joinery/server');
  const environment = Object.fromEntries(
    Object.entries(options.settings).filter((setting): setting is [string, string] => setting[1] !== undefined),
  );
  const running = await start({ environment, listens: options.listens === true });
  const close = (): Promise<void> => running.stop('closed by the application');
  const { mount } = running;
  if (mount === undefined) {
    await close();
    throw new CliError('JOINERY_COMPONENTS must include api for createJoinery()');
  }
  const prefix = environment.JOINERY_HEADER_PREFIX ?? 'x-service-';
  const secret = environment.JOINERY_ADMIN_SECRET;
  const admin = { [`${prefix}role`]: 'admin', ...(secret !== undefined && { [`${prefix}admin-secret`]: secret }) };
  const command = async (type: string, args: unknown): Promise<unknown> => {
    const { status, text } = await mount.post('/v1/query', { type, args }, admin);
    if (status === 200) return JSON.parse(text);
    throw new CliError(`${type}: ${text}`);
  };
  try {
    if (options.metadata !== undefined) await command('replace_metadata', options.metadata);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: running.url === '' ? undefined : running.url,
    handler: mount.handle,
    upgrade: mount.upgrade,
    graphql: async ({ headers, ...body }) => JSON.parse((await mount.post('/v1/graphql', body, headers)).text),
    command,
    close,
  };
}
