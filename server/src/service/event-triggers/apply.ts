/** Changes the triggers of sources with a change of the metadata. */

import { isDeepStrictEqual } from 'node:util';
import type { CommandWarning } from '@joinery/metadata/api/metadata';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../base/errors.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { migrateSource } from '../../postgres/migrations/sources.ts';
import type { CaptureFailures } from '../metadata/capture-inconsistencies.ts';
import type { State } from '../metadata/state.ts';
import type { UnitOfWork } from '../metadata/unit-of-work.ts';
import type { SourceDatabases } from '../sources/pools.ts';
import { captureHash } from './capture-definition.ts';
import { databaseIdentity, type Leaving, leaveDatabase, movedSources } from './left-databases.ts';
import { COMMAND_LOCK_MS, lockOwner, lockStored, withLockTimeout } from './locks.ts';
import { renameOwner, triggerOwner } from './owner.ts';
import {
  hasTriggerTables,
  prepareTriggers,
  type Reconciled,
  removeTriggerTables,
  type TriggerFailures,
  type WantedTriggers,
} from './reconcile.ts';

type Stated = Pick<State, 'metadata' | 'model' | 'external'>;

const none: WantedTriggers = { triggers: new Map(), inconsistent: new Set() };

export interface ApplyOptions {
  readonly store: Database;
  readonly sources: Pick<SourceDatabases, 'of'>;
  /** Locks the metadata, so that no reconciliation removes what is being created. */
  readonly lock: () => Promise<void>;
  /** Whether errors of PostgreSQL are returned as failures, rather than the first one thrown. */
  readonly tolerant?: boolean;
  /** Whether this is the end of the change, so that what is stored of removed triggers is removed. */
  readonly final?: boolean;
  readonly observe: Observe;
}

export interface AppliedTriggers {
  /** The failures after the change. */
  readonly failures: CaptureFailures;
  /** About events in the former databases of sources. */
  readonly warnings: readonly CommandWarning[];
}

/**
 * Makes the triggers in the databases of all sources with changed triggers those of `after`, in the transactions of `unit`.
 * Installs the tables before, where a source has its first trigger, and removes them with the last one. Does nothing for sources whose
 * database cannot be read, and for triggers that could not be created already.
 *
 * Locks are taken in one order: the metadata, the owners, the tables of users, the stored triggers.
 */
