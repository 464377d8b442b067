/** The live model and the commands that change it: one change at a time here, compare-and-swap against other nodes. */
import { ADMIN_ROLE, type RemoteSchemaName, type SourceName } from '@joinery/metadata/names';
import type { Source } from '@joinery/metadata/schema/sources';
import type { Session } from '../auth/session.ts';
import { ServiceError } from '../base/errors.ts';
import { planTriggers } from '../events/cron/plan.ts';
import type { Model } from '../model/model.ts';
import type { Database } from '../postgres/client/pool.ts';
import { fromPostgres, isPostgresError } from '../postgres/sql/errors.ts';
import { planDue, sameTriggers } from './commands/events/cron-plans.ts';
import { findCommand } from './commands/registry.ts';
import { readRequest, readResourceVersion } from './commands/request.ts';
import type {
  CommandApi,
  Context,
  Outcome,
  Progress,
  Request,
  ServiceCommand,
  Tools,
} from './metadata/command-context.ts';
import { createRemoteRefresh } from './metadata/remote-refresh.ts';
import { createLive, type InTurn, type Moment } from './metadata/snapshot.ts';
import { makeState, type State, sameMetadata } from './metadata/state.ts';
import type { Mark } from './metadata/store.ts';
import { type Follower, follow } from './metadata/sync.ts';
import { createUnit, type Unit } from './metadata/unit-of-work.ts';

export type { CommandApi } from './metadata/command-context.ts';

/** The request that a command came with. */
export type CommandOrigin = Partial<Pick<Context, 'signal' | 'span' | 'address' | 'requestId'>>;

export interface Service {
  /** Loads and resolves the metadata, and begins to follow the changes of other nodes. */
  start(): Promise<void>;
  /** Ends following; changes under way are completed. Closes the databases of sources other than `default`. */
  stop(): Promise<void>;
  /** As of now. Who has it keeps it while the next one takes its place. */
  model(): Model;
  /** The database of a source of the model, for what may write. */
  database(source: SourceName): Database;
  /** The same for what only reads: replicas, where the source has any. */
  reading(source: SourceName): Database;
  /** Runs `{ type, args }` and resolves to the answer. Rejects with a ServiceError, and then nothing has changed. */
  command(body: unknown, session: Session, api: CommandApi, origin?: CommandOrigin): Promise<unknown>;
  /** Plans the runs of cron triggers that are next. To be called every now and then where events are delivered. */
  planCronTriggers(): Promise<void>;
  /** Introspects a remote schema again that rejected a valid request, unless that was done a moment ago. */
  suspectRemoteSchema(remote: RemoteSchemaName): void;
  /** A notification on `metadataChannel`, for whoever listens. */
  heard(payload: string): void;
  /** Notifications may have been missed. */
  missed(): void;
}

/** How often a change is done anew because another node was faster. */
const mostAttempts = 5;
/** Milliseconds. */
const standardPoll = 3000;

