/** Groups the roots of an operation that are executed by one statement or one request to a remote schema. */
import type { SourceName } from '@joinery/metadata/names';
import type { ActionResultPlan, CallPlan } from '../../plan/plan/action.ts';
import type { EntitiesPlan } from '../../plan/plan/entities.ts';
import type { OperationPlan, RootPlan } from '../../plan/plan/operation.ts';
import type { JoinPlan } from '../../plan/plan/query.ts';
import type { RemoteFieldPlan } from '../../plan/plan/remote.ts';
import { type DatabaseRoot, isDatabaseRoot, rowsOfRoot } from '../../print/roots.ts';
import type { ResponsePath } from '../response/field-errors.ts';
import { responsePathOf } from '../response/response.ts';

export type MutationRoot = Extract<RootPlan, { kind: 'mutation' }>;

/** `at` contains the positions of the group's values among the roots. */
export type RootGroup =
  | {
      readonly kind: 'database';
      readonly source: SourceName;
      readonly roots: DatabaseRoot[];
      readonly at: number[];
    }
  /** Run in order in one transaction. Functions that write are the roots `rows` and `aggregate`. */
  | {
      readonly kind: 'mutation';
      readonly source: SourceName;
      readonly roots: (DatabaseRoot | MutationRoot)[];
      readonly at: number[];
    }
  | { readonly kind: 'action'; readonly call: CallPlan; readonly path: ResponsePath; readonly at: readonly [number] }
  | { readonly kind: 'submit'; readonly call: CallPlan; readonly at: readonly [number] }
  | {
      readonly kind: 'actionResult';
      readonly result: ActionResultPlan;
      readonly path: ResponsePath;
      readonly at: readonly [number];
    }
  | {
      readonly kind: 'entities';
      readonly entities: EntitiesPlan;
      readonly path: ResponsePath;
      readonly at: readonly [number];
    }
  | { readonly kind: 'remote'; readonly fields: RemoteRoot[]; readonly at: number[] };

export interface RemoteRoot {
  /** The alias in the request to the remote schema, unique in the request. */
  readonly alias: string;
  /** The path in the response. */
  readonly path: ResponsePath;
  readonly plan: RemoteFieldPlan<JoinPlan>;
}

/**
 * Groups the roots of a query by source or remote schema. In a mutation, only adjacent roots form a group, so that
 * running the groups in order preserves the order of the roots. Constants and streams, which are polled, are in no
 * group.
 */
export function groupRoots({ kind, roots }: OperationPlan): readonly RootGroup[] {
  const groups: RootGroup[] = [];
  roots.forEach((root, index) => {
    const open = kind === 'query' ? groups : groups.slice(-1);
    if (!open.some((group) => joins(group, root, index))) groups.push(...startGroup(kind, root, index));
  });
  return groups;
}

function joins(group: RootGroup, root: RootPlan, index: number): boolean {
  if (group.kind === 'database' && isDatabaseRoot(root)) {
    if (group.source !== sourceOf(root)) return false;
    group.roots.push(root);
    group.at.push(index);
    return true;
  }
  if (group.kind === 'mutation' && (isDatabaseRoot(root) || root.kind === 'mutation')) {
    if (group.source !== sourceOf(root)) return false;
    group.roots.push(root);
    group.at.push(index);
    return true;
  }
  if (group.kind === 'remote' && root.kind === 'remote') {
    if (group.fields[0]?.plan.remote !== root.forward.remote) return false;
    group.fields.push(remoteRoot(root, group.fields));
    group.at.push(index);
    return true;
  }
  return false;
}

function startGroup(kind: OperationPlan['kind'], root: RootPlan, index: number): RootGroup[] {
  switch (root.kind) {
    case 'rows':
    case 'aggregate':
    case 'connection':
      if (kind !== 'mutation') return [{ kind: 'database', source: sourceOf(root), roots: [root], at: [index] }];
      return [{ kind: 'mutation', source: sourceOf(root), roots: [root], at: [index] }];
    case 'mutation':
      return [{ kind: 'mutation', source: sourceOf(root), roots: [root], at: [index] }];
    case 'action':
      return [{ kind: 'action', call: root.call, path: responsePathOf(root), at: [index] }];
    case 'submit':
      return [{ kind: 'submit', call: root.call, at: [index] }];
    case 'actionResult':
      return [{ kind: 'actionResult', result: root.result, path: responsePathOf(root), at: [index] }];
    case 'entities':
      return [{ kind: 'entities', entities: root.entities, path: responsePathOf(root), at: [index] }];
    case 'remote':
      return [{ kind: 'remote', fields: [remoteRoot(root, [])], at: [index] }];
    case 'constant':
    case 'stream':
      return [];
    default:
      return root satisfies never;
  }
}

/** Roots in different namespaces can have the same response key, so the alias is made unique. */
function remoteRoot(root: Extract<RootPlan, { kind: 'remote' }>, beside: readonly RemoteRoot[]): RemoteRoot {
  let { alias } = root;
  while (beside.some((one) => one.alias === alias)) alias += '_';
  return { alias, path: responsePathOf(root), plan: root.forward };
}

function sourceOf(root: DatabaseRoot | MutationRoot): SourceName {
  return root.kind === 'mutation' ? root.mutation.table.source : rowsOfRoot(root).table.source;
}
