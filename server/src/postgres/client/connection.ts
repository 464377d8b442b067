/** Opens connections to one host, with TLS as in the URL and the statement timeout where the server accepts it. */
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { ServiceError } from '../../base/errors.ts';
import { internalsOf } from './pg-internals.ts';
import { readServerInfo, type ServerInfo } from './server-info.ts';
import type { PreparedStatements } from './statement-run.ts';

export interface Connection extends PreparedStatements {
  readonly client: pg.Client;
  /** Whether there is a pooler in between: the next transaction may use another connection to the server. */
  readonly pooled: boolean;
  /** Read when the connection was opened; undefined behind a pooler. */
  readonly server: ServerInfo | undefined;
  /** Whether it was closed by the server, the socket or the pool. */
  closed: boolean;
  /** Whether the server turned out to be read-only. The connection is closed after its statement. */
  unsuitable: boolean;
  /** Whether the last commit was not confirmed by a synchronous standby. A failover can lose it. */
  unconfirmed: boolean;
  /** Set while a cancel request is pending. The next statement has to wait for it. */
  canceling: Promise<void> | undefined;
  /** Seconds of the pool's clock when it was opened, last released, and last checked. */
  readonly openedAt: number;
  idleSince: number;
  checkedAt: number;
}

export interface ConnectionSettings {
  /** With one host; see `createConnector` for several. */
  readonly url: string;
  /** Whether to read the properties of the server for every connection, also behind a pooler. */
  readonly readsServer?: boolean;
  readonly applicationName: string;
  /** 0 for none. */
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

/** Connection parameters that this server accepts. Detected by the first connection and used for later ones. */
interface Negotiated {
  tls: 'as the URL says' | 'off' | 'unverified';
  startupTimeout: 'untried' | 'accepted' | 'rejected';
  pooled: 'untried' | boolean;
}

export interface Connector {
  /** Throws `busy` when the server cannot be reached within `limitMs` (the connect timeout) or rejects the connection. */
  open(now: number, lost: (connection: Connection) => void, limitMs?: number): Promise<Connection>;
  /** Whether the server does not enforce the statement timeout. */
  timeoutIsOurs(): boolean;
  /** Whether `target_session_attrs` selects read-only servers. */
  readonly readsOnly: boolean;
}

/** Milliseconds before TCP keep-alive probes. Node then probes ten times, once a second. */
const keepAliveDelayMs = 5_000;

/** Milliseconds for the first statement, for which a pooler may have to open a connection. */
const firstStatementMs = 10_000;

/** Creates a connector for one host. */
export function createHostConnector(settings: ConnectionSettings): Connector {
  const negotiated: Negotiated = {
    tls: 'as the URL says',
    startupTimeout: settings.statementTimeoutMs > 0 ? 'untried' : 'accepted',
    pooled: 'untried',
  };

  async function connect(limitMs: number): Promise<pg.Client> {
    for (let attempt = 1; ; attempt += 1) {
      const tried = { ...negotiated };
      const client = new pg.Client(clientConfig({ ...settings, connectTimeoutMs: limitMs }, tried));
      // Without a listener a socket error would end the process.
      client.on('error', () => undefined);
      try {
        await client.connect();
        return client;
      } catch (error) {
        client.end().catch(() => undefined);
        if (attempt >= 4 || !adapt(negotiated, tried, settings, error)) throw unreachable(error);
      }
    }
  }

  return {
    async open(now, lost, limitMs = settings.connectTimeoutMs) {
      const client = await connect(limitMs);
      const isSkipped = negotiated.pooled === true && settings.readsServer !== true;
      const server = isSkipped ? undefined : await readNegotiated(client, negotiated.pooled === 'untried');
      if (server !== undefined && negotiated.pooled === 'untried') {
        negotiated.pooled = isOther(client, server.pid);
        if (negotiated.startupTimeout === 'untried') {
          const isKept = server.statementTimeout === String(settings.statementTimeoutMs);
          negotiated.startupTimeout = isKept ? 'accepted' : 'rejected';
        }
      }
      const connection: Connection = {
        client,
        fields: new Map(),
        stale: new Set(),
        pooled: negotiated.pooled === true,
        server,
        closed: false,
        unsuitable: false,
        unconfirmed: false,
        canceling: undefined,
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
        // A canceled wait for a standby is a warning. Its message depends on the language of the server.
        if (routine === 'SyncRepWaitForLSN') connection.unconfirmed = true;
      });
      return connection;
    },
    timeoutIsOurs: () => negotiated.startupTimeout === 'rejected',
    readsOnly: false,
  };
}

