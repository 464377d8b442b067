/** The roots of a schema, those of sources with a namespace each in an object of their own. */
import { type GraphQLFieldConfigMap, GraphQLNonNull, GraphQLObjectType } from 'graphql';
import type { Model } from '../model/model.ts';
import type { Source } from '../model/types/table.ts';
import { bound } from './binding.ts';
import type { RootFields, TypeRegistry } from './registry.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The fields of the three roots. */
export interface AllRoots extends RootFields {
  readonly subscription: Fields;
}

/** What the parts of a schema bring for the sources of a registry. */
export type BringRoots = (registry: TypeRegistry) => AllRoots;

export function rootsOfSources(registry: TypeRegistry, bring: BringRoots): AllRoots {
  const { model } = registry;
  const plain = [...model.sources].filter(([, source]) => source.namespace === undefined);
  if (plain.length === model.sources.size) return bring(registry);
  const brought = bring({ ...registry, model: { ...model, sources: new Map(plain) } });
  const roots = {
    query: { ...brought.query },
    mutation: { ...brought.mutation },
    subscription: { ...brought.subscription },
  };
  for (const sources of byNamespace(model)) {
    const [namespace] = sources.map((source) => source.namespace);
    if (namespace === undefined) continue;
    const own = bring({ ...registry, model: onlySources(model, sources) });
    for (const kind of ['query', 'mutation', 'subscription'] as const) {
      const fields = own[kind];
      if (Object.keys(fields).length === 0) continue;
      const name = namespace.types[kind];
      roots[kind][namespace.name] = {
        type: new GraphQLNonNull(registry.named(name, () => new GraphQLObjectType({ name, fields }))),
        extensions: bound({ kind: 'namespace' }),
      };
    }
  }
  return { ...brought, ...roots };
}

/** Sources may share a namespace; the names in it are checked where the model is resolved. */
function byNamespace({ sources }: Model): Iterable<readonly Source[]> {
  const groups = new Map<string, Source[]>();
  for (const source of sources.values()) {
    if (source.namespace === undefined) continue;
    groups.set(source.namespace.name, [...(groups.get(source.namespace.name) ?? []), source]);
  }
  return groups.values();
}

/** Actions and remote schemas stand outside of namespaces. */
function onlySources(model: Model, sources: readonly Source[]): Model {
  return {
    ...model,
    sources: new Map(sources.map((source) => [source.name, source])),
    actions: new Map(),
    remoteSchemas: new Map(),
  };
}
