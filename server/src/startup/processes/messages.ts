/** The messages between the supervisor and its processes. */
import type { MetricSample, ProcessMetrics } from '../../base/telemetry/metric-sums.ts';
import type { PeerMessage, PeerSet } from '../../execute/live/peers.ts';

/** What a process does, and its part of what the settings give to the whole service. */
export interface Assignment {
  /** `delivery` delivers events and serves no requests. */
  readonly role: 'requests' | 'delivery';
  /** The value of the label `process` in metrics: `1`, `2`, `delivery`. */
  readonly name: string;
  /** The number of processes that share connections, and the position of this one. */
  readonly shares: number;
  readonly position: number;
  /** Applies the metadata directory. The first process does, before the others start. */
  readonly appliesDirectory: boolean;
  /** Identifies the supervisor in counts that its processes share. */
  readonly group: string;
  /** The embedded PostgreSQL, which the supervisor owns. */
  readonly embeddedUrl: string | undefined;
}

export type ToProcess =
  | {
      readonly kind: 'assignment';
      readonly assignment: Assignment;
      /** No other process of the supervisor has it, also after a restart. */
      readonly id: string;
      readonly ready: boolean;
      readonly peers: PeerSet;
    }
  /** `drains`: serves requests of open connections meanwhile, because other processes accept new ones. */
  | { readonly kind: 'stop'; readonly reason: string; readonly drains: boolean }
  /** Whether all processes have started. */
  | { readonly kind: 'ready'; readonly ready: boolean }
  /** The processes that poll live queries, and all others. */
  | { readonly kind: 'peers'; readonly set: PeerSet }
  | { readonly kind: 'from-peer'; readonly from: string; readonly messages: readonly PeerMessage[] }
  | { readonly kind: 'read-metrics'; readonly id: number }
  | { readonly kind: 'all-metrics'; readonly id: number; readonly metrics: readonly ProcessMetrics[] };

export type FromProcess =
  /** The process accepts messages. */
  | { readonly kind: 'joined' }
  | { readonly kind: 'started'; readonly url: string | undefined }
  /** The metrics of the sender; without an id they are its last ones. */
  | { readonly kind: 'metrics'; readonly id: number | undefined; readonly metrics: readonly MetricSample[] }
  | { readonly kind: 'request-metrics'; readonly id: number }
  /** Messages to the process with the id; undefined: to all others. */
  | { readonly kind: 'to-peer'; readonly to: string | undefined; readonly messages: readonly PeerMessage[] };

/** Returns the connections of this process, of a pool with `connections` for all processes. */
export function shareOf(connections: number, { shares, position }: Pick<Assignment, 'shares' | 'position'>): number {
  return Math.floor(connections / shares) + (position < connections % shares ? 1 : 0);
}
