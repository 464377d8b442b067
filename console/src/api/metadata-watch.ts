/** Tells changes of the metadata that were made here from those that somebody else made. Pure but for what it remembers. */

export interface MetadataWatch {
  /** A command that may have changed the metadata was done here. */
  changedHere(): void;
  /** A version was read; whether somebody else has changed the metadata since the last one. */
  saw(version: number): boolean;
  /** The version that was seen last. */
  version(): number | undefined;
}

/** Each change counts the version up by one, or leaves it where nothing is other than before. */
export function createMetadataWatch(): MetadataWatch {
  let known: number | undefined;
  let own = 0;
  return {
    changedHere: () => {
      own += 1;
    },
    saw: (version) => {
      const others = known !== undefined && version > known + own;
      // A version from before the last change here: its own is still to be seen.
      if (known === undefined || version > known) own = known === undefined ? 0 : Math.max(0, own - (version - known));
      known = version;
      return others;
    },
    version: () => known,
  };
}

/** Commands that read, those of events, and dry runs leave the metadata as they are. `args` is JSON text. */
export function canChangeMetadata(type: string, args = ''): boolean {
  if (type === 'replace_metadata' && /"dry_run":\s*true/.test(args)) return false;
  return !/^(get_|export_|preview_|introspect_|test_|pg_get_|pg_suggest_)|scheduled_event|event_destination|_clock$/.test(
    type,
  );
}