export function createService(tools: Tools): Service {
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn: InTurn = (work) => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  const live = createLive(tools, inTurn);
  const remoteRefresh = createRemoteRefresh({
    refresh: live.refresh,
    observe: tools.observe,
    intervalMs: tools.remoteRefreshMs ?? 0,
  });
  let follower: Follower | undefined;
  let announcing: Promise<void> | undefined;

  async function command(
    body: unknown,
    session: Session,
    api: CommandApi,
    origin: CommandOrigin = {},
  ): Promise<unknown> {
    if (session.role !== ADMIN_ROLE && !isForEveryRole(body, api)) {
      throw new ServiceError('access-denied', 'restricted access : admin only', { status: 400, path: '$.args' });
    }
    const request = readRequest(body);
    const expected = readResourceVersion(body);
    const found = findCommand(request.type, api);
    const caller = { ...origin, api, session };
    return found.changes(request.args)
      ? inTurn(() => change(request, found, caller, expected))
      : run(request, found, caller, live.now(), (_outcome, unit) => unit.commit(tools.store.database));
  }

  /** A command that may change something: begun again when another node has changed the same meanwhile. */
  async function change(
    request: Request,
    found: ServiceCommand,
    caller: Caller,
    expected: number | undefined,
  ): Promise<unknown> {
    if (expected !== undefined && expected !== live.now().state.version) await live.reload(false);
    for (let attempts = 1; ; attempts += 1) {
      const base = live.now();
      if (expected !== undefined && expected !== base.state.version) throw conflict(expected, base.state.version);
      const started = performance.now();
      try {
        return await run(request, found, caller, base, async ({ progress }, unit) => {
          const mark = await store(base, progress, unit);
          if (mark === undefined) return;
          live.replace({ state: await atVersion(mark.version, progress.state), mark }, started);
          announcing = tools.store.announce({ ...mark, world: progress.worldChanged });
        });
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        if (attempts >= mostAttempts) throw tooBusy(error);
        await live.reload(false);
      }
    }
  }

  /** The answer, once `complete` has made what was done last. */
  async function run(
    request: Request,
    found: ServiceCommand,
    caller: Caller,
    base: Moment,
    complete: (outcome: Outcome, unit: Unit) => Promise<void>,
  ): Promise<unknown> {
    // Commands of admins get a connection also while requests of the role admin use their share.
    const role = caller.session.role === ADMIN_ROLE ? undefined : caller.session.role;
    const unit = createUnit({ dispose: found.foreignSql?.(request.args) ?? false, role });
    const progress: Progress = { state: base.state, fresh: new Set(), worldChanged: false };
    try {
      const outcome = await found.run(request, progress, contextOf(unit, caller, base));
      await complete(outcome, unit);
      return outcome.answer;
    } catch (error) {
      await unit.rollback();
      throw isPostgresError(error) ? fromPostgres(error) : error;
    }
  }

  /** Commits the unit, and with it what has changed. Undefined when nothing has. Throws Overtaken. */
  async function store(base: Moment, progress: Progress, unit: Unit): Promise<Mark | undefined> {
    const { database, swap, touch } = tools.store;
    const metadataChanged = !(await sameMetadata(base.state.metadata, progress.state.metadata));
    if (!metadataChanged && !progress.worldChanged) {
      await unit.commit(database);
      return undefined;
    }
    const before = base.state.metadata;
    const plans = !sameTriggers(before, progress.state.metadata);
    const query = unit.isOpen() || plans ? await unit.query(database) : database.query;
    const { version } = base.state;
    const mark = metadataChanged ? await swap(query, version, progress.state.metadata) : await touch(query, version);
    if (mark === undefined) throw new Overtaken();
    if (plans) await planTriggers(query, progress.state.metadata.cron_triggers ?? []);
    await unit.commit(database);
    return mark;
  }

  /** What is changed and changed back in one go keeps its version. */
  async function atVersion(version: number, state: State): Promise<State> {
    return state.version === version ? state : makeState(version, state.metadata, state.world, tools);
  }

  function sourceNamed(name: SourceName): Source {
    const source = live.now().state.metadata.sources.find((one) => one.name === name);
    if (source === undefined) throw new ServiceError('not-exists', `source with name "${name}" does not exist`);
    return source;
  }

  function contextOf(unit: Unit, { requestId = '', ...caller }: Caller, base: Moment): Context {
    return {
      tools,
      unit,
      ...caller,
      requestId,
      nextVersion: base.state.version + 1,
      alone: true,
      lock: async () => {
        const mark = await tools.store.lock(await unit.query(tools.store.database));
        if (mark.touched !== base.mark.touched) throw new Overtaken();
      },
    };
  }

  return {
    start: async () => {
      await live.reload(true);
      follower = follow({
        mark: tools.store.mark,
        known: () => live.now().mark,
        inTurn,
        reload: live.reload,
        heal: live.heal,
        observe: tools.observe,
        pollMs: tools.pollMs ?? standardPoll,
      });
      remoteRefresh.start();
    },
    stop: async () => {
      remoteRefresh.stop();
      await follower?.stop();
      await turn;
      await announcing;
      await live.stop();
      await tools.sources.close();
    },
    model: () => live.now().state.model,
    database: (name) => tools.sources.writing(sourceNamed(name)),
    reading: (name) => tools.sources.reading(sourceNamed(name)),
    command,
    planCronTriggers: () => planDue(tools.store, live.now().state.version, live.now().state.metadata),
    suspectRemoteSchema: remoteRefresh.suspect,
    heard: (payload) => follower?.heard(payload),
    missed: () => follower?.missed(),
  };
}

/** Where a command came to, and from whom. */
interface Caller extends CommandOrigin {
  readonly api: CommandApi;
  readonly session: Session;
}

/** What is wrong with a command is told to those only who may run it. */
function isForEveryRole(body: unknown, api: CommandApi): boolean {
  try {
    const { type, args } = readRequest(body);
    return findCommand(type, api).forEveryRole?.(args) ?? false;
  } catch {
    return false;
  }
}

/** Another node has changed what this change began from. Not for callers: the change begins again. */
class Overtaken extends Error {}

function tooBusy(cause: Overtaken): ServiceError {
  const message = 'the metadata has been changed by others again and again in the meantime; try again';
  return new ServiceError('conflict', message, { cause });
}

function conflict(expected: number, found: number): ServiceError {
  const message = `metadata resource version referenced (${expected}) did not match current version (${found}); export the metadata again and redo the change on it`;
  return new ServiceError('conflict', message);
}