export async function applyTriggerChanges(
  before: Stated,
  after: Stated,
  unit: UnitOfWork,
  options: ApplyOptions,
): Promise<AppliedTriggers> {
  const { store, sources, tolerant = false, final = false } = options;
  const lockMs = COMMAND_LOCK_MS;
  const all = new Map(after.external.captureFailures);
  const open: OpenDatabases = new Map();
  const changed = sourcesOf(before.metadata, after.metadata).flatMap((source) => changeOf(source, before, after));
  const moved = final ? movedSources(before.metadata, after.metadata) : [];
  const isShared = changed.length + moved.length > 1;
  if (changed.length + moved.length > 0) await options.lock();

  /** Runs the work for the triggers of a source, and notes its error where it is that of the triggers. */
  async function failing<T>({ source, wanted }: SourceChange, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      // A source whose database is lost can be dropped.
      if (wanted === none && error instanceof ServiceError && error.code === 'busy') return undefined;
      if (!(error instanceof ServiceError) || error.code !== 'invalid-configuration') throw error;
      const known = knownFailures(source.name, before, after);
      const isKnown = [...wanted.triggers.keys()].every((name) => known.has(name));
      if (!tolerant && !isKnown) throw error;
      all.set(source.name, isKnown ? known : new Map([...wanted.triggers.keys()].map((name) => [name, error])));
      return undefined;
    }
  }

  async function prepare({ source, wanted }: SourceChange): Promise<PreparedChange | undefined> {
    const database = sources.of(source);
    const owner = await triggerOwner(store, source.name);
    const query = await transactionOf(database, unit, open, isShared);
    await lockOwner(query, owner, lockMs);
    if (wanted.triggers.size > 0) await migrateSource(database);
    if (!(await hasTriggerTables(query))) return undefined;
    const former = renamedFrom(source, before.metadata, after.metadata);
    if (former !== undefined) await takeOver(query, await triggerOwner(store, former), owner);
    const except = new Set(knownFailures(source.name, before, after).keys());
    const isEmptied = wanted.triggers.size === 0 && wanted.inconsistent.size === 0;
    return { query, isEmptied, change: await prepareTriggers(query, { owner, wanted, lockMs, tolerant, except }) };
  }

  const prepared: { readonly of: SourceChange; readonly change: PreparedChange }[] = [];
  for (const of of changed) {
    const change = await failing(of, () => prepare(of));
    if (change !== undefined) prepared.push({ of, change });
  }
  const leavings: Leaving[] = [];
  for (const move of moved) {
    const begin = (database: Database): Promise<Query> => transactionOf(database, unit, open, isShared);
    const leaving = await leaveDatabase(move, begin, options);
    if (leaving !== undefined) leavings.push(leaving);
  }
  const removals: (() => Promise<void>)[] = [];
  for (const { of, change } of prepared) {
    const reconciled = await failing(of, change.change);
    if (reconciled === undefined) continue;
    const { name } = of.source;
    all.set(name, new Map([...knownFailures(name, before, after), ...reconciled.failures]));
    removals.push(reconciled.removeStored);
  }
  if (!final) return { failures: all, warnings: [] };
  const warnings: CommandWarning[] = [];
  for (const { remove } of leavings) {
    const warning = await remove();
    if (warning !== undefined) warnings.push(warning);
  }
  for (const remove of removals) await remove();
  const emptied = prepared.flatMap(({ change }) => (change.isEmptied ? [change.query] : []));
  const left = leavings.flatMap(({ query }) => (query === undefined ? [] : [query]));
  for (const query of new Set([...emptied, ...left])) await removeTriggerTables(query);
  return { failures: all, warnings };
}

interface SourceChange {
  readonly source: Source;
  readonly wanted: WantedTriggers;
}

interface PreparedChange {
  readonly query: Query;
  /** Whether the source has no triggers any more. */
  readonly isEmptied: boolean;
  readonly change: () => Promise<Reconciled>;
}

async function takeOver(query: Query, from: string, to: string): Promise<void> {
  await lockOwner(query, from, COMMAND_LOCK_MS);
  await withLockTimeout(query, COMMAND_LOCK_MS, () => lockStored(query));
  await renameOwner(query, from, to);
}

/**
 * Makes the triggers in the databases of the sources those of the metadata. `recreate`: the sources whose functions are created again
 * also where nothing has changed. Returns the failures.
 */
export async function reconcileSources(
  state: Stated,
  names: ReadonlySet<SourceName>,
  recreate: ReadonlySet<SourceName>,
  unit: UnitOfWork,
  { store, sources, lock }: Omit<ApplyOptions, 'observe'>,
): Promise<CaptureFailures> {
  const all = new Map(state.external.captureFailures);
  const open: OpenDatabases = new Map();
  const changes: { readonly name: SourceName; readonly change: () => Promise<Reconciled> }[] = [];
  for (const source of state.metadata.sources.filter(isSupportedSource)) {
    const wanted = wantedTriggers(state, source.name);
    if (!names.has(source.name) || wanted === undefined) continue;
    const database = sources.of(source);
    if (wanted.triggers.size === 0 && !(await hasTriggerTables(database.query))) continue;
    await lock();
    const owner = await triggerOwner(store, source.name);
    try {
      const query = await transactionOf(database, unit, open, true);
      await lockOwner(query, owner, COMMAND_LOCK_MS);
      if (wanted.triggers.size > 0) await migrateSource(database);
      // Another node may have removed them before this one had the locks.
      else if (!(await hasTriggerTables(query))) continue;
      const options = { owner, wanted, lockMs: COMMAND_LOCK_MS, tolerant: true, recreate: recreate.has(source.name) };
      changes.push({ name: source.name, change: await prepareTriggers(query, options) });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid-configuration') throw error;
      all.set(source.name, new Map([...wanted.triggers.keys()].map((name) => [name, error])));
    }
  }
  const removals: (() => Promise<void>)[] = [];
  for (const { name, change } of changes) {
    const { failures, removeStored } = await change();
    all.set(name, failures);
    removals.push(removeStored);
  }
  for (const remove of removals) await remove();
  return all;
}

