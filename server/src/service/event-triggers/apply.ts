/** Changes the triggers of sources with a change of the metadata. */
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../base/errors.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import { migrateSource } from '../../postgres/migrations/sources.ts';
import type { State } from '../metadata/state.ts';
import type { UnitOfWork } from '../metadata/unit-of-work.ts';
import type { SourceDatabases } from '../sources/pools.ts';
import { captureHash } from './capture-definition.ts';
import { hasTriggerTables, reconcileTriggers, type WantedTriggers } from './reconcile.ts';

type Stated = Pick<State, 'metadata' | 'model'>;

const none: WantedTriggers = { triggers: new Map(), inconsistent: new Set() };

/**
 * Makes the triggers in the databases of all sources with changed triggers those of `after`, in the transactions of `unit`.
 * Installs the tables before, where a source has its first trigger. Does nothing for sources whose database cannot be read.
 */
export async function applyTriggerChanges(
  before: Stated,
  after: Stated,
  unit: UnitOfWork,
  sources: Pick<SourceDatabases, 'of'>,
): Promise<void> {
  for (const source of sourcesOf(before.metadata, after.metadata)) {
    const [former, wanted] = [wantedTriggers(before, source.name), wantedTriggers(after, source.name)];
    if (former === undefined && wanted === undefined) continue;
    if (wanted === undefined || isSame(former ?? none, wanted)) continue;
    const database = sources.of(source);
    if (wanted.triggers.size > 0) await migrateSource(database);
    const query = await unit.query(database).catch((error: unknown) => {
      // A source whose database is lost can be dropped.
      if (wanted === none && error instanceof ServiceError && error.code === 'busy') return undefined;
      throw error;
    });
    if (query !== undefined && (await hasTriggerTables(query))) await reconcileTriggers(query, wanted);
  }
}

/** Returns the sources of both, those of `after` first. */
function sourcesOf(before: Metadata, after: Metadata): readonly Source[] {
  const names = new Set(after.sources.map(({ name }) => name));
  return [...after.sources, ...before.sources.filter(({ name }) => !names.has(name))].filter(isSupportedSource);
}

/** Returns the triggers of a source; none of a source that the metadata does not have; undefined if it is inconsistent. */
function wantedTriggers({ metadata, model }: Stated, name: SourceName): WantedTriggers | undefined {
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
