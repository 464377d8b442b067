/** Runs the steps of the start that need the database. Retries temporary failures, and reports the others with the correction. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../base/errors.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import { type OtherProduct, productOf, requirePostgres } from '../postgres/catalog/product.ts';
import {
  type ConnectionFailure,
  describeFailure,
  describeTarget,
  isConnectionFailure,
  targetOf,
} from '../postgres/client/connection-failure.ts';
import type { Database } from '../postgres/client/pool.ts';

export interface DatabaseAtStart {
  readonly database: Database;
  readonly url: string;
  /** The option that the URL came from; undefined for the embedded server. */
  readonly setting: string | undefined;
  /** 0 for one attempt. */
  readonly waitMs: number;
  readonly observe: Observe;
}

/** Milliseconds between attempts. */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Milliseconds between progress lines about the same cause. */
const progressMs = 5_000;

export interface DatabaseWait {
  /**
   * Runs a step of the start, again after each temporary failure of the database until `waitMs` have passed since the wait was
   * created. Throws `busy` when the time is over, `invalid-configuration` for a permanent failure of the connection, and
   * other errors of `step` as they are. `step` must be repeatable; `task` is its name in errors: `connect to`.
   */
  run<T>(task: string, step: () => Promise<T>): Promise<T>;
}

/** Starts the wait, which all steps of one start share. After the failure of one step the others are not retried. */
export function createDatabaseWait(at: DatabaseAtStart): DatabaseWait {
  const began = performance.now();
  const progress = createProgress(at);
  let hasFailed = false;

  async function retry<T>(task: string, step: () => Promise<T>): Promise<T> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await step();
      } catch (error) {
        if (!isOfConnection(error)) throw error;
        const failure = describeFailure(error, targetOf(at.url));
        const leftMs = at.waitMs - (performance.now() - began);
        if (!failure.temporary || leftMs <= 0 || hasFailed) throw startError(at, task, failure, error);
        progress(failure, leftMs);
        await sleep(Math.min(pauseMs, leftMs));
      }
    }
  }

  return {
    async run(task, step) {
      try {
        return await retry(task, step);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
  };
}

/** Whether the connection failed, also while the server confirmed a commit: the steps of the start can be repeated. */
function isOfConnection(error: unknown): boolean {
  return isConnectionFailure(error) || (error instanceof ServiceError && error.code === 'unknown-outcome');
}

/** Logs whether the database can be connected to. Never rejects. */
export async function reportConnection(at: DatabaseAtStart): Promise<void> {
  try {
    await connect(at);
  } catch (error) {
    const message = sentence(at, 'connect to', describeFailure(error, targetOf(at.url)));
    at.observe({ kind: 'note', level: 'warn', where: 'database', message });
  }
}

/** Runs a first statement, and logs the database. Returns the product of a server that is not PostgreSQL. */
async function connect({ database, url, observe }: DatabaseAtStart): Promise<OtherProduct | undefined> {
  const statement = `select current_setting('server_version'), version(), current_user, current_setting('search_path')`;
  const found = await database.query({ text: statement, values: [] });
  const [version, text, role, path] = found.rows[0] ?? [];
  const product = productOf(text ?? '');
  const server = product === undefined ? `PostgreSQL ${version}` : `${product}, compatible with PostgreSQL ${version}`;
  const message = `Connected to ${describeTarget(targetOf(url))} (${server}).`;
  observe({ kind: 'note', level: 'info', where: 'database', message });
  if (firstSchema(role ?? '', path ?? '') === OWN_SCHEMA) {
    observe({ kind: 'note', level: 'warn', where: 'database', message: searchPathWarning(url, role ?? '') });
  }
  return product;
}

const OWN_SCHEMA = 'joinery';

/** Returns the first schema of a search path, in which `"$user"` is the role. */
function firstSchema(role: string, path: string): string {
  const first = (path.split(',')[0] ?? '').trim().replace(/^"(.*)"$/, '$1');
  return first === '$user' ? role : first;
}

function searchPathWarning(url: string, role: string): string {
  return (
    `Tables that are created without a schema in ${describeTarget(targetOf(url))} are created in the schema "${OWN_SCHEMA}", which belongs to ` +
    `the service, because the search_path of the role begins with it. Run: alter role "${role}" set search_path = public`
  );
}

/** Connects to the database of the schema `joinery`. Throws `invalid-configuration` if it is not PostgreSQL. */
export async function connectToStore(at: DatabaseAtStart): Promise<void> {
  const product = await connect(at);
  const setting = at.setting === undefined ? '' : ` (${at.setting})`;
  requirePostgres(product, `the schema joinery in ${describeTarget(targetOf(at.url))}${setting}`);
}

/** Returns a function that logs a line when the cause has changed, or every few seconds. */
function createProgress({ url, observe }: DatabaseAtStart): (failure: ConnectionFailure, leftMs: number) => void {
  let last: { readonly cause: string; readonly at: number } | undefined;
  return ({ cause }, leftMs) => {
    const now = performance.now();
    if (last?.cause === cause && now - last.at < progressMs) return;
    last = { cause, at: now };
    const left = `${Math.ceil(leftMs / 1000)} s left (JOINERY_DATABASE_WAIT)`;
    const message = `Waiting for ${describeTarget(targetOf(url))}: ${cause}; ${left}.`;
    observe({ kind: 'note', level: 'warn', where: 'database', message });
  };
}

function startError(at: DatabaseAtStart, task: string, failure: ConnectionFailure, cause: unknown): ServiceError {
  const waited = failure.temporary && at.waitMs > 0 ? ` Waited ${at.waitMs / 1000} s (JOINERY_DATABASE_WAIT).` : '';
  const code = failure.temporary ? 'busy' : 'invalid-configuration';
  return new ServiceError(code, `${sentence(at, task, failure)}${waited}`, { cause });
}

/** `Cannot connect to database "shop" at localhost:5432 as user "app" (JOINERY_DATABASE_URL): <cause>. <advice>` */
function sentence({ url, setting }: DatabaseAtStart, task: string, { cause, advice }: ConnectionFailure): string {
  const from = setting === undefined ? '' : ` (${setting})`;
  return `Cannot ${task} ${describeTarget(targetOf(url))}${from}: ${cause}. ${advice}`;
}
