/** Receives notifications on a dedicated connection, which is reopened when it is lost. */
import { randomUUID } from 'node:crypto';
import { type Observe, silent } from '../../base/telemetry/observe.ts';
import { isPostgresError } from '../sql/errors.ts';
import { printStatement } from '../sql/rows.ts';
import { ident, sql, value } from '../sql/sql.ts';
import type { WireConnection } from '../wire/wire-connection.ts';
import { type Connector, closeConnection, unreachable } from './connection.ts';
import { isConnectionFailure } from './connection-failure.ts';
import { createConnector } from './connector.ts';
import { runOn } from './statement-run.ts';

export interface ListenSettings {
  readonly url: string;
  readonly channels: readonly string[];
  readonly onNotify: (channel: string, payload: string) => void;
  /** Called after the connection was reopened. Notifications in between were lost. */
  readonly onReconnect: () => void;
  readonly observe?: Observe;
  /** Milliseconds before the first attempt to reconnect; doubled each time, up to `longestWaitMs`. */
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
}

export interface Listener {
  /** False where LISTEN does not work, as behind a transaction pooler. The caller has to poll then. */
  readonly available: boolean;
  /** No notification is delivered after it resolves. */
  close(): Promise<void>;
}

/** Milliseconds. */
const limits = {
  /** Time for a test notification to arrive before LISTEN counts as unsupported. */
  echo: 3000,
  /** The same behind a pooler, which forwards at once or never. */
  pooledEcho: 500,
  /** Interval of the statements that detect a lost connection. */
  pulse: 3_000,
  pulseLimit: 3_000,
};

/**
 * Resolves when it listens, or when LISTEN turned out not to work. Rejects with `busy` when the database is unreachable.
 * Reconnects after later losses.
 */
export async function listen(settings: ListenSettings): Promise<Listener> {
  const { channels, firstWaitMs = 100, longestWaitMs = 1000, observe = silent } = settings;
  const connector = createConnector({
    url: settings.url,
    applicationName: 'joinery listen',
    statementTimeoutMs: 0,
    connectTimeoutMs: 3_000,
  });
  let client: WireConnection | undefined;
  let pooled = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    const { wire: opened, pooled: behindPooler } = await connector.open(0, lost);
    pooled = behindPooler;
    opened.onNotification((channel, payload) => {
      if (!closed && channels.includes(channel)) settings.onNotify(channel, payload);
    });
    client = opened;
    if (closed) return shut();
    const limit = setTimeout(() => closeConnection({ wire: opened }, 0), limits.pulseLimit);
    try {
      for (const channel of channels) await runOn(opened, printStatement(sql`listen ${ident(channel)}`));
    } catch (error) {
      await shut();
      throw error;
    } finally {
      clearTimeout(limit);
    }
  }

  function lost(): void {
    client = undefined;
    if (!closed && retry === undefined) reconnect(firstWaitMs);
  }

  function reconnect(waitMs: number): void {
    retry = setTimeout(async () => {
      try {
        await open();
        retry = undefined;
        if (!closed) settings.onReconnect();
      } catch (error) {
        observe({ kind: 'failure', where: 'listen', error });
        if (!closed) reconnect(Math.min(waitMs * 2, longestWaitMs));
      }
    }, waitMs);
  }

  async function shut(): Promise<void> {
    const ending = client;
    client = undefined;
    if (ending === undefined) return;
    closeConnection({ wire: ending });
    await ending.closed;
  }

  const pulse = setInterval(() => {
    if (client !== undefined) checkConnection(client);
  }, limits.pulse);
  pulse.unref();

  async function close(): Promise<void> {
    closed = true;
    clearTimeout(retry);
    clearInterval(pulse);
    await shut();
  }

  try {
    await open();
    if (client !== undefined && (await isDelivered(client, connector, pooled ? limits.pooledEcho : limits.echo)))
      return { available: true, close };
  } catch (error) {
    // Some databases with PostgreSQL's protocol do not support the command.
    if (!isPostgresError(error) || isConnectionFailure(error)) {
      await close();
      throw unreachable(error);
    }
  }
  await close();
  observe({ kind: 'note', level: 'warn', where: 'listen', message: 'this database does not deliver notifications' });
  return { available: false, close };
}

/**
 * Sends a notification on a second connection. The first one could receive its own even behind a transaction pooler,
 * which may assign it the same server connection twice in a row.
 */
async function isDelivered(client: WireConnection, connector: Connector, waitMs: number): Promise<boolean> {
  const channel = `joinery_${randomUUID()}`;
  let stop: (() => void) | undefined;
  let limit: NodeJS.Timeout | undefined;
  const { wire: other } = await connector.open(0, () => undefined);
  try {
    await runOn(client, printStatement(sql`listen ${ident(channel)}`));
    const delivered = new Promise<boolean>((resolve) => {
      stop = client.onNotification((name) => name === channel && resolve(true));
      limit = setTimeout(() => resolve(false), waitMs);
    });
    await runOn(other, printStatement(sql`select pg_notify(${value(channel)}, '')`));
    return await delivered;
  } finally {
    clearTimeout(limit);
    stop?.();
    await runOn(client, printStatement(sql`unlisten ${ident(channel)}`)).catch(() => undefined);
    closeConnection({ wire: other });
    await other.closed;
  }
}

/** Closes the connection, which calls `lost`, when it does not respond. */
function checkConnection(client: WireConnection): void {
  const limit = setTimeout(() => closeConnection({ wire: client }, 0), limits.pulseLimit);
  runOn(client, { text: 'select 1' }).then(
    () => clearTimeout(limit),
    () => clearTimeout(limit),
  );
}
