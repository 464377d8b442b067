/**
 * A GraphQL schema whose types are created when a request uses them. graphql-js creates all types at once: for 150 tables
 * 7,000 types, which take 0.2 s and 20 MB for each role. A request uses a dozen.
 */
import { type GraphQLNamedType, type GraphQLObjectType, GraphQLSchema, type GraphQLSchemaConfig } from 'graphql';

export interface LazySchemaConfig {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType | undefined;
  readonly subscription: GraphQLObjectType | undefined;
  /** Types that no field refers to. */
  readonly types: readonly GraphQLNamedType[];
  readonly directives: NonNullable<GraphQLSchemaConfig['directives']>;
  /** The type of that name, if it exists or can be created without other types. */
  readonly find: (name: string) => GraphQLNamedType | undefined;
}

/** Creates all types when the type map, or a type that `find` does not know, is requested. */
export class LazySchema extends GraphQLSchema {
  readonly #config: LazySchemaConfig;
  #whole: GraphQLSchema | undefined;

  constructor(config: LazySchemaConfig) {
    super({ directives: config.directives, assumeValid: true });
    this.#config = config;
  }

  override getQueryType(): GraphQLObjectType {
    return this.#config.query;
  }

  override getMutationType(): GraphQLObjectType | undefined {
    return this.#config.mutation;
  }

  override getSubscriptionType(): GraphQLObjectType | undefined {
    return this.#config.subscription;
  }

  override getType(name: string): GraphQLNamedType | undefined {
    return this.#config.find(name) ?? super.getTypeMap()[name] ?? this.#all().getType(name);
  }

  override getTypeMap(): ReturnType<GraphQLSchema['getTypeMap']> {
    return this.#all().getTypeMap();
  }

  override getPossibleTypes(
    ...abstract: Parameters<GraphQLSchema['getPossibleTypes']>
  ): ReturnType<GraphQLSchema['getPossibleTypes']> {
    return this.#all().getPossibleTypes(...abstract);
  }

  override getImplementations(
    ...abstract: Parameters<GraphQLSchema['getImplementations']>
  ): ReturnType<GraphQLSchema['getImplementations']> {
    return this.#all().getImplementations(...abstract);
  }

  override isSubType(...types: Parameters<GraphQLSchema['isSubType']>): boolean {
    return this.#all().isSubType(...types);
  }

  #all(): GraphQLSchema {
    const { query, mutation = null, subscription = null, types, directives } = this.#config;
    this.#whole ??= new GraphQLSchema({ query, mutation, subscription, types, directives, assumeValid: true });
    return this.#whole;
  }
}
