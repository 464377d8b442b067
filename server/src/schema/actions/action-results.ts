/** What came of asynchronous actions, in a role's schema: a field of queries and subscriptions for each of them. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  type GraphQLFieldConfigMap,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
} from 'graphql';
import type { Action } from '../../model/types/action.ts';
import { bound } from '../binding.ts';
import type { TypeRegistry } from '../registry.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** Fields of the actions whose results the role may read. `output` gives the type of an action's answer. */
export function actionResults(registry: TypeRegistry, output: (action: Action) => GraphQLOutputType): Fields {
  const fields: Fields = {};
  for (const action of registry.model.actions.values()) {
    if (action.asynchronous === undefined) continue;
    if (registry.role !== ADMIN_ROLE && !action.roles.has(registry.role)) continue;
    fields[action.name] = {
      type: resultType(registry, action, output),
      description: `the result of a run of action "${action.name}", once it is there`,
      args: { id: { type: new GraphQLNonNull(registry.scalar('uuid')), description: 'what the action answered' } },
      extensions: bound({ kind: 'actionResult', action }),
    };
  }
  return fields;
}

function resultType(registry: TypeRegistry, action: Action, output: (action: Action) => GraphQLOutputType) {
  const member = (name: 'id' | 'createdAt' | 'errors' | 'output') =>
    bound({ kind: 'actionResultMember', member: name });
  return registry.named(
    action.name,
    () =>
      new GraphQLObjectType({
        name: action.name,
        description: `what came of a run of action "${action.name}"`,
        fields: () => ({
          id: {
            type: new GraphQLNonNull(registry.scalar('uuid')),
            description: 'what the action answered',
            extensions: member('id'),
          },
          created_at: {
            type: new GraphQLNonNull(registry.scalar('timestamptz')),
            description: 'when the action was asked for',
            extensions: member('createdAt'),
          },
          errors: {
            type: registry.scalar('json'),
            description: 'why there is no output',
            extensions: member('errors'),
          },
          // Not there while the handler has not answered.
          output: {
            type: getNullableType(output(action)),
            description: 'null while there is none',
            extensions: member('output'),
          },
        }),
      }),
  );
}
