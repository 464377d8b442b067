/** Waits until a service has counted calls: nodes write their counts every ten seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './service.ts';

const LIMIT_MS = 40_000;

/** Resolves when the calls of the last hour are this many. */
export async function callsCounted(service: Service, expected: number): Promise<void> {
  let found = 0;
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await sleep(200)) {
    const history = await service.command('get_traffic_history', {});
    found = (history as { readonly total: { readonly count: number } }).total.count;
    if (found === expected) return;
  }
  throw new Error(`${found} of ${expected} calls were counted within ${LIMIT_MS / 1_000} s`);
}
