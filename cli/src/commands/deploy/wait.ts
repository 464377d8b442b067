/** Waits until a service can be deployed to, or until another deployment has completed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { requireSameVersion } from '../../client/service-version.ts';
import { warn } from '../../print.ts';

/** The service or its database was not ready in time. */
export class NotReady extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NotReady';
  }
}

const PAUSE_MS = 1000;
/** Milliseconds between lines about the same cause. */
const PROGRESS_MS = 10_000;
/** Milliseconds of one request to a service that may not respond. */
const REQUEST_MS = 5000;

/** The time of `--wait`, from its creation. */
export class Deadline {
  /** Undefined without `--wait`. */
  readonly seconds: number | undefined;
  readonly #began = performance.now();
  #reported: { readonly cause: string; readonly at: number } | undefined;

  constructor(seconds: number | undefined) {
    this.seconds = seconds;
  }

  /** Repeats `work` while it throws errors for which `isTemporary` is true and time is left. Throws the last error. */
  async retry<T>(isTemporary: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const leftMs = this.#leftMs();
        if (leftMs <= 0 || !isTemporary(error)) throw error;
        this.#report((error as Error).message, leftMs);
        await sleep(Math.min(PAUSE_MS, leftMs));
      }
    }
  }

  #leftMs(): number {
    return (this.seconds ?? 0) * 1000 - (performance.now() - this.#began);
  }

  /** Prints the cause when it has changed, or every few seconds. */
  #report(cause: string, leftMs: number): void {
    const now = performance.now();
    if (this.#reported?.cause === cause && now - this.#reported.at < PROGRESS_MS) return;
    this.#reported = { cause, at: now };
    warn(`Waiting, ${Math.ceil(leftMs / 1000)} s left: ${cause}`);
  }
}

/**
 * Resolves when the service is ready, with `sameVersion` when it also has the version of this command, which during a
 * rolling update it gets later. Throws NotReady at the deadline, and CliError at once for what waiting does not correct.
 */
export async function waitForService(connection: Connection, deadline: Deadline, sameVersion: boolean): Promise<void> {
  await deadline
    .retry(
      (error) => error instanceof NotReady,
      async () => {
        await requireReady(connection);
        if (sameVersion) await requireSameVersion(connection).catch(rethrowOtherVersion);
      },
    )
    .catch((error: unknown) => {
      if (!(error instanceof NotReady)) throw error;
      throw new NotReady(`${error.message}. Waited ${deadline.seconds} s (--wait)`, { cause: error });
    });
}

/** Throws NotReady while the service does not respond or reports that it is not ready. */
async function requireReady(connection: Connection): Promise<void> {
  const { status, body } = await connection.get('/readyz', REQUEST_MS).catch((error: unknown) => {
    throw error instanceof CliError && isTemporary(error.cause) ? new NotReady(error.message, { cause: error }) : error;
  });
  // Where a proxy serves the APIs only, the check of the version has to suffice.
  if (status < 500) return;
  const detail = typeof body === 'string' ? body.slice(0, 200) : JSON.stringify(body);
  throw new NotReady(`${connection.endpoint}/readyz returns status ${status}: ${detail}`);
}

const permanentCodes = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_/;

/** Whether a connection may succeed later. A host name may not resolve yet either. */
function isTemporary(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code !== 'string' || !permanentCodes.test(code);
}

function rethrowOtherVersion(error: unknown): never {
  if (error instanceof CliError && / has version /.test(error.message))
    throw new NotReady(error.message, { cause: error });
  throw error;
}
