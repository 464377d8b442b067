/** The three root types of a schema. The root fields of a source with a namespace are in an object of their own. */
import type { GraphQLFieldConfigMap, GraphQLNamedType } from 'graphql';
import type { Model } from '../model/model.ts';
import type { Source } from '../model/types/source.ts';
import { actionRoots } from './actions/action-roots.ts';
import { bound } from './binding.ts';
import type { TypeRegistry } from './registry.ts';
import { remoteRoots } from './remote/remote-roots.ts';
import { functionRoots } from './tables/function-roots.ts';
import { mutationRoots } from './tables/mutation-roots.ts';
import { nativeRoots } from './tables/native-roots.ts';
import { queryRoots } from './tables/query-roots.ts';
import { subscriptionRoots } from './tables/subscription-roots.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

export interface AllRoots {
  readonly query: Fields;
  readonly mutation: Fields;
  readonly subscription: Fields;
  /** Types that no field refers to, such as the implementations of an interface. */
  readonly types: readonly GraphQLNamedType[];
}

/** The root fields that are not those of tables. */
export interface OtherRoots {
  readonly functions: ReturnType<typeof functionRoots>;
  readonly native: Fields;
  readonly actions: ReturnType<typeof actionRoots>;
  readonly remote: ReturnType<typeof remoteRoots>;
}

export function otherRoots(registry: TypeRegistry): OtherRoots {
  return {
    functions: functionRoots(registry),
    native: nativeRoots(registry),
    actions: actionRoots(registry),
    remote: remoteRoots(registry),
  };
}

/** Where two fields have the same name, the later one replaces the earlier one. */
function rootsOf(registry: TypeRegistry, others = otherRoots(registry)): AllRoots {
  const { functions, native, actions, remote } = others;
  return {
    query: { ...queryRoots(registry), ...functions.query, ...native, ...actions.query, ...remote.query },
    mutation: { ...functions.mutation, ...mutationRoots(registry), ...actions.mutation, ...remote.mutation },
    subscription: { ...actions.results, ...subscriptionRoots(registry), ...functions.query, ...native },
    types: [...actions.types, ...remote.types],
  };
}

/** The root fields of all sources, actions and remote schemas of the model. `others`: those that exist already. */
export function allRoots(registry: TypeRegistry, others?: OtherRoots): AllRoots {
  return others === undefined ? rootsBySource(registry, (own) => rootsOf(own)) : rootsOf(registry, others);
}

/** The roots that `rootsOf` creates of the model. Those of sources with a namespace are in its object. */
export function rootsBySource(registry: TypeRegistry, rootsOf: (registry: TypeRegistry) => AllRoots): AllRoots {
  const { model } = registry;
  const withoutNamespace = [...model.sources].filter(([, source]) => source.namespace === undefined);
  if (withoutNamespace.length === model.sources.size) return rootsOf(registry);
  const roots = rootsOf({ ...registry, model: { ...model, sources: new Map(withoutNamespace) } });
  for (const sources of byNamespace(model)) {
    const [namespace] = sources.map((source) => source.namespace);
    if (namespace === undefined) continue;
    const own = rootsOf({ ...registry, model: onlySources(model, sources) });
    for (const kind of ['query', 'mutation', 'subscription'] as const) {
      const fields = own[kind];
      if (Object.keys(fields).length === 0) continue;
      roots[kind][namespace.name] = {
        type: registry.object(
          kind === 'mutation' && registry.backend ? namespace.types.backendMutation : namespace.types[kind],
          () => ({ fields }),
        ),
        extensions: bound({ kind: 'namespace' }),
      };
    }
  }
  return roots;
}

/** Sources grouped by namespace; several may share one. Names within it are checked where the model is resolved. */
function byNamespace({ sources }: Model): Iterable<readonly Source[]> {
  const groups = new Map<string, Source[]>();
  for (const source of sources.values()) {
    if (source.namespace === undefined) continue;
    groups.set(source.namespace.name, [...(groups.get(source.namespace.name) ?? []), source]);
  }
  return groups.values();
}

/** The model without actions and remote schemas, which are outside of namespaces. */
function onlySources(model: Model, sources: readonly Source[]): Model {
  return {
    ...model,
    sources: new Map(sources.map((source) => [source.name, source])),
    actions: new Map(),
    remoteSchemas: new Map(),
  };
}
