/** The types of a role's schema by name: each is created once, when a field first refers to it. */
import type { RoleName } from '@joinery/metadata/names';
import {
  GraphQLEnumType,
  type GraphQLEnumTypeConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputObjectTypeConfig,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLObjectTypeConfig,
  type GraphQLScalarType,
} from 'graphql';
import type { Model } from '../model/model.ts';
import type { Table } from '../model/types/table.ts';
import { clientTypeName, conventionalEnum, conventionalInput, conventionalObject } from './convention.ts';
import { ListedInput, ListedObject } from './lazy-schema.ts';
import { makeScalar } from './scalars.ts';

export interface TypeRegistry {
  readonly model: Model;
  readonly role: RoleName;
  /** Whether fields and columns that are marked `backend_only` are shown. */
  readonly backend: boolean;
  /** Whether its types list their fields, for introspection. */
  readonly listed?: boolean | undefined;
  /** What the schema changes in the row types of tables. */
  readonly rows?: RowExtension | undefined;
  /** The registry of types that follow no naming convention; of such a registry itself. */
  readonly plain: TypeRegistry;
  /** The registry whose types follow the naming convention of the table's source. */
  of(table: Table): TypeRegistry;
  /** The scalar of that name: a built-in one of GraphQL, or a custom one. */
  scalar(name: string): GraphQLScalarType;
  object(name: string, config: () => Unnamed<GraphQLObjectTypeConfig<unknown, unknown>>): GraphQLObjectType;
  input(name: string, config: () => Unnamed<GraphQLInputObjectTypeConfig>): GraphQLInputObjectType;
  enumeration(name: string, config: () => Unnamed<GraphQLEnumTypeConfig>): GraphQLEnumType;
  /** A type of any kind, under exactly this name. `create` must return the same kind of type at each call. */
  named<Type extends GraphQLNamedType>(name: string, create: () => Type): Type;
  /** The cache of `listArguments` in tables/list-arguments.ts. */
  readonly listArguments: Map<Table, GraphQLFieldConfigArgumentMap>;
}

/** A change of the row types of tables. */
export interface RowExtension {
  interfaces(registry: TypeRegistry, table: Table): readonly GraphQLInterfaceType[];
  /** Returns the fields in place of `fields`. */
  fields(
    registry: TypeRegistry,
    table: Table,
    fields: GraphQLFieldConfigMap<unknown, unknown>,
  ): GraphQLFieldConfigMap<unknown, unknown>;
}

type Unnamed<Config> = Omit<Config, 'name'>;

/** A registry that adds each created type to `types`. */
export function createRegistry(
  { model, role, backend, listed, rows }: Pick<TypeRegistry, 'model' | 'role' | 'backend' | 'listed' | 'rows'>,
  types: Map<string, GraphQLNamedType>,
): TypeRegistry {
  const named = <Type extends GraphQLNamedType>(name: string, create: () => Type): Type => {
    const known = types.get(name);
    if (known !== undefined) return known as Type;
    const created = create();
    types.set(name, created);
    return created;
  };
  const objectType = (config: GraphQLObjectTypeConfig<unknown, unknown>) =>
    listed ? new ListedObject(config) : new GraphQLObjectType(config);
  const inputType = (config: GraphQLInputObjectTypeConfig) =>
    listed ? new ListedInput(config) : new GraphQLInputObjectType(config);
  const plain: TypeRegistry = {
    model,
    role,
    backend,
    listed,
    rows,
    get plain() {
      return plain;
    },
    of: (table) => (model.sources.get(table.source)?.convention === undefined ? plain : conventional),
    scalar: (name) => named(name, () => makeScalar(name)),
    object: (name, config) => named(name, () => objectType({ ...config(), name })),
    input: (name, config) => named(name, () => inputType({ ...config(), name })),
    enumeration: (name, config) => named(name, () => new GraphQLEnumType({ ...config(), name })),
    named,
    listArguments: new Map(),
  };
  const conventional: TypeRegistry = {
    ...plain,
    plain,
    object: (name, config) => {
      const shown = clientTypeName(name);
      return named(shown, () => objectType(conventionalObject({ ...config(), name: shown })));
    },
    input: (name, config) => {
      const shown = clientTypeName(name);
      return named(shown, () => inputType(conventionalInput({ ...config(), name: shown })));
    },
    enumeration: (name, config) => {
      const shown = clientTypeName(name);
      return named(shown, () => {
        const own = { ...config(), name: shown };
        return new GraphQLEnumType(shown === name ? own : conventionalEnum(own));
      });
    },
  };
  return plain;
}
