/** Resolved event triggers. Types only. */
import type { EventTriggerRetryConf, OperationName } from '@joinery/metadata/event-triggers/schema';
import type { SourceName } from '@joinery/metadata/names';
import type { EventDelivery } from '@joinery/metadata/schema/events/delivery';
import type { Header } from '@joinery/metadata/schema/headers';
import type { RequestTransform, ResponseTransform } from '../../base/templates/transform.ts';
import type { ParsedTarget } from '../../events/targets/target.ts';
import type { RelationKind } from '../../postgres/catalog/catalog-types.ts';
import type { Column, Comparison, Predicate, Table } from './table.ts';

export interface EventTrigger {
  /** Unique within the source. */
  readonly name: string;
  readonly source: SourceName;
  readonly table: Table;
  /** A view has manual events only. */
  readonly tableKind: RelationKind;
  /** The operations that cause events; empty for a trigger with manual events only. */
  readonly operations: ReadonlyMap<OperationName, TriggerOperation>;
  /** Whether events can be created manually. */
  readonly isManual: boolean;
  /** Undefined: every change causes an event. */
  readonly condition: EventCondition | undefined;
  /** The comparisons of the condition with operands, with their paths in the trigger, which is `$`. */
  readonly comparisons: readonly LocatedComparison[] | undefined;
  /** Events of rows with equal values are delivered one after the other; undefined: in any order. */
  readonly orderingKey: readonly Column[] | undefined;
  readonly batch: { readonly maxEvents: number; readonly maxWaitMs: number } | undefined;
  readonly debounce: { readonly key: readonly Column[]; readonly windowMs: number } | undefined;
  /** Whether changes that logical replication applies cause events. */
  readonly onReplication: boolean;
  /** Whether events are stored and not delivered. */
  readonly isPaused: boolean;
  readonly webhook: TriggerWebhook;
  readonly cleanup: TriggerCleanup | undefined;
}

export interface TriggerOperation {
  /** Of an update: an event requires that one of them is distinct. `all`: also columns that are added later. */
  readonly listened: readonly Column[] | 'all';
  /** The columns that are delivered. */
  readonly payload: readonly Column[] | 'all';
}

/** The calls of the webhook, with templates and variables unexpanded. */
export interface TriggerWebhook {
  /** What is called in place of a webhook. */
  readonly target: ParsedTarget | undefined;
  /** Of a target: its destination. */
  readonly url: { readonly template: string } | { readonly fromEnv: string };
  readonly headers: readonly Header[];
  /** With its defaults. */
  readonly retry: EventTriggerRetryConf & { readonly timeout_sec: number };
  readonly requestTransform: RequestTransform | undefined;
  readonly responseTransform: ResponseTransform | undefined;
  /** Undefined: signed as configured for the service. */
  readonly signing: NonNullable<EventDelivery['signing']> | undefined;
}

export interface TriggerCleanup {
  /** Five fields, in UTC. */
  readonly schedule: string;
  readonly olderThanHours: number;
  readonly includesInvocations: boolean;
  readonly isPaused: boolean;
}

/** A condition on the rows of a change. An insert has only `new`, a delete only `old`; neither names the other. */
export type EventCondition =
  /** Empty is true. */
  | { readonly kind: 'and'; readonly of: readonly EventCondition[] }
  /** Empty is false. */
  | { readonly kind: 'or'; readonly of: readonly EventCondition[] }
  | { readonly kind: 'not'; readonly of: EventCondition }
  /** `where` has comparisons with constants and columns only. Operands of `root` are columns of the other row. */
  | { readonly kind: 'row'; readonly row: ChangedRow; readonly where: Predicate };

export interface LocatedComparison {
  readonly path: string;
  readonly comparison: Comparison;
}

/** The row before or after the change. */
export type ChangedRow = 'old' | 'new';
