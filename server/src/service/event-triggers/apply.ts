/** Changes the triggers of sources with a change of the metadata. */

import { isDeepStrictEqual } from 'node:util';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../base/errors.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { migrateSource } from '../../postgres/migrations/sources.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { CaptureFailures } from '../metadata/capture-inconsistencies.ts';
import type { State } from '../metadata/state.ts';
import type { UnitOfWork } from '../metadata/unit-of-work.ts';
import type { SourceDatabases } from '../sources/pools.ts';
import { captureHash } from './capture-definition.ts';
import { triggerOwner } from './owner.ts';
import {
  hasTriggerTables,
  reconcileTriggers,
  removeTriggerTables,
  renameOwner,
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
  /** Whether this is the end of the change, so that tables without triggers are removed. */
  readonly final?: boolean;
}

/**
 * Makes the triggers in the databases of all sources with changed triggers those of `after`, in the transactions of `unit`.
 * Installs the tables before, where a source has its first trigger, and removes them with the last one. Does nothing for sources whose
 * database cannot be read, and for triggers that could not be created already. Returns the failures after the change.
 */
export async function applyTriggerChanges(
  before: Stated,
  after: Stated,
  unit: UnitOfWork,
  options: ApplyOptions,
): Promise<CaptureFailures> {
  const { store, sources, tolerant = false, final = false } = options;
  const all = new Map(after.external.captureFailures);
  const emptied: Query[] = [];
  const open: OpenDatabases = new Map();
  const changed = sourcesOf(before.metadata, after.metadata).flatMap((source) => changeOf(source, before, after));
  if (changed.length > 0) await options.lock();
  for (const { source, wanted } of changed) {
    const database = sources.of(source);
    const owner = await triggerOwner(store, source.name);
    const except = failedBefore(source.name, before, after);
    const known = [...(after.external.captureFailures?.get(source.name) ?? [])].filter(([name]) => except.has(name));
    try {
      if (wanted.triggers.size > 0) await migrateSource(database);
      const query = await transactionOf(database, unit, open, changed.length > 1);
      if (!(await hasTriggerTables(query))) continue;
      const former = renamedFrom(source, before.metadata, after.metadata);
      if (former !== undefined) await renameOwner(query, await triggerOwner(store, former), owner);
      const failures = await reconcileTriggers(query, { owner, wanted, tolerant, except });
      all.set(source.name, new Map([...known, ...failures]));
      if (wanted.triggers.size === 0 && wanted.inconsistent.size === 0) emptied.push(query);
    } catch (error) {
      // A source whose database is lost can be dropped.
      if (wanted === none && error instanceof ServiceError && error.code === 'busy') continue;
      if (!(error instanceof ServiceError) || error.code !== 'invalid-configuration') throw error;
      const isKnown = [...wanted.triggers.keys()].every((name) => except.has(name));
      if (!tolerant && !isKnown) throw error;
      all.set(
        source.name,
        isKnown ? new Map(known) : new Map([...wanted.triggers.keys()].map((name) => [name, error])),
      );
    }
  }
  if (final) for (const query of new Set(emptied)) await removeTriggerTables(query);
  return all;
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
  { store, sources, lock }: ApplyOptions,
): Promise<CaptureFailures> {
  const all = new Map(state.external.captureFailures);
  const open: OpenDatabases = new Map();
  for (const source of state.metadata.sources.filter(isSupportedSource)) {
    const wanted = wantedTriggers(state, source.name);
    if (!names.has(source.name) || wanted === undefined) continue;
    const database = sources.of(source);
    if (wanted.triggers.size === 0 && !(await hasTriggerTables(database.query))) continue;
    await lock();
    const owner = await triggerOwner(store, source.name);
    try {
      if (wanted.triggers.size > 0) await migrateSource(database);
      const query = await transactionOf(database, unit, open, true);
      const options = { owner, wanted, tolerant: true, recreate: recreate.has(source.name) };
      all.set(source.name, await reconcileTriggers(query, options));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid-configuration') throw error;
      all.set(source.name, new Map([...wanted.triggers.keys()].map((name) => [name, error])));
    }
  }
  return all;
}

function changeOf(source: Source, before: Stated, after: Stated): { source: Source; wanted: WantedTriggers }[] {
  const [former, wanted] = [wantedTriggers(before, source.name), wantedTriggers(after, source.name)];
  if (wanted === undefined || isSame(former ?? none, wanted)) return [];
  return [{ source, wanted }];
}

/** Returns the names of the triggers that could not be created, earlier in this change or before it with the same definition. */
function failedBefore(name: SourceName, before: Stated, after: Stated): ReadonlySet<string> {
  const known = before.external.captureFailures?.get(name);
  const [former, wanted] = [before, after].map(({ model }) => model.sources.get(name)?.eventTriggers);
  const isUnchanged = (trigger: string): boolean => {
    const [one, other] = [former?.get(trigger), wanted?.get(trigger)];
    return one !== undefined && other !== undefined && signature(one) === signature(other);
  };
  const failures = after.external.captureFailures?.get(name) ?? new Map<string, ServiceError>();
  const failed = [...failures].filter(([trigger, error]) => known?.get(trigger) !== error || isUnchanged(trigger));
  return new Set(failed.map(([trigger]) => trigger));
}

/** Returns the former name of a source that has a new name and the same configuration. */
function renamedFrom({ name, configuration }: Source, before: Metadata, after: Metadata): SourceName | undefined {
  if (before.sources.some((one) => one.name === name)) return undefined;
  const kept = new Set(after.sources.map((one) => one.name));
  return before.sources.find((one) => !kept.has(one.name) && isDeepStrictEqual(one.configuration, configuration))?.name;
}

/** The transactions by the database that they are on: sources may share one. */
type OpenDatabases = Map<string, Query>;

const identity = fixedStatement([], ['id'], () => {
  return sql`select concat_ws('/', pg_postmaster_start_time(), d.oid) as id
    from pg_catalog.pg_database d where d.datname = current_database()`;
});

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
  const id = (await identity.row(query, {}))?.id ?? '';
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
