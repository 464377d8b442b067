/** Plans requests against a model. */
import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../../src/base/errors.ts';
import type { Model } from '../../../src/model/model.ts';
import { InvalidDocument } from '../../../src/plan/document/validation.ts';
import { planOperation, prepare } from '../../../src/plan/operation.ts';
import type { OperationPlan } from '../../../src/plan/plan/operation.ts';
import type { AggregatePlan, RowsPlan } from '../../../src/plan/plan/query.ts';
import { roleSchema } from '../../../src/schema/role-schema.ts';

/** The model and the role of a request. */
export interface ModelRole {
  readonly model: Model;
  readonly role: RoleName;
}

export function planOf(
  { model, role }: ModelRole,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): OperationPlan {
  return planOperation(prepare(roleSchema(model, role), query, undefined), variables).plan;
}

/** Returns the rows plan of the first root field. */
export function rowsOf(modelRole: ModelRole, query: string, variables?: Readonly<Record<string, unknown>>): RowsPlan {
  const [root] = planOf(modelRole, query, variables).roots;
  if (root?.kind !== 'rows') throw new Error(`expected rows, got ${root?.kind}`);
  return root.rows;
}

/** Returns the aggregate plan of the first root field. */
export function aggregateOf(
  modelRole: ModelRole,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): AggregatePlan {
  const [root] = planOf(modelRole, query, variables).roots;
  if (root?.kind !== 'aggregate') throw new Error(`expected an aggregate, got ${root?.kind}`);
  return root.aggregate;
}

/** Returns the errors of a request as `path: message`. */
export function errorsOf(
  { model, role }: ModelRole,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  operationName?: string,
): string[] {
  try {
    planOperation(prepare(roleSchema(model, role), query, operationName), variables);
  } catch (error) {
    const errors = error instanceof InvalidDocument ? error.errors : [error];
    return errors.map((one) => {
      if (!(one instanceof ServiceError)) throw one;
      return `${one.path}: ${one.message}`;
    });
  }
  return [];
}
