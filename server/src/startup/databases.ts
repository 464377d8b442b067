/** Opens the connection pools of the service and exports their metrics. */
import type { Reading } from '../base/telemetry/metrics.ts';
import type { Config } from '../config/config.ts';
import { createDatabase, type Database, type DatabaseSettings } from '../postgres/client/pool.ts';
import type { StartupContext } from './shutdown-hooks.ts';

/** `purpose` names the pool in metrics and in `application_name`: `default`, `events`. */
export type OpenDatabase = (
  url: string,
  purpose: string,
  poolSize: number,
  more?: Partial<DatabaseSettings>,
) => Database;

export function createOpener(config: Config, { metrics, observe, shutdownHooks }: StartupContext): OpenDatabase {
  const pools = new Map<Database, string>();
  registerPoolMetrics(pools, metrics);
  return (url, purpose, poolSize, more = {}) => {
    const opened = createDatabase({
      url,
      poolSize,
      roleShare: config.poolRoleShare,
      statementTimeoutMs: config.statementTimeout,
      prepare: config.usePreparedStatements,
      pipelineDepth: config.poolPipeline,
      applicationName: `joinery ${purpose}`,
      label: purpose,
      observe,
      ...more,
    });
    const close = (): Promise<void> => {
      // Pools of sources are opened and closed as long as the service runs.
      removeHook();
      pools.delete(database);
      return opened.close();
    };
    const database = { ...opened, close };
    pools.set(database, purpose);
    const removeHook = shutdownHooks.add(close);
    return database;
  };
}

type Stats = ReturnType<Database['stats']>;

/** The connections of replicas count for their source. */
function registerPoolMetrics(pools: ReadonlyMap<Database, string>, metrics: StartupContext['metrics']): void {
  const read = (of: (stats: Stats) => number) => (): Reading => {
    const sums = new Map<string, number>();
    for (const [database, purpose] of pools) sums.set(purpose, (sums.get(purpose) ?? 0) + of(database.stats()));
    return [...sums].map(([pool, value]) => [{ pool }, value] as const);
  };
  const gauge = (name: string, help: string, of: (stats: Stats) => number): void =>
    metrics.gauge(name, help, read(of), ['pool']);
  gauge('joinery_pool_connections', 'Open connections, by pool.', ({ total }) => total);
  gauge('joinery_pool_connections_busy', 'Connections that run a statement or transaction.', (stats) => {
    return stats.total - stats.idle;
  });
  gauge('joinery_pool_size', 'Maximum number of connections of the pool.', ({ size }) => size);
  gauge('joinery_pool_waiting', 'Statements waiting for a connection.', ({ waiting }) => waiting);
  const pipelined = 'Short queries that were sent while another one was in flight on their connection.';
  metrics.counter(
    'joinery_pool_pipelined_total',
    pipelined,
    read((stats) => stats.pipelined),
    ['pool'],
  );
}
