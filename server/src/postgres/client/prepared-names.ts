/** Names for prepared statements, and what to do when the server does not know one. */
import { createHash } from 'node:crypto';
import type { Observe } from '../../base/telemetry/observe.ts';
import { isPostgresError } from '../sql/errors.ts';
import type { StatementRun } from './statement-run.ts';

export interface PreparedNames {
  /** The same name for the same text; undefined where the statement should go unnamed. */
  nameFor(text: string): string | undefined;
  /**
   * True when the server refused the run because of its name alone, so that nothing of it was executed and it can be
   * sent again: the next run of that name parses it anew.
   */
  refused(run: StatementRun, error: unknown): boolean;
}

/** Each one costs memory in every server process. */
const mostNames = 500;
/** So many lost names mean a pooler that hands us another server connection for each transaction. */
const mostLost = 3;

/** `enabled`: false for poolers that are known not to keep prepared statements. */
export function createPreparedNames(enabled: boolean, observe: Observe): PreparedNames {
  const names = new Map<string, string>();
  let lost = 0;

  function countLost(): void {
    lost += 1;
    if (lost !== mostLost) return;
    const message = 'prepared statements are off from now on: the pooler in front of the database does not keep them';
    observe({ kind: 'note', level: 'warn', where: 'database pool', message });
  }

  return {
    nameFor(text) {
      if (!enabled || lost >= mostLost) return undefined;
      const known = names.get(text);
      if (known !== undefined) return known;
      if (names.size >= mostNames) return undefined;
      // Made from the text, so that it means the same in every process behind a shared pooler.
      const name = `j${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
      names.set(text, name);
      return name;
    },
    refused(run, error) {
      if (run.name === undefined || !isPostgresError(error)) return false;
      // Not there, there already, or made before a table was changed.
      const isLost = error.code === '26000' || error.code === '42P05';
      if (!isLost && !(error.code === '0A000' && error.routine === 'RevalidateCachedQuery')) return false;
      run.prepared.stale.add(run.name);
      if (isLost) countLost();
      return true;
    },
  };
}
