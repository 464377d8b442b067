/** Plans of what goes to remote schemas: root fields as they are, and relationships of tables that lead there. */
import { isNullableType } from 'graphql';
import type { RemoteSchema, TableJoin } from '../model/table-model.ts';
import type { PlanContext, SelectedField } from './context.ts';
import type { JoinPlan, RemoteFieldPlan } from './plan.ts';

/** Plans the root field `field`, which stands for the field `name` of `remote`. */
export function planRemoteField(
  context: PlanContext,
  field: SelectedField,
  remote: RemoteSchema,
  name: string,
): RemoteFieldPlan {
  const isMutation = context.schema.getMutationType()?.getFields()[field.name] === field.definition;
  const forwarded = context.forward(field.selections, field.arguments);
  const operation = isMutation ? 'mutation' : 'query';
  const nullable = isNullableType(field.definition?.type);
  return { remote, operation, field: name, nullable, arguments: field.arguments, ...forwarded };
}

/** Plans `join`, whose target is a remote schema. Its keys stand in the row under the names of phantom columns. */
export function planRemoteJoin(context: PlanContext, field: SelectedField, join: TableJoin): JoinPlan {
  if (join.target.kind !== 'remote') throw new TypeError(`join "${join.name}" leads to no remote schema`);
  const { remote, path } = join.target;
  const forwarded = context.forward(field.selections, field.arguments);
  return {
    keys: join.keys.map((column) => ({ name: `@${column.name}`, type: column.type })),
    target: { kind: 'remote', remote, path, arguments: field.arguments, ...forwarded },
  };
}
