/** The current model and the commands that change it: one change at a time on this node, compare-and-swap between nodes. */

import type { CommandWarning } from '@joinery/metadata/api/metadata';
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, type RemoteSchemaName, type SourceName } from '@joinery/metadata/names';
import type { Source } from '@joinery/metadata/schema/sources';
import type { Session } from '../auth/session.ts';
import { ServiceError } from '../base/errors.ts';
import { RawJson } from '../base/json-value.ts';
import { planTriggers } from '../events/cron/plan.ts';
import type { Model } from '../model/model.ts';
import type { Database } from '../postgres/client/pool.ts';
import { fromPostgres, isPostgresError } from '../postgres/sql/errors.ts';
import { audited } from './audit/audited-command.ts';
import { findCommand } from './commands/bulk.ts';
import { planDue, sameTriggers } from './commands/events/cron-plans.ts';
import { readRequest, readResourceVersion } from './commands/request.ts';
import { type AppliedTriggers, applyTriggerChanges } from './event-triggers/apply.ts';
import { createTriggerReconciler } from './event-triggers/reconciler.ts';
import { importRows, type RowImport } from './import/import-rows.ts';
import type {
  CommandApi,
  CommandContext,
  CommandRequest,
  Outcome,
  Progress,
  ServiceCommand,
  Tools,
} from './metadata/command-context.ts';
import { createRemoteRefresh } from './metadata/remote-refresh.ts';
import { createSnapshots, type Enqueue, type Snapshot } from './metadata/snapshot.ts';
import { type ExternalState, makeState, type State, sameMetadata, withCaptureFailures } from './metadata/state.ts';
import type { Mark } from './metadata/store.ts';
import { createMetadataSync, type MetadataSync } from './metadata/sync.ts';
import { createUnitOfWork, type UnitOfWork } from './metadata/unit-of-work.ts';
import { hasReplicas } from './sources/pools.ts';
import type { Positions, ReadConsistency } from './sources/read-consistency.ts';

export type { CommandApi } from './metadata/command-context.ts';

/** The request that a command came with. */
export interface CommandOrigin extends Partial<Pick<CommandContext, 'signal' | 'span' | 'address' | 'requestId'>> {
  /** Undefined for commands of the service itself, which are not audited. */
  readonly author?: string;
}

export interface Service {
  /** Loads and resolves the metadata, and starts to follow changes of other nodes. */
  start(): Promise<void>;
  /** Completes the changes under way and closes the databases of sources other than `default`. */
  stop(): Promise<void>;
  /** The current model. Requests under way keep theirs when it is replaced. */
  model(): Model;
  /** The current metadata. */
  metadata(): Metadata;
  /** The catalogs of the sources. */
  catalogs(): ExternalState['catalogs'];
  /** The database of a source, for reading and writing. */
  database(source: SourceName): Database;
  /** The same for reading: replicas, where the source has any. */
  reading(source: SourceName, consistency?: ReadConsistency): Database;
  /** Returns the known positions with those of all sources with replicas, behind all transactions committed before the call. */
  positionsAfter(known: Positions): Promise<string>;
  /** Runs `{ type, args }` and resolves to its result. Rejects with a ServiceError, and changes nothing then. */
  command(body: unknown, session: Session, api: CommandApi, origin?: CommandOrigin): Promise<unknown>;
  /**
   * Runs a command that edits the metadata, and undoes it. Resolves to the states before and after it. Rejects as `command`
   * does.
   */
  preview(body: unknown, session: Session): Promise<MetadataPreview>;
  /** Inserts rows in one transaction. Rejects with a ServiceError, and inserts none then. */
  importRows(work: RowImport, session: Session, origin: CommandOrigin): Promise<unknown>;
  /** Plans the next events of cron triggers. Called at intervals on nodes that deliver events. */
  planCronTriggers(): Promise<void>;
  /** Introspects a remote schema again that rejected a valid request, unless that was done a moment ago. */
  suspectRemoteSchema(remote: RemoteSchemaName): void;
  /** Called with each notification on `metadataChannel`. */
  notified(payload: string): void;
  /** Called when notifications may have been missed. */
  notificationsMissed(): void;
}

