/**
 * A schema whose types are made when a request meets them. graphql-js makes every type at once: for 150 tables that is
 * 7,000 types, 0.2 s and 20 MB for each role, of which a request needs a dozen.
 */
import { type GraphQLNamedType, type GraphQLObjectType, GraphQLSchema, type GraphQLSchemaConfig } from 'graphql';

export interface LazySchemaConfig {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType | undefined;
  readonly subscription: GraphQLObjectType | undefined;
  /** Types that no field leads to. */
  readonly types: readonly GraphQLNamedType[];
  readonly directives: NonNullable<GraphQLSchemaConfig['directives']>;
  /** The type of that name if it is made already, or can be without its neighbours. */
  readonly find: (name: string) => GraphQLNamedType | undefined;
}

/** Whoever asks for all types, or for one by a name that `find` does not know, has them all made. */
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
