/** The current snapshot of this node: the state and the mark of the store that it belongs to. Replaced whole. */

import type { Metadata } from '@joinery/metadata/metadata';
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import type { Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../base/errors.ts';
import type { CaptureFailures } from './capture-inconsistencies.ts';
import type { Tools } from './command-context.ts';
import {
  changedParts,
  emptyExternalState,
  type RereadSelection,
  readExternalState,
  withReads,
} from './external-state.ts';
import {
  isIntrospected,
  isStale,
  lastKnown,
  logIntrospectionChanges,
  type RemoteRead,
  storeIntrospections,
} from './remote-introspection.ts';
import {
  type ExternalState,
  makeState,
  resolvedState,
  type State,
  sameMetadata,
  withCaptureFailures,
} from './state.ts';
import type { Mark } from './store.ts';

export interface Snapshot {
  readonly state: State;
  readonly mark: Mark;
  /** Sources that were unreachable in the last read, so that their catalogs are earlier ones. */
  readonly stale?: ReadonlySet<SourceName>;
}

export interface Snapshots {
  /** Throws `busy` before the first load. */
  current(): Snapshot;
  /** For a change of this node. `started`: when it began, as `performance.now()`. */
  replace(next: Snapshot, started: number): void;
  /**
   * Loads what is stored. Databases are read again, and remote schemas if `all` or where they were changed. The catalog of
   * a source that is unreachable now stays as it was.
   */
  reload(all: boolean): Promise<void>;
  /**
   * As `reload(false)`, for a command that meets a change of another node before its announcement. The change may require to read remote
   * schemas again: until the next `reload`, which does that, no mark is covered.
   */
  loadReplaced(): Promise<void>;
  /** Whether the snapshot is that of the mark, with all that changes until then require to read. */
  covers(touched: string): boolean;
  /** Whether this node has set the mark lately. */
  isOwn(touched: string): boolean;
  /**
   * Reads again what could not be read the last time; `remotes`: remote schemas as well. It reads while changes go on, and
   * is queued behind them only where something has changed.
   */
  retryFailed(remotes: boolean): Promise<void>;
  /** Introspects remote schemas again, and announces a changed schema to the other nodes. */
  refresh(remotes: (name: RemoteSchemaName) => boolean): Promise<void>;
  /** Reads the catalog of a source again, unless its database is unreachable, and resolves the metadata with it. */
  readSource(source: Source): Promise<void>;
  /** Reports the event triggers of `state` that could not be created, if the metadata has not changed meanwhile. */
  reportCaptures(state: State, failures: CaptureFailures): Promise<void>;
  /** Resolves when the introspection results so far are stored; does not wait for reads under way. */
  stop(): Promise<void>;
}

/** Runs `work` behind the changes that were enqueued before. */
export type Enqueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Milliseconds for which a remote schema may delay a start, or a change of another node. */
const REMOTE_LIMIT_MS = 5000;

/** Marks that are remembered until their announcements arrive. */
const MOST_OWN = 100;

const everything: RereadSelection = { sources: () => true, remotes: () => true };
const nothing: RereadSelection = { sources: () => false, remotes: () => false };

export function createSnapshots(tools: Tools, enqueue: Enqueue): Snapshots {
  let snapshot: Snapshot | undefined;
  /** Resolves to whether the last results differed from what was stored. */
  let storing: Promise<boolean> = Promise.resolve(false);
  let stopped = false;
  let isPartlyRead = false;
  const own: string[] = [];

  function current(): Snapshot {
    if (snapshot === undefined) throw new ServiceError('busy', 'the service is starting; try again');
    return snapshot;
  }

  function use(next: Snapshot, started: number): void {
    install(next);
    tools.sources.retain(next.state.metadata);
    const { version, model } = next.state;
    const durationMs = performance.now() - started;
    tools.useTraces?.(model.traces);
    tools.observe({ kind: 'metadata-changed', version, inconsistencies: model.inconsistencies.length, durationMs });
  }

  function noteOwn({ touched }: Mark): void {
    own.push(touched);
    if (own.length > MOST_OWN) own.shift();
  }

  /** Also stores the new introspection results. */
  function install(next: Snapshot): void {
    const before = snapshot?.state;
    snapshot = next;
    logIntrospectionChanges(before?.external, next.state.external, tools.observe);
    storing = storing.then(() => storeIntrospections(before, next.state, tools));
  }

  async function load(all: boolean): Promise<Snapshot> {
    const { metadata: stored, ...mark } = await tools.store.load();
    const before = snapshot?.state;
    const isKnown = before?.version === mark.version && (await sameMetadata(before.metadata, stored));
    const metadata = isKnown ? before.metadata : stored;
    const changed = before === undefined ? everything : changedParts(before.metadata, before.external);
    const { remotes } = all ? everything : changed;
    const known = before?.external ?? emptyExternalState;
    const selection = { sources: () => true, remotes };
    const read = await readExternalState(metadata, known, selection, tools, { remoteLimitMs: REMOTE_LIMIT_MS });
    const { external, stale } = keepUnreachable(metadata, known, read, changed);
    const state = isKnown
      ? await resolvedState({ ...before, external }, tools)
      : await makeState(mark.version, metadata, external, tools);
    return { mark, state, stale };
  }

  async function retryFailed(withRemotes: boolean): Promise<void> {
    const { state, stale = new Set() } = current();
    const { catalogs } = state.external;
    await readAgain({
      sources: ({ name }: Source) => stale.has(name) || catalogs.get(name) instanceof ServiceError,
      remotes: ({ name }: RemoteSchema) => withRemotes && isStale(state.external, name),
    });
  }

  /** Leaves the model as it is where the results are the same. */
  async function readAgain(selection: RereadSelection): Promise<void> {
    const started = performance.now();
    const { state, mark, stale = new Set() } = current();
    const { metadata, external } = state;
    if (!metadata.sources.some(selection.sources) && !metadata.remote_schemas?.some(selection.remotes)) return;
    const read = await readExternalState(metadata, external, selection, tools);
    const again = keepUnreachable(metadata, external, read, nothing);
    const schemaChanged = [...external.upstreams].some(
      ([name, known]) => isIntrospected(known) && again.external.upstreams.get(name) !== known,
    );
    const same = again.stale.size === stale.size && failures(again.external) === failures(external) && !schemaChanged;
    const storedChange = await enqueue(async () => {
      // Another change came first; the next retry reads again.
      if (stopped || current().state !== state) return false;
      if (same) install({ ...current(), state: { ...state, external: again.external } });
      else {
        const next = await makeState(state.version, metadata, again.external, tools);
        use({ mark, state: next, stale: again.stale }, started);
      }
      return storing;
    });
    if (storedChange) await announce();
  }

  /** Makes the other nodes read everything again. */
  async function announce(): Promise<void> {
    await enqueue(async () => {
      const { store } = tools;
      const [found, mark] = await store.database.transaction(async (query) => {
        const locked = await store.lock(query);
        return [locked, (await store.touch(query, locked)) ?? locked] as const;
      });
      noteOwn(mark);
      // With an earlier mark the change of another node is still to be loaded.
      if (found.touched === current().mark.touched) snapshot = { ...current(), mark };
      await store.announce({ ...mark, world: true });
    });
  }

  return {
    current,
    replace: (next, started) => {
      noteOwn(next.mark);
      use(next, started);
    },
    reload: async (all) => {
      const started = performance.now();
      use(await load(all || isPartlyRead), started);
      isPartlyRead = false;
    },
    loadReplaced: async () => {
      const started = performance.now();
      const { touched } = current().mark;
      use(await load(false), started);
      if (current().mark.touched !== touched) isPartlyRead = true;
    },
    covers: (touched) => !isPartlyRead && current().mark.touched === touched,
    isOwn: (touched) => own.includes(touched),
    retryFailed,
    refresh: (remotes) => readAgain({ sources: () => false, remotes: ({ name }) => remotes(name) }),
    readSource: async ({ name }) => {
      const started = performance.now();
      const { state } = current();
      const selection: RereadSelection = { sources: (one) => one.name === name, remotes: () => false };
      const read = await readExternalState(state.metadata, state.external, selection, tools);
      const { external, stale } = keepUnreachable(state.metadata, state.external, read, nothing);
      if (stale.size > 0) return;
      await enqueue(async () => {
        if (stopped || current().state !== state) return;
        const next = await resolvedState({ ...state, external }, tools);
        if (next.model === state.model) install({ ...current(), state: next });
        else use({ ...current(), state: next }, started);
      });
    },
    reportCaptures: (state, failures) => {
      const started = performance.now();
      return enqueue(async () => {
        if (stopped || current().state !== state) return;
        const next = await withCaptureFailures(state, failures, tools);
        if (next !== state) use({ ...current(), state: next }, started);
      });
    },
    stop: async () => {
      stopped = true;
      await storing;
    },
  };
}

/**
 * Keeps the catalogs of databases that are unreachable: requests to them fail with `busy`, those to other sources go on.
 * The same applies to the schema of a remote service that cannot be introspected.
 */
function keepUnreachable(
  metadata: Metadata,
  before: ExternalState,
  after: ExternalState,
  changed: RereadSelection,
): { readonly external: ExternalState; readonly stale: ReadonlySet<SourceName> } {
  const stale = new Set<SourceName>();
  const catalogs = new Map(after.catalogs);
  for (const source of metadata.sources) {
    const known = before.catalogs.get(source.name);
    const read = after.catalogs.get(source.name);
    const unreachable = read instanceof ServiceError && read.code === 'busy';
    if (!unreachable || known === undefined || known instanceof ServiceError || changed.sources(source)) continue;
    catalogs.set(source.name, known);
    stale.add(source.name);
  }
  const kept = (metadata.remote_schemas ?? []).flatMap((remote): [RemoteSchemaName, RemoteRead][] => {
    const read = changed.remotes(remote) ? undefined : lastKnown(remote.name, before, after);
    return read === undefined ? [] : [[remote.name, read]];
  });
  return { external: withReads(stale.size === 0 ? after : { ...after, catalogs }, kept), stale };
}

function failures({ catalogs, upstreams }: ExternalState): number {
  return [...catalogs.values(), ...upstreams.values()].filter((one) => one instanceof ServiceError).length;
}
