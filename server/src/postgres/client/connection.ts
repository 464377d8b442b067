/** Opens connections to one host, with TLS as in the URL and the statement timeout where the server accepts it. */
import type { ConnectionOptions } from 'node:tls';
import { ServiceError } from '../../base/errors.ts';
import { readTarget, type Target } from '../wire/target.ts';
import { WireConnection } from '../wire/wire-connection.ts';
import { readServerInfo, type ServerInfo } from './server-info.ts';
import { createPreparedStatements, type PreparedStatements } from './statement-run.ts';

export interface Connection {
  readonly wire: WireConnection;
  readonly prepared: PreparedStatements;
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
  /** Callers that use it. Several where short statements share it. */
  users: number;
  /** Statements in flight whose result is ignored. */
  abandoned: number;
  /** Cancel requests that were sent. Behind a canceled statement, one may hit the next statement. */
  cancels: number;
  /** When the last statement ended, or the first of several began: a time of `performance.now()`. */
  progressAt: number;
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

/** Milliseconds for the first statement, for which a pooler may have to open a connection. */
const firstStatementMs = 10_000;

/** Creates a connector for one host. */
export function createHostConnector(settings: ConnectionSettings): Connector {
  const negotiated: Negotiated = {
    tls: 'as the URL says',
    startupTimeout: settings.statementTimeoutMs > 0 ? 'untried' : 'accepted',
    pooled: 'untried',
  };

  async function connect(timeoutMs: number): Promise<WireConnection> {
    for (let attempt = 1; ; attempt += 1) {
      const tried = { ...negotiated };
      try {
        return await WireConnection.open({ ...startOf(settings, tried), timeoutMs });
      } catch (error) {
        if (attempt >= 4 || !adapt(negotiated, tried, settings, error)) throw unreachable(error);
      }
    }
  }

  return {
    async open(now, lost, limitMs = settings.connectTimeoutMs) {
      const wire = await connect(limitMs);
      const isSkipped = negotiated.pooled === true && settings.readsServer !== true;
      const server = isSkipped ? undefined : await readNegotiated(wire, negotiated.pooled === 'untried');
      if (server !== undefined && negotiated.pooled === 'untried') {
        negotiated.pooled = isOther(wire, server.pid);
        if (negotiated.startupTimeout === 'untried') {
          const isKept = server.statementTimeout === String(settings.statementTimeoutMs);
          negotiated.startupTimeout = isKept ? 'accepted' : 'rejected';
        }
      }
      const connection: Connection = {
        wire,
        prepared: createPreparedStatements(),
        pooled: negotiated.pooled === true,
        server,
        closed: false,
        unsuitable: false,
        unconfirmed: false,
        canceling: undefined,
        users: 0,
        abandoned: 0,
        cancels: 0,
        progressAt: 0,
        openedAt: now,
        idleSince: now,
        checkedAt: now,
      };
      if (!wire.usable) throw unreachable(new Error('Connection terminated unexpectedly'));
      wire.onClosed = () => {
        if (connection.closed) return;
        connection.closed = true;
        lost(connection);
      };
      wire.onNotice = (routine) => {
        // A canceled wait for a standby is a warning. Its message depends on the language of the server.
        if (routine === 'SyncRepWaitForLSN') connection.unconfirmed = true;
      };
      return connection;
    },
    timeoutIsOurs: () => negotiated.startupTimeout === 'rejected',
    readsOnly: false,
  };
}

async function readNegotiated(wire: WireConnection, isFirst: boolean): Promise<ServerInfo> {
  const timer = setTimeout(() => wire.destroy(), firstStatementMs);
  try {
    return await readServerInfo(wire, isFirst);
  } catch (error) {
    wire.end();
    throw unreachable(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds for a server to close a connection before the socket is destroyed. */
const closeGraceMs = 2_000;

/** Closes the connection. Destroys its socket after `graceMs`, because an unreachable server does not respond. */
export function closeConnection({ wire }: Pick<Connection, 'wire'>, graceMs = closeGraceMs): void {
  if (graceMs === 0) {
    wire.destroy();
    return;
  }
  const timer = setTimeout(() => wire.destroy(), graceMs);
  timer.unref();
  wire.closed.then(() => clearTimeout(timer));
  wire.end();
}

/** Whether the connection goes through a pooler, which reports process ids of its own. */
function isOther({ processId }: WireConnection, pid: number): boolean {
  return processId !== undefined && processId !== pid;
}

function startOf(
  settings: ConnectionSettings,
  tried: Negotiated,
): { target: Target; parameters: Record<string, string> } {
  const { url, sslmode } = splitUrl(settings.url);
  const limit = settings.statementTimeoutMs;
  return {
    target: readTarget(url, tlsOf(tried.tls, sslmode)),
    parameters: {
      application_name: settings.applicationName,
      ...(limit > 0 && tried.startupTimeout !== 'rejected' && { statement_timeout: String(limit) }),
    },
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

/** Returns undefined where the URL or the environment decides. */
function tlsOf(tls: Negotiated['tls'], sslmode: string | undefined): ConnectionOptions | false | undefined {
  if (tls === 'off' || sslmode === 'disable') return false;
  const encrypted = tls === 'unverified' || ['require', 'prefer', 'no-verify'].includes(sslmode ?? '');
  return encrypted ? { rejectUnauthorized: false } : undefined;
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
