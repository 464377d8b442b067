/** The plan of one operation: plain data, without behavior or I/O. Types only. */
import type { ActionResultPlan, CallPlan } from './action.ts';
import type { EntitiesPlan } from './entities.ts';
import type { MutationPlan } from './mutation.ts';
import type { AggregatePlan, ConnectionPlan, JoinPlan, RowsPlan, StreamPlan } from './query.ts';
import type { RemoteFieldPlan } from './remote.ts';

export interface OperationPlan {
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Undefined for an anonymous operation. */
  readonly name: string | undefined;
  /** In the order of the response. */
  readonly roots: readonly RootPlan[];
  /** A list of the database with more rows is an error. Undefined: no limit. Never set in a mutation. */
  readonly maxRows?: number | undefined;
}

export type RootPlan = RootFieldPlan & {
  /** Response key of the namespace that contains the root. The roots of one namespace are adjacent. */
  readonly namespace?: string;
};

type RootFieldPlan =
  | { readonly kind: 'rows'; readonly alias: string; readonly rows: RowsPlan; readonly shape: 'list' | 'single' }
  | { readonly kind: 'aggregate'; readonly alias: string; readonly aggregate: AggregatePlan }
  | { readonly kind: 'connection'; readonly alias: string; readonly connection: ConnectionPlan }
  /** Only in subscriptions. */
  | { readonly kind: 'stream'; readonly alias: string; readonly stream: StreamPlan }
  | { readonly kind: 'mutation'; readonly alias: string; readonly mutation: MutationPlan }
  | { readonly kind: 'action'; readonly alias: string; readonly call: CallPlan }
  /** An asynchronous action: the result is its id, and the handler is called later. */
  | { readonly kind: 'submit'; readonly alias: string; readonly call: CallPlan }
  | { readonly kind: 'actionResult'; readonly alias: string; readonly result: ActionResultPlan }
  | { readonly kind: 'remote'; readonly alias: string; readonly forward: RemoteFieldPlan<JoinPlan> }
  | { readonly kind: 'entities'; readonly alias: string; readonly entities: EntitiesPlan }
  /** An empty namespace object or `__typename`, `__schema`, `__type`: known at planning time. */
  | { readonly kind: 'constant'; readonly alias: string; readonly value: unknown };
