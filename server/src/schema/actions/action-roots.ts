/** The root fields of actions, and of the results of asynchronous ones. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import { type GraphQLFieldConfigMap, GraphQLNonNull, type GraphQLObjectType, getNullableType } from 'graphql';
import { namedIn } from '../../model/actions/type-expression.ts';
import type { Action, OutputAbstract, OutputNamed, OutputObject, TypeRef } from '../../model/types/action.ts';
import { bound } from '../binding.ts';
import { actionOutput, outputObject } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { argumentsOf, described } from './action-inputs.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

export interface ActionRoots {
  readonly query: Fields;
  readonly mutation: Fields;
  /** The results of asynchronous actions, which are fields of queries and subscriptions. */
  readonly results: Fields;
  /** Object types that are reachable only through an interface. */
  readonly types: readonly GraphQLObjectType[];
}

/** The fields of the actions that the role may call. */
export function actionRoots(registry: TypeRegistry): ActionRoots {
  const roots: { readonly query: Fields; readonly mutation: Fields } = { query: {}, mutation: {} };
  const results: Fields = {};
  const actions = [...registry.model.actions.values()].filter(
    ({ roles }) => registry.role === ADMIN_ROLE || roles.has(registry.role),
  );
  for (const action of actions) {
    roots[action.type][action.name] = {
      type: action.asynchronous ? new GraphQLNonNull(registry.scalar('uuid')) : actionOutput(registry, action.output),
      args: argumentsOf(registry, action),
      extensions: bound({ kind: 'action', action }),
      ...described(action.comment),
    };
    if (action.asynchronous === undefined) continue;
    results[action.name] = {
      type: resultType(registry, action),
      description: `fetch the result of a run of action "${action.name}"`,
      args: {
        id: { type: new GraphQLNonNull(registry.scalar('uuid')), description: 'the id that the action returned' },
      },
      extensions: bound({ kind: 'actionResult', action }),
    };
  }
  return {
    query: { ...roots.query, ...results },
    mutation: roots.mutation,
    results,
    types: implementations(registry, actions),
  };
}

function resultType(registry: TypeRegistry, action: Action): GraphQLObjectType {
  const member = (name: 'id' | 'createdAt' | 'errors' | 'output') =>
    bound({ kind: 'actionResultMember', member: name });
  return registry.object(action.name, () => ({
    description: `result of a run of action "${action.name}"`,
    fields: () => ({
      id: {
        type: new GraphQLNonNull(registry.scalar('uuid')),
        description: 'the id that the action returned',
        extensions: member('id'),
      },
      created_at: {
        type: new GraphQLNonNull(registry.scalar('timestamptz')),
        description: 'the time of the request',
        extensions: member('createdAt'),
      },
      errors: {
        type: registry.scalar('json'),
        description: 'the errors of a failed run',
        extensions: member('errors'),
      },
      // Null until the handler has responded.
      output: {
        type: getNullableType(actionOutput(registry, action.output)),
        description: 'null until the run succeeds',
        extensions: member('output'),
      },
    }),
  }));
}

/** The object types that are reachable only through an interface, of the actions that the role may call. */
function implementations(registry: TypeRegistry, actions: Iterable<Action>): GraphQLObjectType[] {
  const reached = new Set<OutputObject | OutputAbstract>();
  const visit = ({ type }: { readonly type: TypeRef<OutputNamed> }): void => {
    const named = namedIn(type);
    if (named.kind === 'object' || named.kind === 'abstract') reached.add(named);
  };
  for (const { output } of actions) visit({ type: output });
  // The loop also visits what is added during it.
  for (const named of reached) {
    for (const field of named.fields.values()) visit(field);
    if (named.kind === 'abstract') for (const member of named.members) reached.add(member);
  }
  const interfaces = [...reached].flatMap((one) => (one.kind === 'abstract' && one.form === 'interface' ? [one] : []));
  return [...new Set(interfaces.flatMap(({ members }) => members))].map((member) => outputObject(registry, member));
}
