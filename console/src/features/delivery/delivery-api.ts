/** Delivery statistics and destination settings. All functions throw Failure. */
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';

interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface Calls {
  readonly count: number;
  readonly per_second: number;
  readonly delivered: number;
  readonly failed: number;
  readonly lateness_ms: Spread | null;
  readonly duration_ms: Spread | null;
}

export interface Stats {
  readonly backlog: {
    readonly pending: number;
    readonly due: number;
    readonly in_flight: number;
    readonly oldest_due_seconds: number;
  };
  readonly window_seconds: number;
  readonly calls: Calls;
  readonly destinations: readonly (Calls & { readonly destination: string })[];
}

export type Circuit =
  | { readonly state: 'closed' }
  | {
      readonly state: 'open';
      readonly opened_at: string;
      readonly probe_at: string;
      readonly failed_probes: number;
      readonly reason: string;
    };

export interface Settings {
  readonly destination: string;
  readonly concurrency: number | null;
  readonly rate_per_second: number | null;
  readonly paused: boolean;
  readonly circuit: Circuit;
}

export function readStats(client: Client, seconds: number, signal: AbortSignal): Promise<Timed<Stats>> {
  return timed(client.command('get_scheduled_event_stats', { window_seconds: seconds }, { signal }));
}

export function readSettings(client: Client, signal: AbortSignal): Promise<Timed<readonly Settings[]>> {
  const response = client.command('get_event_destinations', {}, { signal });
  return timed(response.then(({ destinations }) => destinations));
}

/** Changes limits. Null restores the default. */
export async function setLimits(
  client: Client,
  destination: string,
  limits: { readonly concurrency: number | null; readonly rate_per_second: number | null },
): Promise<void> {
  await client.command('set_event_destination', { destination, ...limits });
}

export async function setPaused(client: Client, destination: string, paused: boolean): Promise<void> {
  await client.command(paused ? 'pause_event_destination' : 'resume_event_destination', { destination });
}
