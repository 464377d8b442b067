/** Plans requests against a model. */
import type { RoleName } from '@joinery/metadata/names';
import { type ASTNode, print } from 'graphql';
import { ServiceError } from '../../../src/base/errors.ts';
import type { Model } from '../../../src/model/model.ts';
import { InvalidDocument } from '../../../src/plan/document/validation.ts';
import { planOperation, prepare } from '../../../src/plan/operation.ts';
import type { OperationPlan, RootPlan } from '../../../src/plan/plan/operation.ts';
import type { AggregatePlan, RowsPlan } from '../../../src/plan/plan/query.ts';
import type { ForwardedPlan } from '../../../src/plan/plan/remote.ts';
import { roleSchema } from '../../../src/schema/role-schema.ts';

/** The model and the role of a request. */
export interface ModelRole {
  readonly model: Model;
  readonly role: RoleName;
  /** Whether the request is for the schema for Relay. */
  readonly relay?: boolean;
}

export function planOf(
  { model, role, relay }: ModelRole,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): OperationPlan {
  return planOperation(prepare(roleSchema(model, role, false, relay), query, undefined), variables).plan;
}

/** Returns the plan of the first root field. Throws if it is of another kind. */
export function rootOf<Kind extends RootPlan['kind']>(
  modelRole: ModelRole,
  kind: Kind,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): Extract<RootPlan, { kind: Kind }> {
  const [root] = planOf(modelRole, query, variables).roots;
  if (root?.kind !== kind) throw new Error(`expected ${kind}, got ${root?.kind}`);
  return root as Extract<RootPlan, { kind: Kind }>;
}

/** A forwarded field as text. */
export interface PrintedForward {
  readonly arguments: readonly string[];
  readonly selection: string | undefined;
  readonly variables: readonly string[];
  /** `variable: type = name` of each session variable. */
  readonly session: readonly string[];
}

export function printForward(forwarded: ForwardedPlan<unknown>): PrintedForward {
  return {
    arguments: forwarded.arguments.map(onOneLine),
    selection: forwarded.selection && onOneLine(forwarded.selection),
    variables: forwarded.variables.map(onOneLine),
    session: forwarded.session.map(({ variable, name, type }) => `${variable}: ${type} = ${name}`),
  };
}

function onOneLine(node: ASTNode): string {
  return print(node).replaceAll(/\s+/g, ' ');
}

/** Returns the rows plan of the first root field. */
export function rowsOf(modelRole: ModelRole, query: string, variables?: Readonly<Record<string, unknown>>): RowsPlan {
  return rootOf(modelRole, 'rows', query, variables).rows;
}

/** Returns the aggregate plan of the first root field. */
export function aggregateOf(
  modelRole: ModelRole,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): AggregatePlan {
  return rootOf(modelRole, 'aggregate', query, variables).aggregate;
}

/** Returns the errors of a request as `path: message`. */
export function errorsOf(
  { model, role, relay }: ModelRole,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  operationName?: string,
): string[] {
  try {
    planOperation(prepare(roleSchema(model, role, false, relay), query, operationName), variables);
  } catch (error) {
    const errors = error instanceof InvalidDocument ? error.errors : [error];
    return errors.map((one) => {
      if (!(one instanceof ServiceError)) throw one;
      return `${one.path}: ${one.message}`;
    });
  }
  return [];
}
