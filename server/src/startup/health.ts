/** Is the service ready: do its databases answer? */
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { Model } from '../model/model.ts';
import { isBroken } from '../model/types/inconsistency.ts';
import type { Database } from '../postgres/client/pool.ts';

const readinessLimitMs = 2_000;

/** Names of the databases that do not answer in time. */
export async function unreadyReasons(standard: Database, own: Database): Promise<readonly string[]> {
  const ask = async (name: string, database: Database): Promise<readonly string[]> => {
    const signal = AbortSignal.timeout(readinessLimitMs);
    return database.query({ text: 'select 1', values: [] }, { signal }).then(
      () => [],
      () => [name],
    );
  };
  const waiting = [ask('database', standard), ...(own === standard ? [] : [ask('metadata', own)])];
  return (await Promise.all(waiting)).flat();
}

export function registerModelMetrics(metrics: Metrics, model: () => Model): void {
  const help = 'Metadata objects that cannot be used; get_inconsistent_metadata lists them.';
  metrics.gauge('joinery_inconsistent_objects', help, () => model().inconsistencies.filter(isBroken).length);
}
