/** What is live on this node: the state, and the mark of the store that it goes with. Replaced whole, never changed. */
import type { Metadata } from '@joinery/metadata/metadata';
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import type { Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../base/errors.ts';
import type { Tools } from './command-context.ts';
import { changedParts, emptyWorld, type Rereading, readWorld, withReads } from './external-state.ts';
import { heldOn, isSaid, isUnsure, keepReadings, type RemoteRead, tellReadings } from './remote-introspection.ts';
import { makeState, type State, type World } from './state.ts';
import type { Mark } from './store.ts';

export interface Moment {
  readonly state: State;
  readonly mark: Mark;
  /** Sources out of reach when they were to be read again: they are as they were known before. */
  readonly stale?: ReadonlySet<SourceName>;
}

export interface Live {
  /** Throws `busy` before the first load. */
  now(): Moment;
  /** `started`: when the change began, as `performance.now()` tells it. */
  replace(next: Moment, started: number): void;
  /**
   * Takes over what is stored. Databases are read again, and so are remote schemas where `all` says so or they were
   * changed. A source that was there and is out of reach now stays as it was known.
   */
  reload(all: boolean): Promise<void>;
  /**
   * Tries again what could not be read the last time; `remotes`: the remote schemas as well. It reads while changes go
   * on, and waits for its turn only when there is something to take over.
   */
  heal(remotes: boolean): Promise<void>;
  /** Asks remote schemas again what they offer, and tells the other nodes where it is something else than before. */
  refresh(remotes: (name: RemoteSchemaName) => boolean): Promise<void>;
  /** What is still being read is not waited for; resolves when what was read is stored. */
  stop(): Promise<void>;
}

/** Waits for the changes that were asked for before. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** How long a remote schema may hold up a start, or a change that another node has made. Milliseconds. */
const remoteLimitMs = 5000;

const everything: Rereading = { sources: () => true, remotes: () => true };
const nothing: Rereading = { sources: () => false, remotes: () => false };

export function createLive(tools: Tools, inTurn: InTurn): Live {
  let moment: Moment | undefined;
  /** Whether the last was something new. */
  let storing: Promise<boolean> = Promise.resolve(false);
  let stopped = false;

  function now(): Moment {
    if (moment === undefined) throw new ServiceError('busy', 'the service is starting; try again');
    return moment;
  }

  function replace(next: Moment, started: number): void {
    settle(next);
    tools.sources.retain(next.state.metadata);
    const { version, model } = next.state;
    const durationMs = performance.now() - started;
    tools.observe({ kind: 'metadata-changed', version, inconsistencies: model.inconsistencies.length, durationMs });
  }

  /** Also stores what was read of remote schemas. */
  function settle(next: Moment): void {
    const before = moment?.state;
    moment = next;
    tellReadings(before?.world, next.state.world, tools.observe);
    storing = storing.then(() => keepReadings(before, next.state, tools));
  }

  async function load(all: boolean): Promise<Moment> {
    const { metadata, ...mark } = await tools.store.load();
    const before = moment?.state;
    const { remotes } = all || before === undefined ? everything : changedParts(before.metadata, before.world);
    const known = before?.world ?? emptyWorld;
    const world = await readWorld(metadata, known, { sources: () => true, remotes }, tools, { remoteLimitMs });
    const changed = before === undefined ? everything : changedParts(before.metadata, before.world);
    const kept = keepLost(metadata, known, world, changed);
    return { mark, state: await makeState(mark.version, metadata, kept.world, tools), stale: kept.stale };
  }

  async function heal(withRemotes: boolean): Promise<void> {
    const { state, stale = new Set() } = now();
    const { catalogs } = state.world;
    await readAgain({
      sources: ({ name }: Source) => stale.has(name) || catalogs.get(name) instanceof ServiceError,
      remotes: ({ name }: RemoteSchema) => withRemotes && isUnsure(state.world, name),
    });
  }

  /** What was read again and found to be the same leaves the model as it is. */
  async function readAgain(rereading: Rereading): Promise<void> {
    const started = performance.now();
    const { state, mark, stale = new Set() } = now();
    const { metadata, world } = state;
    if (!metadata.sources.some(rereading.sources) && !metadata.remote_schemas?.some(rereading.remotes)) return;
    const read = await readWorld(metadata, world, rereading, tools);
    const again = keepLost(metadata, world, read, nothing);
    const offersChanged = [...world.upstreams].some(
      ([name, known]) => isSaid(known) && again.world.upstreams.get(name) !== known,
    );
    const same = again.stale.size === stale.size && failures(again.world) === failures(world) && !offersChanged;
    const news = await inTurn(async () => {
      // Something else has happened meanwhile; the next time will do.
      if (stopped || now().state !== state) return false;
      if (same) settle({ ...now(), state: { ...state, world: again.world } });
      else {
        const next = await makeState(state.version, metadata, again.world, tools);
        replace({ mark, state: next, stale: again.stale }, started);
      }
      return storing;
    });
    if (news) await tellOthers();
  }

  /** They read all again. */
  async function tellOthers(): Promise<void> {
    await inTurn(async () => {
      const { store } = tools;
      const [found, mark] = await store.database.transaction(async (query) => {
        const locked = await store.lock(query);
        return [locked, (await store.touch(query, locked.version)) ?? locked] as const;
      });
      // Where others have changed something meanwhile, it is still to be taken over.
      if (found.touched === now().mark.touched) moment = { ...now(), mark };
      await store.announce({ ...mark, world: true });
    });
  }

  return {
    now,
    replace,
    reload: async (all) => {
      const started = performance.now();
      replace(await load(all), started);
    },
    heal,
    refresh: (remotes) => readAgain({ sources: () => false, remotes: ({ name }) => remotes(name) }),
    stop: async () => {
      stopped = true;
      await storing;
    },
  };
}

/**
 * A database that is out of reach for a moment is no reason to forget its tables: requests to it learn that it is busy,
 * those to other sources go on. The same goes for the schema of a service that cannot be asked.
 */
function keepLost(
  metadata: Metadata,
  before: World,
  after: World,
  changed: Rereading,
): { readonly world: World; readonly stale: ReadonlySet<SourceName> } {
  const stale = new Set<SourceName>();
  const catalogs = new Map(after.catalogs);
  for (const source of metadata.sources) {
    const known = before.catalogs.get(source.name);
    const read = after.catalogs.get(source.name);
    const lost = read instanceof ServiceError && read.code === 'busy';
    if (!lost || known === undefined || known instanceof ServiceError || changed.sources(source)) continue;
    catalogs.set(source.name, known);
    stale.add(source.name);
  }
  const held = (metadata.remote_schemas ?? []).flatMap((remote): [RemoteSchemaName, RemoteRead][] => {
    const read = changed.remotes(remote) ? undefined : heldOn(remote.name, before, after);
    return read === undefined ? [] : [[remote.name, read]];
  });
  return { world: withReads(stale.size === 0 ? after : { ...after, catalogs }, held), stale };
}

function failures({ catalogs, upstreams }: World): number {
  return [...catalogs.values(), ...upstreams.values()].filter((one) => one instanceof ServiceError).length;
}