function changeOf(source: Source, before: Stated, after: Stated): SourceChange[] {
  const [former, wanted] = [wantedTriggers(before, source.name), wantedTriggers(after, source.name)];
  if (wanted === undefined || isSame(former ?? none, wanted)) return [];
  return [{ source, wanted }];
}

/** Returns the errors of triggers that could not be created, earlier in this change or before it with the same definition. */
function knownFailures(name: SourceName, before: Stated, after: Stated): TriggerFailures {
  const known = before.external.captureFailures?.get(name);
  const [former, wanted] = [before, after].map(({ model }) => model.sources.get(name)?.eventTriggers);
  const isUnchanged = (trigger: string): boolean => {
    const [one, other] = [former?.get(trigger), wanted?.get(trigger)];
    return one !== undefined && other !== undefined && signature(one) === signature(other);
  };
  const failures = after.external.captureFailures?.get(name) ?? new Map<string, ServiceError>();
  return new Map([...failures].filter(([trigger, error]) => known?.get(trigger) !== error || isUnchanged(trigger)));
}

/** Returns the former name of a source that has a new name and the same configuration. */
function renamedFrom({ name, configuration }: Source, before: Metadata, after: Metadata): SourceName | undefined {
  if (before.sources.some((one) => one.name === name)) return undefined;
  const kept = new Set(after.sources.map((one) => one.name));
  return before.sources.find((one) => !kept.has(one.name) && isDeepStrictEqual(one.configuration, configuration))?.name;
}

/** The transactions by the database that they are on: sources may share one. */
type OpenDatabases = Map<string, Query>;

/**
 * Returns the query function of the transaction on the database; of sources with one database that of the first, because two
 * transactions would wait for each other.
 */
async function transactionOf(
  database: Database,
  unit: UnitOfWork,
  open: OpenDatabases,
  isShared: boolean,
): Promise<Query> {
  const query = await unit.query(database);
  if (!isShared) return query;
  const id = await databaseIdentity(query);
  const known = open.get(id) ?? query;
  open.set(id, known);
  return known;
}

/** Returns the sources of both, those of `after` first. */
function sourcesOf(before: Metadata, after: Metadata): readonly Source[] {
  const names = new Set(after.sources.map(({ name }) => name));
  return [...after.sources, ...before.sources.filter(({ name }) => !names.has(name))].filter(isSupportedSource);
}

/** Returns the triggers of a source; none of a source that the metadata does not have; undefined if it is inconsistent. */
export function wantedTriggers(
  { metadata, model }: Pick<State, 'metadata' | 'model'>,
  name: SourceName,
): WantedTriggers | undefined {
  const written = metadata.sources.find((source) => source.name === name);
  if (written === undefined) return none;
  const triggers = model.sources.get(name)?.eventTriggers;
  if (triggers === undefined) return undefined;
  const names = written.tables.flatMap(({ event_triggers: list = [] }) => list.map((trigger) => trigger.name));
  return { triggers, inconsistent: new Set(names.filter((one) => !triggers.has(one))) };
}

/** Whether the database needs no change. */
function isSame(before: WantedTriggers, after: WantedTriggers): boolean {
  if (before === after || before.triggers === after.triggers) return true;
  if (before.triggers.size !== after.triggers.size || before.inconsistent.size !== after.inconsistent.size)
    return false;
  for (const name of before.inconsistent) if (!after.inconsistent.has(name)) return false;
  for (const [name, trigger] of after.triggers) {
    const former = before.triggers.get(name);
    if (former === undefined || signature(former) !== signature(trigger)) return false;
  }
  return true;
}

function signature(trigger: EventTrigger): string {
  return `${captureHash(trigger)} ${trigger.isPaused} ${trigger.debounce?.windowMs}`;
}
