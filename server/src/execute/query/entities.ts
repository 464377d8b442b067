/** Executes `_entities` of Apollo Federation: one statement for the representations of each type. */
import { ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { EntitiesPlan, EntityPlan } from '../../plan/plan/entities.ts';
import { readInput } from '../action/handler/handler-input.ts';
import type { ExecuteContext } from '../context/context.ts';
import { JoinCollector } from '../join/joins.ts';

/**
 * Returns the rows in the order of the representations; null for a row that does not exist or that the role may not see.
 * Throws `validation-failed` for an invalid representation.
 */
export async function runEntities(plan: EntitiesPlan, context: ExecuteContext): Promise<readonly unknown[]> {
  const given = readInput(plan.representations, context.variables);
  const representations: readonly unknown[] = Array.isArray(given) ? given : [given];
  const types = new Map(plan.types.map((type) => [type.typeName, type]));
  const keys = representations.map((one, index) => keyOf(one, types, `${plan.path}.args.representations[${index}]`));
  const collector = new JoinCollector();
  const entities = keys.map(({ type, key }) => {
    const entity: { value?: unknown } = {};
    collector.add(type.join, entity, 'value', key);
    return entity;
  });
  await collector.run(context);
  return entities.map(({ value }) => value ?? null);
}

interface EntityKey {
  readonly type: EntityPlan;
  readonly key: readonly unknown[];
}

function keyOf(representation: unknown, types: ReadonlyMap<string, EntityPlan>, path: string): EntityKey {
  const invalid = (message: string, at = path) => new ServiceError('validation-failed', message, { path: at });
  if (!isJsonObject(representation)) throw invalid('expected an object for type _Any');
  const name = representation.__typename;
  if (name === undefined) throw invalid('cannot find __typename in _Any type');
  if (typeof name !== 'string') throw invalid('__typename in _Any type must be a string', `${path}.__typename`);
  const type = types.get(name);
  if (type === undefined) {
    const message = `${name} is not found in selection set or apollo federation is not enabled for the type`;
    throw invalid(message, `${path}.__typename`);
  }
  const key = type.join.keys.map(({ name: field, type: columnType }) => {
    if (!Object.hasOwn(representation, field)) throw invalid(`cannot find ${field} in _Any type`);
    const value: unknown = representation[field];
    if (columnType === undefined || value === null) return value;
    try {
      encode(columnType, value);
    } catch (error) {
      throw error instanceof ServiceError ? error.under(`${path}.${field}`) : error;
    }
    return value;
  });
  return { type, key };
}
