/** How many requests a caller may send: counted for each minute, on this node or over all of them. */

import { createHash } from 'node:crypto';
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { RateLimit } from '@joinery/metadata/schema/api-limits';
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { isStorable } from '../../base/storable-text.ts';
import type { Model } from '../../model/model.ts';
import type { Database } from '../../postgres/client/pool.ts';

/** Throws or rejects with `rate-limit-exceeded`. At once where the count of this node decides. */
export type RateLimiter = (session: Session, address: string | undefined, model: Model) => Promise<void> | undefined;

interface Window {
  readonly minute: number;
  /** Requests that may still be sent. */
  left: number;
  /** With a count over all nodes: nobody has any left. */
  spent: boolean;
}

const minuteMs = 60_000;
/** Callers that are counted at once; who came first is forgotten first. */
const mostCallers = 100_000;
const LONGEST_KEY = 200;
/** With a count over all nodes: of each minute's requests so many are taken at once. */
const portion = 0.05;

/** With `shared` the nodes take their requests from one count in that database, a portion at a time. */
export function createRateLimiter(shared?: Database, now: () => number = Date.now): RateLimiter {
  const windows = new Map<string, Window>();

  function windowOf(key: string, limit: RateLimit): Window {
    const minute = Math.floor(now() / minuteMs);
    const known = windows.get(key);
    if (known?.minute === minute) return known;
    windows.delete(key);
    if (windows.size >= mostCallers) windows.delete(windows.keys().next().value ?? '');
    const window = { minute, left: shared === undefined ? limit.max_reqs_per_min : 0, spent: shared === undefined };
    windows.set(key, window);
    return window;
  }

  async function takeShared(database: Database, key: string, window: Window, limit: RateLimit): Promise<void> {
    window.left += await reserve(database, key, window, limit.max_reqs_per_min);
    if (window.left <= 0) {
      window.spent = true;
      throw tooMany(limit, now());
    }
    window.left -= 1;
  }

  return (session, address, model) => {
    const limit = limitOf(session, model);
    if (limit === undefined) return undefined;
    const key = keyOf(session, address, limit);
    const window = windowOf(key, limit);
    if (window.left <= 0) {
      if (window.spent || shared === undefined) throw tooMany(limit, now());
      return takeShared(shared, key, window, limit);
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
  // Callers choose how long their variables are; what is kept of each is not, and must fit an index.
  return key.length <= LONGEST_KEY && isStorable(key) ? key : createHash('sha256').update(key).digest('base64');
}

/** A node whose clock is behind counts in the minute of the others. */
const reserveText = `
  insert into joinery.request_counts as counted (caller, minute, taken, granted)
  values ($1, $2, least($3::int, $4::int), least($3::int, $4::int))
  on conflict (caller) do update set
    granted = least($3::int, $4::int - case when counted.minute >= excluded.minute then counted.taken else 0 end),
    taken = least($4::int, $3::int + case when counted.minute >= excluded.minute then counted.taken else 0 end),
    minute = greatest(counted.minute, excluded.minute)
  returning granted`;

/** How many of what is left in this minute this node may hand out. */
async function reserve(database: Database, key: string, { minute }: Window, most: number): Promise<number> {
  const wanted = Math.max(1, Math.floor(most * portion));
  const { rows } = await database.query({ text: reserveText, values: [key, minute, wanted, most].map(String) });
  return Number(rows[0]?.[0] ?? 0);
}

function tooMany({ max_reqs_per_min: most }: RateLimit, now: number): ServiceError {
  const seconds = Math.ceil((minuteMs - (now % minuteMs)) / 1000);
  return new ServiceError(
    'rate-limit-exceeded',
    `more than ${most} requests in this minute; try again in ${seconds} seconds`,
  );
}
