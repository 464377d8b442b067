/** The stage of resolve for event triggers. */
import { hasRowEvents, rulesOf } from '@joinery/metadata/event-triggers/rules';
import {
  cleanupDefaults,
  type EventTrigger as EventTriggerEntry,
  type OperationName,
  operationNames,
} from '@joinery/metadata/event-triggers/schema';
import { ServiceError } from '../../base/errors.ts';
import { jsonPath } from '../../base/json-value.ts';
import type { Steps } from '../../base/steps.ts';
import type { Catalog, CatalogRelation } from '../../postgres/catalog/catalog-types.ts';
import { draftTables, keyOf, reportEventTrigger, type WrittenTable } from '../inconsistencies/metadata-entries.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type {
  ChangedRow,
  EventTrigger,
  LocatedComparison,
  TriggerCleanup,
  TriggerOperation,
} from '../types/event-trigger.ts';
import type { Column, Table } from '../types/table.ts';
import { parseCondition } from './condition.ts';
import { readWebhook, scheduleError } from './webhook.ts';

/** Fills `eventTriggers` of every source. */
export function* resolveEventTriggers(draft: Draft): Steps<void> {
  for (const { written, table } of draftTables(draft)) {
    for (const [index, entry] of (written.entry.event_triggers ?? []).entries()) {
      yield;
      const triggers = draft.sources.get(written.source)?.eventTriggers;
      try {
        const trigger = resolveTrigger(draft, written, table, entry);
        if (triggers?.has(entry.name)) throw invalid('already-exists', '$.name', taken);
        triggers?.set(entry.name, trigger);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        reportEventTrigger(draft, written, index, entry, error.code, error.message, error.path.slice(1));
      }
    }
  }
}

const taken = 'another event trigger of the source has this name; rename one of them';

/** An error in a trigger; `path` starts at the trigger, which is `$`. */
function invalid(code: ServiceError['code'], path: string, message: string): ServiceError {
  return new ServiceError(code, message, { path });
}

/** Throws the first error of the trigger, with a path in it. */
function resolveTrigger(
  draft: Draft,
  written: WrittenTable,
  table: DraftTable,
  entry: EventTriggerEntry,
): EventTrigger {
  const { environment, catalogs, sessionPrefix } = draft.input;
  const [violated] = rulesOf(entry);
  if (violated !== undefined) throw invalid('parse-failed', jsonPath(violated.path), violated.message);
  const relation = relationOf(catalogs.get(written.source), written);
  rejectUnfit(draft, written, entry, relation);
  const operations = operationsOf(entry, written, table);
  const { batch, debounce, ordering_key: key } = entry;
  const columns = (names: readonly string[], path: string) => columnsOf(names, path, written, table);
  return {
    name: entry.name,
    source: written.source,
    table,
    tableKind: relation.kind,
    operations,
    isManual: entry.definition.enable_manual === true,
    ...conditionOf(entry, table, operations, sessionPrefix),
    orderingKey: key ? columns(key, '$.ordering_key') : undefined,
    batch: batch ? { maxEvents: batch.max_events, maxWaitMs: batch.max_wait_ms ?? 0 } : undefined,
    debounce: debounce ? { key: columns(debounce.key, '$.debounce.key'), windowMs: debounce.window_ms } : undefined,
    onReplication: entry.trigger_on_replication === true,
    isPaused: entry.paused === true,
    webhook: readWebhook(entry, environment),
    cleanup: cleanupOf(entry),
  };
}

function relationOf(catalog: Catalog | ServiceError | undefined, { entry }: WrittenTable): CatalogRelation {
  const relation = catalog instanceof ServiceError ? undefined : catalog?.relations.get(keyOf(entry.table));
  if (relation === undefined) throw new TypeError(`the catalog has no table ${keyOf(entry.table)}`);
  return relation;
}

const rowKinds: ReadonlySet<CatalogRelation['kind']> = new Set(['table', 'partitioned table', 'foreign table']);

/** Throws for a relation or a database that cannot report changes of rows. */
function rejectUnfit(draft: Draft, written: WrittenTable, entry: EventTriggerEntry, { kind }: CatalogRelation): void {
  if (!hasRowEvents(entry)) return;
  if (!rowKinds.has(kind)) {
    const message = `a ${kind} has no events for changes of its rows; define the trigger on the tables that it reads, or with "enable_manual" only`;
    throw invalid('not-supported', '$.definition', message);
  }
  const source = draft.input.metadata.sources.find(({ name }) => name === written.source);
  if (source?.kind !== 'citus' && source?.kind !== 'cockroach') return;
  const message = `databases of kind "${source.kind}" do not support triggers as PostgreSQL does; define the trigger with "enable_manual" only`;
  throw invalid('not-supported', '$.definition', message);
}

function operationsOf(
  { definition }: EventTriggerEntry,
  written: WrittenTable,
  table: DraftTable,
): ReadonlyMap<OperationName, TriggerOperation> {
  const operations = new Map<OperationName, TriggerOperation>();
  for (const name of operationNames) {
    const operation = definition[name];
    if (!operation) continue;
    const read = (list: '*' | readonly string[], member: string): readonly Column[] | 'all' =>
      list === '*' ? 'all' : columnsOf(list, `$.definition.${name}.${member}`, written, table);
    operations.set(name, {
      listened: read(operation.columns, 'columns'),
      payload: read(operation.payload ?? '*', 'payload'),
    });
  }
  return operations;
}

/** The columns, each once. Throws for a name that is no column. */
function columnsOf(names: readonly string[], path: string, written: WrittenTable, table: Table): readonly Column[] {
  const columns = names.map((name, index) => {
    const column = table.columnsByName.get(name);
    if (column !== undefined) return column;
    const at = `${path}[${index}]`;
    const { object_relationships = [], array_relationships = [], remote_relationships = [] } = written.entry;
    const { computed_fields = [] } = written.entry;
    const others: readonly { readonly name: string }[] = [
      ...object_relationships,
      ...array_relationships,
      ...remote_relationships,
      ...computed_fields,
    ];
    throw others.some((one) => one.name === name)
      ? invalid('unexpected-payload', at, `"${name}" is no column, and an event has columns of the table only`)
      : invalid('not-exists', at, `column "${name}" does not exist`);
  });
  return [...new Set(columns)];
}

function conditionOf(
  { when }: EventTriggerEntry,
  table: Table,
  operations: ReadonlyMap<OperationName, unknown>,
  sessionPrefix: string,
): Pick<EventTrigger, 'condition' | 'comparisons'> {
  if (!when) return { condition: undefined, comparisons: undefined };
  const rows = new Set<ChangedRow>();
  if (!operations.has('insert')) rows.add('old');
  if (!operations.has('delete')) rows.add('new');
  try {
    const comparisons: LocatedComparison[] = [];
    const condition = parseCondition(when, table, rows, sessionPrefix, (comparison, path) => {
      comparisons.push({ path: `$.when${path.slice(1)}`, comparison });
    });
    return { condition, comparisons };
  } catch (error) {
    throw error instanceof ServiceError ? error.under('$.when') : error;
  }
}

function cleanupOf({ cleanup_config: config }: EventTriggerEntry): TriggerCleanup | undefined {
  if (!config) return undefined;
  const error = scheduleError(config.schedule);
  if (error !== undefined) throw invalid('parse-failed', '$.cleanup_config.schedule', error);
  return {
    schedule: config.schedule,
    olderThanHours: config.clear_older_than,
    includesInvocations: config.clean_invocation_logs ?? cleanupDefaults.clean_invocation_logs,
    isPaused: config.paused ?? cleanupDefaults.paused,
  };
}
