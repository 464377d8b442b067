/** The rate limiter: counts the operations of a caller in each minute, on this node or over all nodes. */

import { createHash } from 'node:crypto';
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { RateLimit } from '@joinery/metadata/schema/api-limits';
import { LRUCache } from 'lru-cache';
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { isStorable } from '../../base/storable-text.ts';
import type { Model } from '../../model/model.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { queryRows } from '../../postgres/sql/rows.ts';
import { sql, value } from '../../postgres/sql/sql.ts';

/** Counts one operation. Throws or rejects with `rate-limit-exceeded`; undefined where the count of this node decides. */
export type RateLimiter = (session: Session, address: string | undefined, model: Model) => Promise<void> | undefined;

interface Window {
  /** The end of its minute by the clock of the node, milliseconds since 1970. */
  endsAt: number;
  /** Operations left to this node. */
  left: number;
  /** Whether no operations are left in the count over all nodes. */
  spent: boolean;
}

const MINUTE_MS = 60_000;
/** Callers with a count; beyond that the counts of those that called least recently are dropped. */
const MAX_CALLERS = 100_000;
const MAX_KEY_LENGTH = 200;
/** The share of a minute's limit that a node reserves at once from the count over all nodes. */
const PORTION = 0.05;

/** Called for an operation beyond the limit of the role. Returns whether it is rejected. */
type OnExcess = (role: RoleName, most: number) => boolean;

/**
 * With `shared` the nodes share one count in that database, and reserve a portion of it at a time. Only those with the same
 * `group` share it.
 */
export function createRateLimiter(
  shared?: Database,
  now: () => number = Date.now,
  onExcess: OnExcess = () => true,
  group = '',
): RateLimiter {
  // Allocated with the first limited operation: the cache takes memory for all callers in advance.
  let windows: LRUCache<string, Window> | undefined;

  function windowOf(key: string, limit: RateLimit): Window {
    const time = now();
    windows ??= new LRUCache({ max: MAX_CALLERS });
    const known = windows.get(key);
    // A longer time than a minute is left only where the clock was set back.
    if (known !== undefined && known.endsAt > time && known.endsAt <= time + MINUTE_MS) return known;
    const endsAt = (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;
    const window = { endsAt, left: shared === undefined ? limit.max_reqs_per_min : 0, spent: shared === undefined };
    windows.set(key, window);
    return window;
  }

  function reject(role: RoleName, limit: RateLimit, { endsAt }: Window): void {
    if (onExcess(role, limit.max_reqs_per_min)) throw tooMany(limit, endsAt - now());
  }

  async function takeShared(
    database: Database,
    key: string,
    window: Window,
    limit: RateLimit,
    role: RoleName,
  ): Promise<void> {
    const { granted, leftMs } = await reserve(database, key, limit.max_reqs_per_min);
    window.left += granted;
    window.endsAt = now() + leftMs;
    if (window.left <= 0) {
      window.spent = true;
      reject(role, limit, window);
      return;
    }
    window.left -= 1;
  }

  return (session, address, model) => {
    const limit = limitOf(session, model);
    if (limit === undefined) return undefined;
    const key = group + keyOf(session, address, limit);
    const window = windowOf(key, limit);
    if (window.left <= 0) {
      if (!window.spent && shared !== undefined) return takeShared(shared, key, window, limit, session.role);
      reject(session.role, limit, window);
      return undefined;
    }
    window.left -= 1;
    return undefined;
  };
}

function limitOf({ role }: Session, { limits }: Model): RateLimit | undefined {
  if (role === ADMIN_ROLE) return undefined;
  return limits?.rate_limit?.per_role?.[role] ?? limits?.rate_limit?.global;
}

function keyOf({ role, variables }: Session, address: string | undefined, { unique_params: by }: RateLimit): string {
  const parts = by === 'IP' ? [address] : by?.map((name) => variables.get(name.toLowerCase()));
  const key = parts === undefined ? role : JSON.stringify([role, ...parts]);
  // Session variables may have any length; the key must fit an index.
  return key.length <= MAX_KEY_LENGTH && isStorable(key) ? key : createHash('sha256').update(key).digest('base64');
}

/**
 * Takes requests of this minute from the count of all nodes and returns how many, with the milliseconds that are left of the minute. The
 * minute is that of the database: clocks of nodes differ. A count that is a minute ahead was reserved meanwhile; one that is further
 * ahead is of a clock that was wrong.
 */
async function reserve(
  database: Database,
  key: string,
  limit: number,
): Promise<{ readonly granted: number; readonly leftMs: number }> {
  const wanted = value(String(Math.max(1, Math.floor(limit * PORTION))));
  const most = value(String(limit));
  const isPresent = sql`counted.minute between excluded.minute and excluded.minute + 1`;
  const taken = sql`case when ${isPresent} then counted.taken else 0 end`;
  const rows = await queryRows(
    database.query,
    sql`insert into joinery.request_counts as counted (caller, minute, taken, granted)
      values (${value(key)}, floor(extract(epoch from clock_timestamp()) / 60),
        least(${wanted}::int, ${most}::int), least(${wanted}::int, ${most}::int))
      on conflict (caller) do update set
        granted = least(${wanted}::int, ${most}::int - ${taken}),
        taken = least(${most}::int, ${wanted}::int + ${taken}),
        minute = case when ${isPresent} then counted.minute else excluded.minute end
      returning granted, 60000 - (extract(epoch from clock_timestamp()) * 1000)::bigint % 60000 as left_ms`,
    ['granted', 'left_ms'],
  );
  return { granted: Number(rows[0]?.granted ?? 0), leftMs: Number(rows[0]?.left_ms ?? MINUTE_MS) };
}

function tooMany({ max_reqs_per_min: most }: RateLimit, leftMs: number): ServiceError {
  const seconds = Math.ceil(leftMs / 1000);
  return new ServiceError(
    'rate-limit-exceeded',
    `more than ${most} requests in this minute; try again in ${seconds} seconds`,
  );
}
