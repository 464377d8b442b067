/** What a request demands of its reads: the headers `joinery-read-from` and `joinery-position`. */
import type { SourceName } from '@joinery/metadata/names';
import type { Headers } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { shortHash, type WalPosition } from './wal-position.ts';

export const POSITION_HEADER = 'joinery-position';
const READ_FROM_HEADER = 'joinery-read-from';

/** The value with which a client requests its first position. */
const FIRST = 'new';

/** Undefined: reads may be from any replica within its maximum lag. */
export type ReadConsistency = 'primary' | Positions | undefined;

interface Entry extends WalPosition {
  /** A hash of the name. */
  readonly source: string;
}

/** A source, a cluster, a timeline and a position of 8 bytes. */
const ENTRY_BYTES = 20;
const entryText = /^[A-Za-z0-9_-]{27}$/;
const MOST_ENTRIES = 100;

/** The positions of sources that a client has from its mutations. */
export class Positions {
  /** By source. */
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(entries: Iterable<Entry>) {
    this.#entries = new Map([...entries].map((entry) => [entry.source, entry]));
  }

  /**
   * Returns what a query of a source has to include; undefined for anything. `primary`: one of the positions is of none of the
   * `sources`, such as of one that was renamed.
   */
  wanted(source: SourceName, sources: readonly SourceName[]): WalPosition | 'primary' | undefined {
    const entry = this.#entries.get(shortHash(source));
    if (entry !== undefined) return entry;
    const known = new Set(sources.map(shortHash));
    return [...this.#entries.keys()].some((hash) => !known.has(hash)) ? 'primary' : undefined;
  }

  /** Returns the header with these positions, replaced by those of `read`; undefined is a position that could not be read. */
  print(read: ReadonlyMap<SourceName, WalPosition | undefined>): string {
    const added = [...read].map(([name, position]): [string, Entry] => [
      shortHash(name),
      {
        source: shortHash(name),
        cluster: position === undefined ? UNKNOWN : position.cluster,
        timeline: position?.timeline ?? 0,
        lsn: position?.lsn ?? 0n,
      },
    ]);
    const entries = new Map([...this.#entries, ...added]);
    return [...entries.values()].map(printEntry).join(',');
  }
}

/** The cluster of a position that could not be read. No replica includes it, so that queries read the primary. */
const UNKNOWN = '00000000';

/** Throws `bad-request` for a header that is not of its form. */
export function readConsistencyOf(headers: Headers): ReadConsistency {
  const from = headers[READ_FROM_HEADER];
  const positions = positionsOf(headers);
  if (from === undefined) return positions;
  if (from === 'primary') return 'primary';
  throw new ServiceError('bad-request', `the header "${READ_FROM_HEADER}" must be "primary"`);
}

/** Returns the positions of a request that has some or requests its first. Throws as `readConsistencyOf` does. */
export function positionsOf(headers: Headers): Positions | undefined {
  const position = headers[POSITION_HEADER];
  return position === undefined ? undefined : parsePositions(String(position));
}

function parsePositions(text: string): Positions {
  const parts = text.split(',').map((part) => part.trim());
  const entries = parts.filter((part) => part !== FIRST).map(parseEntry);
  if (parts.length > MOST_ENTRIES) throw malformed();
  const newest = new Map<string, Entry>();
  for (const entry of entries) {
    const known = newest.get(entry.source);
    if (known === undefined || isBehind(known, entry)) newest.set(entry.source, entry);
  }
  return new Positions(newest.values());
}

/** Whether a response of later has the second position. Those of different clusters have no order: the last one counts. */
function isBehind(one: Entry, other: Entry): boolean {
  if (one.cluster !== other.cluster) return true;
  return one.timeline < other.timeline || (one.timeline === other.timeline && one.lsn < other.lsn);
}

function parseEntry(text: string): Entry {
  if (!entryText.test(text)) throw malformed();
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== ENTRY_BYTES || bytes.toString('base64url') !== text) throw malformed();
  return {
    source: bytes.toString('hex', 0, 4),
    cluster: bytes.toString('hex', 4, 8),
    timeline: bytes.readUInt32BE(8),
    lsn: bytes.readBigUInt64BE(12),
  };
}

function printEntry({ source, cluster, timeline, lsn }: Entry): string {
  const bytes = Buffer.alloc(ENTRY_BYTES);
  bytes.write(source + cluster, 'hex');
  bytes.writeUInt32BE(timeline, 8);
  bytes.writeBigUInt64BE(lsn, 12);
  return bytes.toString('base64url');
}

function malformed(): ServiceError {
  const message = `the header "${POSITION_HEADER}" must be "${FIRST}", or the value of this header in the response to a mutation`;
  return new ServiceError('bad-request', message);
}
