/** Hearing what other nodes say: one connection of its own that listens, and comes back by itself when it is lost. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Observe, silent } from '../../base/telemetry/observe.ts';
import { isPostgresError } from '../sql/errors.ts';
import { quoteIdent } from '../sql/sql.ts';
import { type Connector, closeConnection } from './connection.ts';
import { createConnector } from './connector.ts';

export interface ListenSettings {
  readonly url: string;
  readonly channels: readonly string[];
  readonly onNotify: (channel: string, payload: string) => void;
  /** Called after the connection was lost and is there again: what was said in between has not been heard. */
  readonly onReconnect: () => void;
  readonly observe?: Observe;
  /** Milliseconds between the first attempts to come back; doubled each time, up to `longestWaitMs`. */
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
}

export interface Listener {
  /** False where LISTEN does not work, as behind a transaction pooler: nothing will ever be heard, so poll. */
  readonly available: boolean;
  /** Nothing is heard after it resolves. */
  close(): Promise<void>;
}

/** Milliseconds. */
const limits = {
  /** How long a word of our own may take to come back before we believe that none does. */
  echo: 3000,
  /** The same where a pooler has answered: it says at once what it passes on, and most pass on nothing. */
  pooledEcho: 500,
  /** A connection on which nothing is sent does not notice that the other end is gone. */
  pulse: 3_000,
  pulseAnswer: 3_000,
};

/**
 * Resolves when it listens, or has found out that it cannot. Throws `busy` when the database cannot be reached; later
 * losses are mended by itself.
 */
export async function listen(settings: ListenSettings): Promise<Listener> {
  const { channels, firstWaitMs = 100, longestWaitMs = 1000, observe = silent } = settings;
  const connector = createConnector({
    url: settings.url,
    applicationName: 'joinery listen',
    statementTimeoutMs: 0,
    connectTimeoutMs: 3_000,
  });
  let client: pg.Client | undefined;
  let pooled = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    const { client: opened, pooled: behindPooler } = await connector.open(0, lost);
    pooled = behindPooler;
    opened.on('notification', ({ channel, payload }) => {
      if (!closed && channels.includes(channel)) settings.onNotify(channel, payload ?? '');
    });
    client = opened;
    if (closed) return shut();
    const limit = setTimeout(() => closeConnection({ client: opened }, 0), limits.pulseAnswer);
    try {
      for (const channel of channels) await opened.query(`listen ${quoteIdent(channel)}`);
    } catch (error) {
      await shut();
      throw error;
    } finally {
      clearTimeout(limit);
    }
  }

  function lost(): void {
    client = undefined;
    if (!closed && retry === undefined) comeBack(firstWaitMs);
  }

  function comeBack(waitMs: number): void {
    retry = setTimeout(async () => {
      try {
        await open();
        retry = undefined;
        if (!closed) settings.onReconnect();
      } catch (error) {
        observe({ kind: 'failure', where: 'listen', error });
        if (!closed) comeBack(Math.min(waitMs * 2, longestWaitMs));
      }
    }, waitMs);
  }

  async function shut(): Promise<void> {
    const ending = client;
    client = undefined;
    if (ending === undefined) return;
    await new Promise<void>((resolve) => {
      ending.once('end', () => resolve());
      closeConnection({ client: ending });
    });
  }

  const pulse = setInterval(() => {
    if (client !== undefined) feelPulse(client);
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
    if (client !== undefined && (await isHeard(client, connector, pooled ? limits.pooledEcho : limits.echo)))
      return { available: true, close };
  } catch (error) {
    // Some members of the family do not know the command.
    if (!isPostgresError(error)) {
      await close();
      throw error;
    }
  }
  await close();
  observe({ kind: 'note', level: 'warn', where: 'listen', message: 'this database does not pass on notifications' });
  return { available: false, close };
}

/**
 * Says something on a second connection. The first one would hear itself even behind a transaction pooler, which may
 * give it the same server connection twice in a row.
 */
async function isHeard(client: pg.Client, connector: Connector, waitMs: number): Promise<boolean> {
  const channel = `joinery_${randomUUID()}`;
  let listener: ((message: pg.Notification) => void) | undefined;
  let limit: NodeJS.Timeout | undefined;
  const { client: other } = await connector.open(0, () => undefined);
  try {
    await client.query(`listen ${quoteIdent(channel)}`);
    const heard = new Promise<boolean>((resolve) => {
      listener = (message) => message.channel === channel && resolve(true);
      client.on('notification', listener);
      limit = setTimeout(() => resolve(false), waitMs);
    });
    await other.query('select pg_notify($1, $2)', [channel, '']);
    return await heard;
  } finally {
    clearTimeout(limit);
    if (listener !== undefined) client.off('notification', listener);
    await client.query(`unlisten ${quoteIdent(channel)}`).catch(() => undefined);
    await other.end().catch(() => undefined);
  }
}

/** Without an answer the connection is dropped, which `lost` hears of. */
function feelPulse(client: pg.Client): void {
  const limit = setTimeout(() => closeConnection({ client }, 0), limits.pulseAnswer);
  client.query('select 1').then(
    () => clearTimeout(limit),
    () => clearTimeout(limit),
  );
}
