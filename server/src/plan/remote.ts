/** Plans of root fields that go to remote schemas as they are. */
import { isNullableType } from 'graphql';
import type { RemoteSchema } from '../model/table-model.ts';
import type { PlanContext, SelectedField } from './context.ts';
import type { RemoteFieldPlan } from './plan.ts';

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
