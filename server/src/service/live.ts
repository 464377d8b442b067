/** What is live on this node: the state, and the mark of the store that it goes with. Replaced whole, never changed. */
import type { RemoteSchema } from '@joinery/metadata/remotes';
import type { Source } from '@joinery/metadata/tables';
import { ServiceError } from '../base/errors.ts';
import type { Mark } from '../model/store.ts';
import { makeState, type State, type World } from './state.ts';
import type { Tools } from './step.ts';
import { changedParts, emptyWorld, type Rereading, readWorld } from './world.ts';

export interface Moment {
  readonly state: State;
  readonly mark: Mark;
}

export interface Live {
  /** Throws `busy` before the first load. */
  now(): Moment;
  /** `started`: when the change began, as `performance.now()` tells it. */
  replace(next: Moment, started: number): void;
  /**
   * Takes over what is stored. Databases are read again, and so are remote schemas where `all` says so or they were
   * changed. Rejects, with everything as it was, when a database that was there cannot be reached.
   */
  reload(all: boolean): Promise<void>;
  /**
   * Tries again what could not be read the last time; `remotes`: the remote schemas as well. It reads while changes go
   * on, and waits for its turn only when there is something to take over.
   */
  heal(remotes: boolean): Promise<void>;
}

/** Waits for the changes that were asked for before. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** How long a remote schema may hold up a start, or a change that another node has made. Milliseconds. */
const remoteLimitMs = 5000;

const everything: Rereading = { sources: () => true, remotes: () => true };

export function createLive(tools: Tools, inTurn: InTurn): Live {
  let moment: Moment | undefined;

  function now(): Moment {
    if (moment === undefined) throw new ServiceError('busy', 'the service is starting; try again');
    return moment;
  }

  function replace(next: Moment, started: number): void {
    moment = next;
    tools.sources.retain(next.state.metadata);
    const { version, model } = next.state;
    const durationMs = performance.now() - started;
    tools.observe({ kind: 'metadata-changed', version, inconsistencies: model.inconsistencies.length, durationMs });
  }

  async function load(all: boolean): Promise<Moment> {
    const { metadata, ...mark } = await tools.store.load();
    const before = moment?.state;
    const { remotes } = all || before === undefined ? everything : changedParts(before.metadata, before.world);
    const known = before?.world ?? emptyWorld;
    const world = await readWorld(metadata, known, { sources: () => true, remotes }, tools, { remoteLimitMs });
    refuseLoss(known, world);
    return { mark, state: makeState(mark.version, metadata, world, tools) };
  }

  async function heal(withRemotes: boolean): Promise<void> {
    const started = performance.now();
    const { state, mark } = now();
    const { metadata, world } = state;
    const rereading = {
      sources: ({ name }: Source) => world.catalogs.get(name) instanceof ServiceError,
      remotes: ({ name }: RemoteSchema) => withRemotes && world.upstreams.get(name) instanceof ServiceError,
    };
    if (!metadata.sources.some(rereading.sources) && !metadata.remote_schemas?.some(rereading.remotes)) return;
    const again = await readWorld(metadata, world, rereading, tools);
    if (failures(again) === failures(world)) return;
    await inTurn(async () => {
      // Something else has happened meanwhile; the next time will do.
      if (now().state.world !== world) return;
      replace({ mark, state: makeState(state.version, metadata, again, tools) }, started);
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
  };
}

/** A database that is out of reach for a moment is no reason to forget its tables: throws its error. */
function refuseLoss(before: World, after: World): void {
  for (const [name, read] of after.catalogs) {
    const known = before.catalogs.get(name);
    const lost = read instanceof ServiceError && read.code === 'busy';
    if (lost && known !== undefined && !(known instanceof ServiceError)) throw read;
  }
}

function failures({ catalogs, upstreams }: World): number {
  return [...catalogs.values(), ...upstreams.values()].filter((one) => one instanceof ServiceError).length;
}
