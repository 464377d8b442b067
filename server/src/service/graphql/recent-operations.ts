/** The operations that this node received, with the values that API limits restrict. In memory; operations of admins are left out. */
import type { RoleName } from '@joinery/metadata/names';
import { LRUCache } from 'lru-cache';
import type { OperationCost } from '../../plan/operation-cost.ts';
import { documentHash } from './operation-observer.ts';

export interface RecentOperation {
  readonly role: RoleName;
  readonly name: string | undefined;
  /** As in the log. */
  readonly hash: string;
  readonly depth: number;
  readonly nodes: number;
  count: number;
  /** Milliseconds; 0 if it was not executed. */
  longestMs: number;
}

/** The largest values of a role. */
export interface RecentRole {
  readonly role: RoleName;
  /** Operations of one HTTP request. */
  largestBatch: number;
  /** Operations of one minute. */
  busiestMinute: number;
  /** Operations beyond the rate limit. */
  overRate: number;
}

export interface RecentOperations {
  /** Counts an operation; `prepared` is the same object for the same operation and role. */
  count(prepared: object, operation: ReceivedOperation): RecentOperation;
  /** Adds the duration of an operation that was counted. */
  addDuration(prepared: object, durationMs: number): RecentOperation | undefined;
  addBatch(role: RoleName, size: number): void;
  addOverRate(role: RoleName): void;
  /** Returns the operations, latest first. */
  operations(): readonly RecentOperation[];
  roles(): readonly RecentRole[];
}

export interface ReceivedOperation {
  readonly role: RoleName;
  readonly name: string | undefined;
  readonly query: string;
  readonly cost: OperationCost;
}

const MAX_OPERATIONS = 1_000;
const MAX_ROLES = 200;
const MAX_NAME_LENGTH = 100;
const MINUTE_MS = 60_000;

interface CountedRole extends RecentRole {
  minute: number;
  inMinute: number;
}

export function createRecentOperations(now: () => number = Date.now): RecentOperations {
  const listed = new LRUCache<string, RecentOperation>({ max: MAX_OPERATIONS });
  const roles = new LRUCache<RoleName, CountedRole>({ max: MAX_ROLES });
  /** The entry of each cached operation, so that its text is hashed once. */
  const known = new WeakMap<object, { readonly key: string; readonly entry: RecentOperation }>();

  function entryOf(prepared: object, { role, name, query, cost }: ReceivedOperation) {
    const cached = known.get(prepared);
    if (cached !== undefined) return cached;
    const hash = documentHash(query).slice(0, 16);
    const key = JSON.stringify([role, hash, name]);
    const { depth, nodes } = cost;
    const fresh = { role, name: name?.slice(0, MAX_NAME_LENGTH), hash, depth, nodes, count: 0, longestMs: 0 };
    const found = { key, entry: listed.get(key) ?? fresh };
    known.set(prepared, found);
    return found;
  }

  function roleOf(role: RoleName): CountedRole {
    const before = roles.get(role);
    if (before !== undefined) return before;
    const fresh = { role, largestBatch: 0, busiestMinute: 0, overRate: 0, minute: 0, inMinute: 0 };
    roles.set(role, fresh);
    return fresh;
  }

  return {
    count: (prepared, operation) => {
      const { key, entry } = entryOf(prepared, operation);
      entry.count += 1;
      listed.set(key, entry);
      const counted = roleOf(operation.role);
      const minute = Math.floor(now() / MINUTE_MS);
      counted.inMinute = counted.minute === minute ? counted.inMinute + 1 : 1;
      counted.minute = minute;
      counted.busiestMinute = Math.max(counted.busiestMinute, counted.inMinute);
      return entry;
    },
    addDuration: (prepared, durationMs) => {
      const entry = known.get(prepared)?.entry;
      if (entry !== undefined) entry.longestMs = Math.max(entry.longestMs, durationMs);
      return entry;
    },
    addBatch: (role, size) => {
      const counted = roleOf(role);
      counted.largestBatch = Math.max(counted.largestBatch, size);
    },
    addOverRate: (role) => {
      roleOf(role).overRate += 1;
    },
    operations: () => [...listed.values()],
    roles: () => [...roles.values()],
  };
}
