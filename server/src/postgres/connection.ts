/** Opening one connection: TLS as the URL asks, the statement timeout where the server takes it. */
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { ServiceError } from '../base/errors.ts';
import type { PreparedStatements } from './statement-run.ts';

export interface Connection extends PreparedStatements {
  readonly client: pg.Client;
  /** A pooler stands in between: the next transaction may be on another connection to the server. */
  readonly pooled: boolean;
  /** The server or the socket closed it; nothing may be sent any more. */
  closed: boolean;
  /** Set while a cancel request is under way; the next statement has to wait for it. */
  cancelling: Promise<void> | undefined;
  /** Seconds of the pool's clock when it was opened and last given back. */
  readonly openedAt: number;
  idleSince: number;
}

export interface ConnectionSettings {
  readonly url: string;
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
  /** Throws `busy` when the server cannot be reached or turns us away. */
  open(now: number, lost: (connection: Connection) => void): Promise<Connection>;
  /** True once it is known that the server does not keep to the statement timeout that we sent. */
  timeoutIsOurs(): boolean;
}

/** Makes connections to one server. Opens nothing by itself. */
export function createConnector(settings: ConnectionSettings): Connector {
  const manner: Manner = {
    tls: 'as the URL says',
    startupTimeout: settings.statementTimeoutMs > 0 ? 'untried' : 'works',
    pooled: 'untried',
  };

  async function connect(): Promise<pg.Client> {
    for (let attempt = 1; ; attempt += 1) {
      const tried = { ...manner };
      const client = new pg.Client(clientConfig(settings, tried));
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
    async open(now, lost) {
      const client = await connect();
      if (manner.pooled === 'untried') {
        const { timeout, pid } = await readManner(client);
        manner.pooled = isOther(client, pid);
        if (manner.startupTimeout === 'untried')
          manner.startupTimeout = timeout === String(settings.statementTimeoutMs) ? 'works' : 'refused';
      }
      const connection: Connection = {
        client,
        fields: new Map(),
        stale: new Set(),
        pooled: manner.pooled,
        closed: false,
        cancelling: undefined,
        openedAt: now,
        idleSince: now,
      };
      const onLost = (): void => {
        if (connection.closed) return;
        connection.closed = true;
        lost(connection);
      };
      client.on('error', onLost);
      client.on('end', onLost);
      return connection;
    },
    timeoutIsOurs: () => manner.startupTimeout === 'refused',
  };
}

async function readManner(client: pg.Client): Promise<{ timeout: string | undefined; pid: number }> {
  try {
    const text = `select pg_backend_pid(), (select setting from pg_catalog.pg_settings where name = 'statement_timeout')`;
    const { rows } = await client.query<[number, string]>({ text, rowMode: 'array' });
    return { timeout: rows[0]?.[1], pid: Number(rows[0]?.[0]) };
  } catch (error) {
    client.end().catch(() => undefined);
    throw unreachable(error);
  }
}

/** A pooler tells numbers of its own for the processes of the server. */
function isOther(client: pg.Client, pid: number): boolean {
  const { processID } = client as unknown as { readonly processID: number | null };
  return processID !== null && processID !== pid;
}

function clientConfig(settings: ConnectionSettings, manner: Manner): pg.ClientConfig {
  const { url, sslmode } = splitUrl(settings.url);
  return {
    connectionString: url,
    ...tlsOf(manner.tls, sslmode),
    application_name: settings.applicationName,
    keepAlive: true,
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