async function readNegotiated(client: pg.Client, isFirst: boolean): Promise<ServerInfo> {
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

/** Returns the number of bytes received so far. */
export function bytesReceived({ client }: Connection): number {
  return internalsOf(client).connection.stream.bytesRead;
}

/** Milliseconds for a server to close a connection before the socket is destroyed. */
const closeGraceMs = 2_000;

/** Closes the connection. Destroys its socket after `graceMs`, because an unreachable server does not respond. */
export function closeConnection({ client }: Pick<Connection, 'client'>, graceMs = closeGraceMs): void {
  if (graceMs > 0) {
    const timer = setTimeout(() => internalsOf(client).connection.stream.destroy(), graceMs);
    timer.unref();
    client.once('end', () => clearTimeout(timer));
    client.end().catch(() => undefined);
  } else internalsOf(client).connection.stream.destroy();
}

/** Whether the connection goes through a pooler, which reports process ids of its own. */
function isOther(client: pg.Client, pid: number): boolean {
  const { processID } = internalsOf(client);
  return processID !== null && processID !== pid;
}

function clientConfig(settings: ConnectionSettings, negotiated: Negotiated): pg.ClientConfig {
  const { url, sslmode } = splitUrl(settings.url);
  return {
    connectionString: url,
    ...tlsOf(negotiated.tls, sslmode),
    application_name: settings.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    ...(settings.statementTimeoutMs > 0 &&
      negotiated.startupTimeout !== 'rejected' && { statement_timeout: settings.statementTimeoutMs }),
  };
}

/**
 * Separates `sslmode` from a URL. The modes are those of libpq, so that a URL works as in psql: `require` encrypts without
 * checking the certificate, `verify-full` checks it.
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

function tlsOf(tls: Negotiated['tls'], sslmode: string | undefined): { ssl?: boolean | ConnectionOptions } {
  if (tls === 'off' || sslmode === 'disable') return { ssl: false };
  const encrypted = tls === 'unverified' || ['require', 'prefer', 'no-verify'].includes(sslmode ?? '');
  return encrypted ? { ssl: { rejectUnauthorized: false } } : {};
}

/**
 * Changes the parameters where the error shows that the server does not accept those that were `tried`. Concurrent attempts
 * may have changed them too. Returns whether to retry.
 */
function adapt(negotiated: Negotiated, tried: Negotiated, settings: ConnectionSettings, error: unknown): boolean {
  const { sslmode } = splitUrl(settings.url);
  const message = error instanceof Error ? error.message : '';
  const code = (error as { code?: unknown }).code;
  // Poolers such as PgBouncer reject unknown startup parameters.
  if (tried.startupTimeout === 'untried' && /startup parameter|statement_timeout/i.test(message)) {
    negotiated.startupTimeout = 'rejected';
    return true;
  }
  if (sslmode === 'prefer' && tried.tls === 'as the URL says' && /does not support SSL/.test(message)) {
    negotiated.tls = 'off';
    return true;
  }
  if (
    sslmode === undefined &&
    tried.tls === 'as the URL says' &&
    code === '28000' &&
    /no encryption|SSL off/i.test(message)
  ) {
    negotiated.tls = 'unverified';
    return true;
  }
  return false;
}

/** Returns the error `busy` with the reason for admins and the log. */
export function unreachable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code } = error as { code?: unknown };
  const reason = error instanceof Error && error.message !== '' ? error.message : String(code ?? error);
  return new ServiceError('busy', 'the database is not reachable; try again', {
    internal: { error: reason, ...(typeof code === 'string' && { code }) },
    cause: error,
  });
}
