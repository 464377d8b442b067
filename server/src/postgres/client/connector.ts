/** Opens connections to the first of several hosts whose server matches `target_session_attrs`. */
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

/** Connect timeout in milliseconds for one of several hosts. */
const oneOfManyMs = 3_000;
/** Milliseconds for which an unreachable host is tried after the others. */
const deferMs = 10_000;

const matches: Readonly<Record<SessionAttributes, (server: ServerInfo) => boolean>> = {
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
 * Creates a connector that tries the hosts of the URL in order, hosts with a recent failure last, and observes
 * `target_session_attrs`. Throws `invalid-configuration` for an invalid URL.
 */
export function createConnector(settings: ConnectionSettings): Connector {
  const { hosts: urls, session, connectTimeoutMs } = parseDatabaseUrl(settings.url);
  const defaultMs = urls.length > 1 ? Math.min(oneOfManyMs, settings.connectTimeoutMs) : settings.connectTimeoutMs;
  const hosts = urls.map((url): Host => {
    const own = { ...settings, url, connectTimeoutMs: connectTimeoutMs ?? defaultMs, readsServer: session !== 'any' };
    return { address: addressOf(url), connector: createHostConnector(own), failedAt: Number.NEGATIVE_INFINITY };
  });

  function inOrder(): readonly Host[] {
    const now = performance.now();
    const isDeferred = ({ failedAt }: Host): boolean => now - failedAt < deferMs;
    return [...hosts.filter((host) => !isDeferred(host)), ...hosts.filter(isDeferred)];
  }

  async function open(...[now, lost, limitMs]: Parameters<Connector['open']>): Promise<Connection> {
    const failures: HostFailure[] = [];
    let spare: Connection | undefined;
    for (const host of inOrder()) {
      try {
        const connection = await host.connector.open(now, lost, limitMs);
        host.failedAt = Number.NEGATIVE_INFINITY;
        if (connection.server === undefined || matches[session](connection.server)) {
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
    throw noServer(failures, session);
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

function noServer(failures: readonly HostFailure[], session: SessionAttributes): ServiceError {
  const thrown = failures.map(({ error }) => error).filter((error) => error instanceof Error);
  // The error of a single host is returned as it is.
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
