/** Opening one connection to the first of several hosts whose server may serve it. */
import { parseDatabaseUrl, type SessionAttributes } from '../../base/database-url.ts';
import { ServiceError } from '../../base/errors.ts';
import {
  type Connection,
  type ConnectionSettings,
  type Connector,
  closeConnection,
  createHostConnector,
  unreachable,
} from './connection.ts';
import { HostsFailed } from './connection-failure.ts';
import type { ServerInfo } from './server-info.ts';

/** Milliseconds for one host where there are others. */
const oneOfManyMs = 3_000;
/** Milliseconds for which a host that could not be reached is tried after the others. */
const restMs = 10_000;

const suits: Readonly<Record<SessionAttributes, (server: ServerInfo) => boolean>> = {
  any: () => true,
  'read-write': ({ inRecovery, readOnly }) => !inRecovery && !readOnly,
  'read-only': ({ inRecovery, readOnly }) => inRecovery || readOnly,
  primary: ({ inRecovery }) => !inRecovery,
  standby: ({ inRecovery }) => inRecovery,
  'prefer-standby': ({ inRecovery }) => inRecovery,
};
const forReads: ReadonlySet<SessionAttributes> = new Set(['read-only', 'standby', 'prefer-standby']);

interface Host {
  readonly address: string;
  readonly connector: Connector;
  /** `performance.now()` of the last failed attempt. */
  failedAt: number;
}

/**
 * Makes connections to the hosts of the URL in the written order, those that lately failed last, and keeps to
 * `target_session_attrs`. Opens nothing by itself. Throws `invalid-configuration` for what is no URL of PostgreSQL.
 */
export function createConnector(settings: ConnectionSettings): Connector {
  const { hosts: urls, session, connectTimeoutMs } = parseDatabaseUrl(settings.url);
  const usualMs = urls.length > 1 ? Math.min(oneOfManyMs, settings.connectTimeoutMs) : settings.connectTimeoutMs;
  const hosts = urls.map((url): Host => {
    const own = { ...settings, url, connectTimeoutMs: connectTimeoutMs ?? usualMs, readsServer: session !== 'any' };
    return { address: addressOf(url), connector: createHostConnector(own), failedAt: Number.NEGATIVE_INFINITY };
  });

  function inOrder(): readonly Host[] {
    const now = performance.now();
    const rests = ({ failedAt }: Host): boolean => now - failedAt < restMs;
    return [...hosts.filter((host) => !rests(host)), ...hosts.filter(rests)];
  }

  async function open(...[now, lost, limitMs]: Parameters<Connector['open']>): Promise<Connection> {
    const failures: HostFailure[] = [];
    let spare: Connection | undefined;
    for (const host of inOrder()) {
      try {
        const connection = await host.connector.open(now, lost, limitMs);
        host.failedAt = Number.NEGATIVE_INFINITY;
        if (connection.server === undefined || suits[session](connection.server)) {
          if (spare !== undefined) closeUnused(spare);
          return connection;
        }
        if (session === 'prefer-standby' && spare === undefined) spare = connection;
        else closeUnused(connection);
        failures.push({ host: host.address, error: `the server is not ${session}` });
      } catch (error) {
        host.failedAt = performance.now();
        failures.push({ host: host.address, error });
      }
    }
    if (spare !== undefined && !spare.closed) return spare;
    throw noneSuits(failures, session);
  }

  return {
    open,
    timeoutIsOurs: () => hosts.some(({ connector }) => connector.timeoutIsOurs()),
    readsOnly: forReads.has(session),
  };
}

interface HostFailure {
  readonly host: string;
  readonly error: unknown;
}

function noneSuits(failures: readonly HostFailure[], session: SessionAttributes): ServiceError {
  const thrown = failures.map(({ error }) => error).filter((error) => error instanceof Error);
  // One host that cannot be reached says why by itself.
  if (failures.length === 1 && thrown[0] !== undefined) return unreachable(thrown[0]);
  const wanted = session === 'any' ? '' : ` with target_session_attrs=${session}`;
  const reasons = failures.map(({ host, error }) => `${host}: ${reasonOf(error)}`);
  return new ServiceError('busy', `no server of the database is reachable${wanted}; try again`, {
    internal: { error: reasons.join('; ') },
    cause: new HostsFailed(failures),
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function closeUnused(connection: Connection): void {
  connection.closed = true;
  closeConnection(connection);
}

function addressOf(url: string): string {
  const { host, searchParams } = new URL(url);
  if (host !== '') return host;
  return [searchParams.get('host') ?? '', searchParams.get('port')].filter(Boolean).join(':');
}
