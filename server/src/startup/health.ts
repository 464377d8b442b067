/** Readiness of the databases, and the metrics of the build, the model, of merged reads and of replicas. */
import { Cancellation } from '../base/cancellation.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { Merging } from '../execute/merge/merging.ts';
import type { Model } from '../model/model.ts';
import { isBroken } from '../model/types/inconsistency.ts';
import type { Database } from '../postgres/client/pool.ts';
import type { SourceDatabases } from '../service/sources/pools.ts';

const readinessLimitMs = 2_000;

/** Returns the names of the databases that do not respond within the limit. */
export async function unreadyReasons(standard: Database, own: Database): Promise<readonly string[]> {
  const check = async (name: string, database: Database): Promise<readonly string[]> => {
    const signal = new Cancellation();
    const timer = setTimeout(() => signal.abort(), readinessLimitMs);
    return database
      .query({ text: 'select 1', values: [] }, { signal })
      .then(
        () => [],
        () => [name],
      )
      .finally(() => clearTimeout(timer));
  };
  const checks = [check('database', standard), ...(own === standard ? [] : [check('metadata', own)])];
  return (await Promise.all(checks)).flat();
}

export interface MeasuredService {
  readonly version: string;
  readonly model: () => Model;
  readonly replicas: SourceDatabases['replicas'];
  readonly merging: Merging | undefined;
}

/** Adds the metrics of the build, the model, of replicas and of merged reads. */
export function registerServiceMetrics(metrics: Metrics, measured: MeasuredService): void {
  registerBuildMetrics(metrics, measured.version);
  registerModelMetrics(metrics, measured.model);
  registerReplicaMetrics(metrics, measured.replicas);
  if (measured.merging !== undefined) registerMergeMetrics(metrics, measured.merging);
}

/** Adds the version of the service and that of Node.js, as labels. */
function registerBuildMetrics(metrics: Metrics, version: string): void {
  const help = 'Always 1. The labels are the version of the service and that of Node.js.';
  const read = () => [[{ version, node_version: process.versions.node }, 1] as const];
  metrics.gauge('joinery_build_info', help, read, ['version', 'node_version']);
}

/** Adds the number of inconsistent metadata objects. */
function registerModelMetrics(metrics: Metrics, model: () => Model): void {
  const help = 'Metadata objects that cannot be used; get_inconsistent_metadata lists them.';
  metrics.gauge('joinery_inconsistent_objects', help, () => model().inconsistencies.filter(isBroken).length);
}

/** Adds the numbers of merged statements and of their requests. */
function registerMergeMetrics({ counter }: Metrics, { stats }: Merging): void {
  counter('joinery_merged_statements_total', 'Statements that read for several requests.', () => stats().statements);
  counter('joinery_merged_requests_total', 'Requests whose rows such a statement read.', () => stats().requests);
  const failures = 'Such statements that failed, so that their requests ran again with fewer others or alone.';
  counter('joinery_merged_failures_total', failures, () => stats().failures);
}

/** Adds the lag of the replicas of sources in which a replica has a maximum lag. */
function registerReplicaMetrics(metrics: Metrics, replicas: SourceDatabases['replicas']): void {
  const labels = ['source', 'replica'];
  const lag = 'Age of the newest commits that the replica certainly shows, where it is known.';
  const readLag = () =>
    replicas().flatMap(([source, { name: replica, lag: seconds }]) =>
      seconds === undefined ? [] : [[{ source, replica }, seconds] as const],
    );
  metrics.gauge('joinery_replica_lag_seconds', lag, readLag, labels);
  const inUseHelp = '1 while queries use the replica, 0 while its lag is too large or unknown.';
  const readUse = () =>
    replicas().map(([source, { name: replica, inUse }]) => [{ source, replica }, inUse ? 1 : 0] as const);
  metrics.gauge('joinery_replica_in_use', inUseHelp, readUse, labels);
}
