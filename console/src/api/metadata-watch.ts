/** Distinguishes metadata changes of this console from changes made elsewhere. */

export interface MetadataWatch {
  /** Records that a command of this console may have changed the metadata. */
  changedHere(): void;
  /** Records a version that was read. Returns whether the metadata changed elsewhere since the previous one. */
  saw(version: number): boolean;
  /** The last version that was read. */
  version(): number | undefined;
}

/** Each change increments the version by one, or leaves it when nothing changed. */
export function createMetadataWatch(): MetadataWatch {
  let known: number | undefined;
  let own = 0;
  return {
    changedHere: () => {
      own += 1;
    },
    saw: (version) => {
      const others = known !== undefined && version > known + own;
      // A version older than the last change of this console: its own change is not included yet.
      if (known === undefined || version > known) own = known === undefined ? 0 : Math.max(0, own - (version - known));
      known = version;
      return others;
    },
    version: () => known,
  };
}

/** Whether a command can change the metadata. Queries, event commands and dry runs cannot. `args` is JSON text. */
export function canChangeMetadata(type: string, args = ''): boolean {
  if (type === 'replace_metadata' && /"dry_run":\s*true/.test(args)) return false;
  return !/^(get_|export_|preview_|introspect_|test_|pg_get_|pg_suggest_)|scheduled_event|event_destination|_clock$/.test(
    type,
  );
}
