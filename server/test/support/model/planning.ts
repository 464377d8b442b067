/** Plans of requests against a model, for tests of the planner. */
import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../../src/base/errors.ts';
import type { Model } from '../../../src/model/model.ts';
import { InvalidDocument } from '../../../src/plan/document/validation.ts';
import { planOperation, prepare } from '../../../src/plan/operation.ts';
import type { OperationPlan } from '../../../src/plan/plan/operation.ts';
import type { AggregatePlan, RowsPlan } from '../../../src/plan/plan/query.ts';
import { roleSchema } from '../../../src/schema/role-schema.ts';

export interface Asked {
  readonly model: Model;
  readonly role: RoleName;
}

export function planOf(
  { model, role }: Asked,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): OperationPlan {
  return planOperation(prepare(roleSchema(model, role), query, undefined), variables).plan;
}

/** The rows of the first root field. */
export function rowsOf(asked: Asked, query: string, variables?: Readonly<Record<string, unknown>>): RowsPlan {
  const [root] = planOf(asked, query, variables).roots;
  if (root?.kind !== 'rows') throw new Error(`expected rows, got ${root?.kind}`);
  return root.rows;
}

/** The aggregate of the first root field. */
export function aggregateOf(asked: Asked, query: string, variables?: Readonly<Record<string, unknown>>): AggregatePlan {
  const [root] = planOf(asked, query, variables).roots;
  if (root?.kind !== 'aggregate') throw new Error(`expected an aggregate, got ${root?.kind}`);
  return root.aggregate;
}

/** Every error of a request that is refused, as `path: message`. */
export function errorsOf(
  { model, role }: Asked,
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