export interface MetadataPreview {
  readonly before: State;
  readonly after: State;
}

/** Attempts of a change that others overtake. */
const MAX_ATTEMPTS = 5;
const DEFAULT_POLL_MS = 3000;

export function createService(tools: Tools): Service {
  let queue: Promise<unknown> = Promise.resolve();
  const enqueue: Enqueue = (work) => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
  const snapshots = createSnapshots(tools, enqueue);
  const remoteRefresh = createRemoteRefresh({
    refresh: snapshots.refresh,
    observe: tools.observe,
    intervalMs: tools.remoteRefreshMs ?? 0,
  });
  const reconciler = createTriggerReconciler({
    tools,
    current: snapshots.current,
    refresh: snapshots.readSource,
    report: snapshots.reportCaptures,
  });
  let sync: MetadataSync | undefined;
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
    const { author, ...where } = origin;
    const caller = { ...where, api, session };
    const work = (): Promise<unknown> =>
      found.changes(request.args)
        ? enqueue(() => change(request, found, caller, expected))
        : read(request, found, caller);
    return author === undefined ? work() : audited(tools, { ...where, author }, request, work);
  }

  /** Runs a command that does not change the metadata. */
  async function read(request: CommandRequest, found: ServiceCommand, caller: Caller): Promise<unknown> {
    if (found.showsMetadata?.(request.args) === true) await loadReplaced();
    return run(request, found, caller, snapshots.current(), async (_outcome, unit) => {
      await unit.commit(tools.store.database);
      return [];
    });
  }

  /** Loads the metadata where another node has replaced it. Rejects with `busy` where the database cannot be reached. */
  async function loadReplaced(): Promise<void> {
    const { touched } = await tools.store.mark();
    const isCurrent = (): boolean => snapshots.current().mark.touched === touched;
    // A change of this node may have been stored and not installed yet.
    if (!isCurrent()) await enqueue(async () => (isCurrent() ? undefined : snapshots.loadReplaced()));
  }

  async function preview(body: unknown, session: Session): Promise<MetadataPreview> {
    const request = readRequest(body);
    const found = findCommand(request.type, 'metadata');
    return enqueue(async () => {
      const base = snapshots.current();
      let after = base.state;
      await run(request, found, { api: 'metadata', session }, base, async ({ progress }, unit) => {
        await unit.rollback();
        after = progress.state;
        return [];
      });
      return { before: base.state, after };
    });
  }

  async function importInto(work: RowImport, session: Session, { author, ...where }: CommandOrigin): Promise<unknown> {
    const request = { type: 'import_rows', args: work.args, version: 1 } as const;
    const found: ServiceCommand = {
      apis: new Set(),
      changes: () => false,
      run: (_request, progress, context) => importRows(work, progress, context),
    };
    const caller = { ...where, api: 'query', session } as const;
    const inserted = (): Promise<unknown> =>
      run(request, found, caller, snapshots.current(), async (_outcome, unit) => {
        await unit.commit(tools.store.database);
        return [];
      });
    return author === undefined ? inserted() : audited(tools, { ...where, author }, request, inserted);
  }

  /** Runs a command that may change something, again when another node has changed the metadata that it was applied to. */
  async function change(
    request: CommandRequest,
    found: ServiceCommand,
    caller: Caller,
    expected: number | undefined,
  ): Promise<unknown> {
    if (expected !== undefined && expected !== snapshots.current().state.version) await snapshots.loadReplaced();
    for (let attempts = 1; ; attempts += 1) {
      const base = snapshots.current();
      if (expected !== undefined && expected !== base.state.version) throw conflict(expected, base.state.version);
      const started = performance.now();
      try {
        return await run(request, found, caller, base, async ({ progress }, unit) => {
          const { mark, applied } = await store(base, progress, unit);
          if (mark === undefined) return applied.warnings;
          const state = await withCaptureFailures(progress.state, applied.failures, tools);
          snapshots.replace({ state: await atVersion(mark.version, state), mark }, started);
          reconciler.check();
          announcing = tools.store.announce({ ...mark, world: progress.externalChanged });
          return applied.warnings;
        });
      } catch (error) {
        // A source may have been committed before the error.
        reconciler.check();
        if (!(error instanceof Overtaken) && !(await isOutdated(error, base))) throw error;
        if (attempts >= MAX_ATTEMPTS) throw error instanceof Overtaken ? tooBusy(error) : error;
        await snapshots.loadReplaced();
      }
    }
  }

  /** Resolves to the result of the command after `complete`, with the warnings that it returns. */
  async function run(
    request: CommandRequest,
    found: ServiceCommand,
    caller: Caller,
    base: Snapshot,
    complete: (outcome: Outcome, unit: UnitOfWork) => Promise<readonly CommandWarning[]>,
  ): Promise<unknown> {
    // Commands of admins get a connection even while requests of the role admin use all of its share.
    const role = caller.session.role === ADMIN_ROLE ? undefined : caller.session.role;
    const unit = createUnitOfWork({ dispose: found.foreignSql?.(request.args) ?? false, role });
    const progress: Progress = { state: base.state, fresh: new Set(), externalChanged: false };
    try {
      const outcome = await found.run(request, progress, contextOf(unit, caller, base));
      return withWarnings(outcome.result, await complete(outcome, unit));
    } catch (error) {
      await unit.rollback();
      throw isPostgresError(error) ? fromPostgres(error) : error;
    }
  }

  /** Commits the unit and stores the change. Returns no mark where nothing changed. Throws Overtaken. */
  async function store(base: Snapshot, progress: Progress, unit: UnitOfWork): Promise<Stored> {
    const { database, swap, touch } = tools.store;
    const { observe, sources } = tools;
    const options = { store: database, sources, lock: () => lockMetadata(base, unit), observe, final: true };
    const applied = await applyTriggerChanges(base.state, progress.state, unit, options);
    const metadataChanged = !(await sameMetadata(base.state.metadata, progress.state.metadata));
    if (!metadataChanged && !progress.externalChanged) {
      // SQL does not run again only because the metadata has changed, which it leaves as it is.
      if (!unit.isOpen() && (await isReplaced(base))) throw new Overtaken();
      await unit.commit(database);
      return { mark: undefined, applied };
    }
    const { metadata } = progress.state;
    const plans = !sameTriggers(base.state.metadata, metadata);
    const query = unit.isOpen() || plans ? await unit.query(database) : database.query;
    const mark = await (metadataChanged ? swap(query, base.mark, metadata) : touch(query, base.mark));
    if (mark === undefined) throw new Overtaken();
    if (plans) await planTriggers(query, metadata.cron_triggers ?? []);
    await unit.commit(database);
    return { mark, applied };
  }

  /** Whether a command was rejected because of metadata that another node has replaced. Errors of the database are not. */
  async function isOutdated(error: unknown, base: Snapshot): Promise<boolean> {
    if (!(error instanceof ServiceError) || error.status >= 500 || error.code === 'conflict') return false;
    return !isPostgresError(error.cause) && isReplaced(base);
  }

  /** Whether another node has changed the metadata since this node loaded it. False if the database is unreachable. */
  async function isReplaced(base: Snapshot): Promise<boolean> {
    const mark = await tools.store.mark().catch(() => undefined);
    return mark !== undefined && mark.touched !== base.mark.touched;
  }

  /** A change that ends with the same metadata keeps the version. */
  async function atVersion(version: number, state: State): Promise<State> {
    return state.version === version ? state : makeState(version, state.metadata, state.external, tools);
  }

  function sourceNamed(name: SourceName): Source {
    const source = snapshots.current().state.metadata.sources.find((one) => one.name === name);
    if (source === undefined) throw new ServiceError('not-exists', `source with name "${name}" does not exist`);
    return source;
  }

  function reading(name: SourceName, consistency: ReadConsistency): Database {
    const source = sourceNamed(name);
    if (consistency === undefined) return tools.sources.reading(source);
    const names = snapshots.current().state.metadata.sources.map((one) => one.name);
    const wanted = consistency === 'primary' ? consistency : consistency.wanted(name, names);
    if (wanted === 'primary') return tools.sources.writing(source);
    return wanted === undefined ? tools.sources.reading(source) : tools.sources.readingSince(source, wanted);
  }

  async function positionsAfter(known: Positions): Promise<string> {
    const sources = snapshots.current().state.metadata.sources.filter(hasReplicas);
    const read = sources.map(async (source) => [source.name, await tools.sources.position(source)] as const);
    return known.print(new Map(await Promise.all(read)));
  }

  async function lockMetadata(base: Snapshot, unit: UnitOfWork): Promise<void> {
    const mark = await tools.store.lock(await unit.query(tools.store.database));
    if (mark.touched !== base.mark.touched) throw new Overtaken();
  }

  function contextOf(unit: UnitOfWork, { requestId = '', ...caller }: Caller, base: Snapshot): CommandContext {
    return {
      tools,
      unit,
      ...caller,
      requestId,
      mark: base.mark,
      nextVersion: base.state.version + 1,
      alone: true,
      lock: () => lockMetadata(base, unit),
    };
  }

  return {
    start: async () => {
      await snapshots.reload(true);
      sync = createMetadataSync({
        mark: tools.store.mark,
        covers: snapshots.covers,
        isOwn: snapshots.isOwn,
        enqueue,
        reload: async (all) => {
          await snapshots.reload(all);
          reconciler.check();
        },
        retryFailed: snapshots.retryFailed,
        observe: tools.observe,
        pollMs: tools.pollMs ?? DEFAULT_POLL_MS,
      });
      remoteRefresh.start();
      reconciler.start();
    },
    stop: async () => {
      remoteRefresh.stop();
      await sync?.stop();
      await reconciler.stop();
      await queue;
      await announcing;
      await snapshots.stop();
      await tools.sources.close();
    },
    model: () => snapshots.current().state.model,
    metadata: () => snapshots.current().state.metadata,
    catalogs: () => snapshots.current().state.external.catalogs,
    database: (name) => tools.sources.writing(sourceNamed(name)),
    reading,
    positionsAfter,
    command,
    preview,
    importRows: importInto,
    planCronTriggers: () => planDue(tools.store, snapshots.current().mark, snapshots.current().state.metadata),
    suspectRemoteSchema: remoteRefresh.suspect,
    notified: (payload) => sync?.notified(payload),
    notificationsMissed: () => sync?.notificationsMissed(),
  };
}

