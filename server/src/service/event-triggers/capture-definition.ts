/** What capture needs of a resolved event trigger. */
import { createHash } from 'node:crypto';
import { printJson } from '../../base/json-value.ts';
import { type CapturedTable, captureLevel } from '../../events/capture/captured-table.ts';
import {
  type CapturedOperation,
  type CaptureTrigger,
  capturedOperations,
  type OperationCapture,
} from '../../events/capture/captured-trigger.ts';
import { columnsOfCondition } from '../../model/event-triggers/condition.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Column } from '../../model/types/table.ts';
import { compile, type Sql, withConstants } from '../../postgres/sql/sql.ts';
import { eventCondition } from '../../print/predicate.ts';
import { startPrinting } from '../../print/printing.ts';

/** Returns the definition of the capture functions of the trigger, on the table as it is at present. */
export function captureDefinition(trigger: EventTrigger, number: number, table: CapturedTable): CaptureTrigger {
  const columns = namedColumns(trigger);
  const names = new Set(columns.map(({ name }) => name));
  return {
    number,
    table: { schema: trigger.table.schema, name: trigger.table.name },
    operations: operationsOf(trigger),
    columns: table.columns.filter(({ name }) => names.has(name)),
    layout: table.layout,
    orderingKey: orderingKeyOf(trigger)?.map(({ name }) => name),
    debounced: trigger.debounce !== undefined,
    level: captureLevel(table, trigger.onReplication),
    replication: trigger.onReplication,
  };
}

/** Changes with the SQL that capture prints, so that a release prints the functions of all triggers again. */
const CAPTURE_VERSION = 2;

/** Returns a hash of all that the capture functions depend on, so that triggers with equal hashes need no change. */
export function captureHash(trigger: EventTrigger): string {
  const { table, tableKind, onReplication, debounce } = trigger;
  const operations = capturedOperations.map((name) => {
    const operation = trigger.operations.get(name);
    return operation && [namesOf(operation.listened), namesOf(operation.payload)];
  });
  const isNamedWhole = [...trigger.operations.values()].some(({ listened, payload }) =>
    [listened, payload].includes('all'),
  );
  const parts = [
    CAPTURE_VERSION,
    [table.schema, table.name, tableKind, onReplication],
    operations,
    orderingKeyOf(trigger)?.map(({ name }) => name),
    debounce !== undefined,
    conditionText(trigger),
    (isNamedWhole ? [...table.columns.values()] : namedColumns(trigger)).map(({ name, type }) => [name, type.sqlName]),
  ];
  return createHash('sha256').update(printJson(parts)).digest('hex');
}

/** The events of a debounced key are delivered one after the other. */
export function orderingKeyOf({ orderingKey, debounce }: EventTrigger): readonly Column[] | undefined {
  return debounce?.key ?? orderingKey;
}

function operationsOf(trigger: EventTrigger): CaptureTrigger['operations'] {
  const when = conditionOf(trigger);
  const operations: Partial<Record<CapturedOperation, OperationCapture>> = {};
  for (const [name, { listened, payload }] of trigger.operations) {
    operations[name] = {
      payload: namesOf(payload),
      ...(name === 'update' && { listened: namesOf(listened) }),
      when,
    };
  }
  return operations;
}

function namesOf(columns: readonly Column[] | 'all'): '*' | readonly string[] {
  return columns === 'all' ? '*' : columns.map(({ name }) => name);
}

function conditionOf({ condition }: EventTrigger): Sql | undefined {
  if (condition === undefined) return undefined;
  const printing = startPrinting({ stringifyNumerics: false });
  return withConstants(eventCondition(condition, { old: 'o', new: 'n' }, printing));
}

function conditionText(trigger: EventTrigger): string | undefined {
  const condition = conditionOf(trigger);
  return condition && compile(condition).text;
}

/** Returns the columns that the capture functions name, in the order of their names. */
function namedColumns({ operations, orderingKey = [], debounce, condition }: EventTrigger): readonly Column[] {
  const listed = [...operations.values()].flatMap(({ listened, payload }) => [listened, payload]);
  const columns = [
    ...listed.flatMap((list) => (list === 'all' ? [] : list)),
    ...orderingKey,
    ...(debounce?.key ?? []),
    ...(condition === undefined ? [] : columnsOfCondition(condition)),
  ];
  return [...new Set(columns)].sort((one, other) => (one.name < other.name ? -1 : 1));
}
