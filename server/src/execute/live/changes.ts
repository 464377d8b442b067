/** Changes of this node that live queries are polled for without waiting for the interval. */
import type { SourceName } from '@joinery/metadata/names';

/** Quoted names of tables that were changed; undefined: any table may have been changed. */
export type ChangedTables = ReadonlySet<string> | undefined;

type Listener = (source: SourceName | undefined, tables: ChangedTables) => void;

export interface Changes {
  /** Reports a committed change. `tables` is called only if something listens. Without a source, any may have changed. */
  report(source: SourceName | undefined, tables?: () => ChangedTables): void;
  /** Replaces the listener; undefined removes it. */
  listen(listener: Listener | undefined): void;
}

export function createChanges(): Changes {
  let listener: Listener | undefined;
  return {
    report: (source, tables) => listener?.(source, tables?.()),
    listen: (next) => {
      listener = next;
    },
  };
}