/** Adds warnings to the result of a command; not to those of a bulk, which are a list. They are logged, too. */
function withWarnings(result: unknown, warnings: readonly CommandWarning[]): unknown {
  const isPlain =
    typeof result === 'object' && result !== null && !Array.isArray(result) && !(result instanceof RawJson);
  if (warnings.length === 0 || !isPlain) return result;
  const known: readonly unknown[] = 'warnings' in result && Array.isArray(result.warnings) ? result.warnings : [];
  return { ...result, warnings: [...known, ...warnings] };
}

interface Stored {
  readonly mark: Mark | undefined;
  readonly applied: AppliedTriggers;
}

/** The origin, endpoint and session of a command. */
interface Caller extends CommandOrigin {
  readonly api: CommandApi;
  readonly session: Session;
}

/** Whether every role may run the command. False for an invalid one: its errors are shown to admins only. */
function isForEveryRole(body: unknown, api: CommandApi): boolean {
  try {
    const { type, args } = readRequest(body);
    return findCommand(type, api).forEveryRole?.(args) ?? false;
  } catch {
    return false;
  }
}

/** Another node changed the metadata during a change, which starts again. Not shown to callers. */
class Overtaken extends Error {}

function tooBusy(cause: Overtaken): ServiceError {
  const message = 'others changed the metadata during each attempt; try again';
  return new ServiceError('conflict', message, { cause });
}

function conflict(expected: number, found: number): ServiceError {
  const message = `metadata resource version referenced (${expected}) did not match current version (${found}); export the metadata again and redo the change on it`;
  return new ServiceError('conflict', message);
}
