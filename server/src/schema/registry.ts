/** What the parts of a role's schema share: each type of it is made once, by name. Types only. */
import type { RoleName } from '@joinery/metadata/names';
import type {
  GraphQLFieldConfigArgumentMap,
  GraphQLFieldConfigMap,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLScalarType,
} from 'graphql';
import type { Model } from '../model/model.ts';
import type { OutputObject } from '../model/types/action.ts';
import type { Table } from '../model/types/table.ts';

export interface TypeRegistry {
  readonly model: Model;
  readonly role: RoleName;
  /** Is what only backends may write shown? */
  readonly backend: boolean;
  /** The registry whose types are named as the source of `table` asks. */
  of(table: Table): TypeRegistry;
  /** The scalar of that name: GraphQL's own five, else one made here. The same instance for the same name. */
  scalar(name: string): GraphQLScalarType;
  /** The object type of a table's rows; undefined when the role may select nothing of it. */
  row(table: Table): GraphQLObjectType | undefined;
  /** `t_aggregate`; undefined when the role may not aggregate. */
  aggregate(table: Table): GraphQLObjectType | undefined;
  /** `where`, `order_by`, `limit`, `offset`, `distinct_on` of a list of rows. */
  listArguments(table: Table): GraphQLFieldConfigArgumentMap;
  /** The fields of an output object that are fetched apart. */
  outputJoins(object: OutputObject): GraphQLFieldConfigMap<unknown, unknown>;
  /** The relationships of a type of a remote schema, as a role's view has the type. */
  remoteJoins(type: GraphQLObjectType): GraphQLFieldConfigMap<unknown, unknown>;
  /** The named type made by the first call with this name; later calls get the same instance. */
  named<T extends GraphQLNamedType>(name: string, make: () => T): T;
}

/** The root fields that one part of the model brings. */
export interface RootFields {
  readonly query: GraphQLFieldConfigMap<unknown, unknown>;
  readonly mutation: GraphQLFieldConfigMap<unknown, unknown>;
  /** Types that a schema must list because no field leads to them, such as those behind an interface. */
  readonly types?: readonly GraphQLNamedType[];
}
