/** Names of prepared statements, and the handling of names that the server has lost. */
import { createHash } from 'node:crypto';
import type { Observe } from '../../base/telemetry/observe.ts';
import { isPostgresError } from '../sql/errors.ts';
import type { StatementRun } from './statement-run.ts';

export interface PreparedNames {
  /** Returns the name for a text; undefined where the statement should not be prepared. */
  nameFor(text: string): string | undefined;
  /**
   * Returns whether the server rejected the statement only because of its name. Nothing was executed then, and the next run
   * of that name parses the statement again.
   */
  rejected(run: StatementRun, error: unknown): boolean;
}

/** Each name costs memory in every server process. */
const mostNames = 500;
/** Lost names after which the database counts as behind a transaction pooler. */
const mostLost = 3;

/** `enabled`: false for poolers that do not support prepared statements. */
export function createPreparedNames(enabled: boolean, observe: Observe): PreparedNames {
  const names = new Map<string, string>();
  let lost = 0;

  function countLost(): void {
    lost += 1;
    if (lost !== mostLost) return;
    const message = 'prepared statements are disabled from now on: the pooler of the database does not support them';
    observe({ kind: 'note', level: 'warn', where: 'database pool', message });
  }

  return {
    nameFor(text) {
      if (!enabled || lost >= mostLost) return undefined;
      const known = names.get(text);
      if (known !== undefined) return known;
      if (names.size >= mostNames) return undefined;
      // Derived from the text, so that all processes behind a shared pooler use the same name.
      const name = `j${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
      names.set(text, name);
      return name;
    },
    rejected(run, error) {
      if (run.name === undefined || !isPostgresError(error)) return false;
      // Unknown, duplicate, or prepared before a table was changed.
      const isLost = error.code === '26000' || error.code === '42P05';
      if (!isLost && !(error.code === '0A000' && error.routine === 'RevalidateCachedQuery')) return false;
      // An unconfirmed name is unknown because the statement that parsed it failed.
      if (run.forgetName() && isLost) countLost();
      return true;
    },
  };
}
