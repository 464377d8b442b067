/** Opening connections to one host: TLS as the URL asks, the statement timeout where the server takes it. */
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { ServiceError } from '../../base/errors.ts';
import { internalsOf } from './pg-internals.ts';
import { readServerInfo, type ServerInfo } from './server-info.ts';
import type { PreparedStatements } from './statement-run.ts';

export interface Connection extends PreparedStatements {
  readonly client: pg.Client;
  /** A pooler stands in between: the next transaction may be on another connection to the server. */
  readonly pooled: boolean;
  /** Read when the connection was opened; undefined where a pooler is known to stand in between. */
  readonly server: ServerInfo | undefined;
  /** The server or the socket closed it; nothing may be sent any more. */
  closed: boolean;
  /** The server turned out to be unable to write; the connection is closed after its statement. */
  unsuitable: boolean;
  /** The last commit ended before a synchronous standby had confirmed it: a failover can lose it. */
  unconfirmed: boolean;
  /** Set while a cancel request is under way; the next statement has to wait for it. */
  cancelling: Promise<void> | undefined;
  /** Seconds of the pool's clock when it was opened, last given back, and last found to answer. */
  readonly openedAt: number;
  idleSince: number;
  checkedAt: number;
}

export interface ConnectionSettings {
  /** With one host; see `createConnector` for several. */
  readonly url: string;
  /** Read what the server reports about itself for every connection, behind a pooler as well. */
  readonly readsServer?: boolean;
  readonly applicationName: string;
  /** 0 for none. */
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

/** How this server wants to be spoken to; found out by the first connection, kept for the later ones. */
interface Manner {
  tls: 'as the URL says' | 'off' | 'unverified';
  startupTimeout: 'untried' | 'works' | 'refused';
  pooled: 'untried' | boolean;
}

export interface Connector {
  /** Throws `busy` when the server cannot be reached within `limitMs` (the connect timeout) or rejects the connection. */
  open(now: number, lost: (connection: Connection) => void, limitMs?: number): Promise<Connection>;
  /** True once it is known that the server does not keep to the statement timeout that we sent. */
  timeoutIsOurs(): boolean;
  /** Whether the URL asks for servers that cannot write. */
  readonly readsOnly: boolean;
}

/** Milliseconds until TCP probes a connection on which nothing is sent. Node then probes ten times, once a second. */
const keepAliveDelayMs = 5_000;

/** Milliseconds that a pooler may take to find a server for the first statement. */
const firstStatementMs = 10_000;

/** Makes connections to one host. Opens nothing by itself. */
export function createHostConnector(settings: ConnectionSettings): Connector {
  const manner: Manner = {
    tls: 'as the URL says',
    startupTimeout: settings.statementTimeoutMs > 0 ? 'untried' : 'works',
    pooled: 'untried',
  };

  async function connect(limitMs: number): Promise<pg.Client> {
    for (let attempt = 1; ; attempt += 1) {
      const tried = { ...manner };
      const client = new pg.Client(clientConfig({ ...settings, connectTimeoutMs: limitMs }, tried));
      // Without a listener an error on the socket would end the process.
      client.on('error', () => undefined);
      try {
        await client.connect();
        return client;
      } catch (error) {
        client.end().catch(() => undefined);
        if (attempt >= 4 || !adapt(manner, tried, settings, error)) throw unreachable(error);
      }
    }
  }

  return {
    async open(now, lost, limitMs = settings.connectTimeoutMs) {
      const client = await connect(limitMs);
      const isSkipped = manner.pooled === true && settings.readsServer !== true;
      const server = isSkipped ? undefined : await readManner(client, manner.pooled === 'untried');
      if (server !== undefined && manner.pooled === 'untried') {
        manner.pooled = isOther(client, server.pid);
        if (manner.startupTimeout === 'untried') {
          const isKept = server.statementTimeout === String(settings.statementTimeoutMs);
          manner.startupTimeout = isKept ? 'works' : 'refused';
        }
      }
      const connection: Connection = {
        client,
        fields: new Map(),
        stale: new Set(),
        pooled: manner.pooled === true,
        server,
        closed: false,
        unsuitable: false,
        unconfirmed: false,
        cancelling: undefined,
        openedAt: now,
        idleSince: now,
        checkedAt: now,
      };
      const onLost = (): void => {
        if (connection.closed) return;
        connection.closed = true;
        lost(connection);
      };
      client.on('error', onLost);
      client.on('end', onLost);
      client.on('notice', ({ routine }) => {
        // A canceled wait for a standby is a success with a warning. The message is in the language of the server.
        if (routine === 'SyncRepWaitForLSN') connection.unconfirmed = true;
      });
      return connection;
    },
    timeoutIsOurs: () => manner.startupTimeout === 'refused',
    readsOnly: false,
  };
}

async function readManner(client: pg.Client, isFirst: boolean): Promise<ServerInfo> {
  const timer = setTimeout(() => internalsOf(client).connection.stream.destroy(), firstStatementMs);
  try {
    return await readServerInfo(client, isFirst);
  } catch (error) {
    client.end().catch(() => undefined);
    throw unreachable(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes that have arrived so far. */
export function bytesReceived({ client }: Connection): number {
  return internalsOf(client).connection.stream.bytesRead;
}

/** Milliseconds that a server may take to close a connection before the socket is destroyed. */
const closeGraceMs = 2_000;

/** Closes the connection, or its socket after `graceMs`: a server that is out of reach never answers the end. */
export function closeConnection({ client }: Pick<Connection, 'client'>, graceMs = closeGraceMs): void {
  if (graceMs > 0) {
    const timer = setTimeout(() => internalsOf(client).connection.stream.destroy(), graceMs);
    timer.unref();
    client.once('end', () => clearTimeout(timer));
    client.end().catch(() => undefined);
  } else internalsOf(client).connection.stream.destroy();
}

/** A pooler tells numbers of its own for the processes of the server. */
function isOther(client: pg.Client, pid: number): boolean {
  const { processID } = internalsOf(client);
  return processID !== null && processID !== pid;
}

function clientConfig(settings: ConnectionSettings, manner: Manner): pg.ClientConfig {
  const { url, sslmode } = splitUrl(settings.url);
  return {
    connectionString: url,
    ...tlsOf(manner.tls, sslmode),
    application_name: settings.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    ...(settings.statementTimeoutMs > 0 &&
      manner.startupTimeout !== 'refused' && { statement_timeout: settings.statementTimeoutMs }),
  };
}

/**
 * The modes mean what they mean in libpq, so that a URL works here as it does in psql: `require` encrypts without
 * checking the certificate, `verify-full` checks it. Modes that we set ourselves are taken out of the URL.
 */
function splitUrl(text: string): { url: string; sslmode: string | undefined } {
  if (!URL.canParse(text)) return { url: text, sslmode: undefined };
  const url = new URL(text);
  const sslmode = url.searchParams.get('sslmode') ?? undefined;
  if (sslmode === undefined || url.searchParams.has('uselibpqcompat')) return { url: text, sslmode };
  const certificates = ['sslrootcert', 'sslcert', 'sslkey'].some((name) => url.searchParams.has(name));
  if (certificates || sslmode.startsWith('verify')) url.searchParams.set('uselibpqcompat', 'true');
  else url.searchParams.delete('sslmode');
  return { url: url.href, sslmode };
}

function tlsOf(tls: Manner['tls'], sslmode: string | undefined): { ssl?: boolean | ConnectionOptions } {
  if (tls === 'off' || sslmode === 'disable') return { ssl: false };
  const encrypted = tls === 'unverified' || ['require', 'prefer', 'no-verify'].includes(sslmode ?? '');
  return encrypted ? { ssl: { rejectUnauthorized: false } } : {};
}

/**
 * Changes the manner where the error says what the server would rather have than what was `tried`; others may have found
 * out at the same time. True when another try makes sense.
 */
function adapt(manner: Manner, tried: Manner, settings: ConnectionSettings, error: unknown): boolean {
  const { sslmode } = splitUrl(settings.url);
  const message = error instanceof Error ? error.message : '';
  const code = (error as { code?: unknown }).code;
  // PgBouncer and its like refuse startup parameters that they do not know.
  if (tried.startupTimeout === 'untried' && /startup parameter|statement_timeout/i.test(message)) {
    manner.startupTimeout = 'refused';
    return true;
  }
  if (sslmode === 'prefer' && tried.tls === 'as the URL says' && /does not support SSL/.test(message)) {
    manner.tls = 'off';
    return true;
  }
  if (
    sslmode === undefined &&
    tried.tls === 'as the URL says' &&
    code === '28000' &&
    /no encryption|SSL off/i.test(message)
  ) {
    manner.tls = 'unverified';
    return true;
  }
  return false;
}

/** What a caller gets when no connection can be had. The cause says why, to admins and to the log. */
export function unreachable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code } = error as { code?: unknown };
  const reason = error instanceof Error && error.message !== '' ? error.message : String(code ?? error);
  return new ServiceError('busy', 'the database is not reachable; try again', {
    internal: { error: reason, ...(typeof code === 'string' && { code }) },
    cause: error,
  });
}
