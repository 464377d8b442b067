/**
 * A GraphQL schema whose types are created when a request uses them. graphql-js creates all types at once: for 150 tables
 * 7,000 types, which take 0.2 s and 20 MB for each role. A request uses a dozen.
 */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputField,
  GraphQLInputObjectType,
  type GraphQLInputObjectTypeConfig,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLObjectTypeConfig,
  GraphQLSchema,
  type GraphQLSchemaConfig,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { Steps } from '../base/steps.ts';

export interface LazySchemaConfig {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType | undefined;
  readonly subscription: GraphQLObjectType | undefined;
  /** Types that no field refers to. */
  readonly types: readonly GraphQLNamedType[];
  readonly directives: NonNullable<GraphQLSchemaConfig['directives']>;
  /** The type of that name, if it exists or can be created without other types. */
  readonly find: (name: string) => GraphQLNamedType | undefined;
  /** Returns an equal schema that shares no types with this one, and whose types list their fields. */
  readonly listed?: () => LazySchema;
}

/** Creates all types when the type map, or a type that `find` does not know, is requested. */
export class LazySchema extends GraphQLSchema {
  readonly #config: LazySchemaConfig;
  #whole: GraphQLSchema | undefined;
  /** All types by name, where they have been reached. */
  #reached: ReturnType<GraphQLSchema['getTypeMap']> | undefined;

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
    if (this.#reached !== undefined) return this.#reached[name];
    return this.#config.find(name) ?? super.getTypeMap()[name] ?? this.#all().getType(name);
  }

  override getTypeMap(): ReturnType<GraphQLSchema['getTypeMap']> {
    return this.#reached ?? this.#all().getTypeMap();
  }

  override getPossibleTypes(
    ...[abstract]: Parameters<GraphQLSchema['getPossibleTypes']>
  ): ReturnType<GraphQLSchema['getPossibleTypes']> {
    if (isUnionType(abstract)) return abstract.getTypes();
    if (this.#reached === undefined) return this.#all().getPossibleTypes(abstract);
    const objects = Object.values(this.#reached).filter(isObjectType);
    return objects.filter((type) => type.getInterfaces().includes(abstract));
  }

  override getImplementations(
    ...abstract: Parameters<GraphQLSchema['getImplementations']>
  ): ReturnType<GraphQLSchema['getImplementations']> {
    return this.#all().getImplementations(...abstract);
  }

  override isSubType(...types: Parameters<GraphQLSchema['isSubType']>): boolean {
    return this.#all().isSubType(...types);
  }

  /**
   * Returns a schema whose types may all be created, for one use: they take 2 to 3 kB each, and a request uses few of them.
   * The schema itself if they exist.
   */
  forAllTypes(): LazySchema {
    return this.#whole === undefined ? (this.#config.listed?.() ?? this) : this;
  }

  /** Creates all types. Yields after each. */
  *createTypes(): Steps<void> {
    for (const _type of this.#reach()) yield;
  }

  /** Creates all types one after the other, each once the one before has been used: its listed fields are released then. */
  *reachTypes(): Iterable<GraphQLNamedType> {
    for (const type of this.#reach()) {
      yield type;
      releaseFields(type);
    }
  }

  *#reach(): Iterable<GraphQLNamedType> {
    if (this.#whole !== undefined || this.#reached !== undefined) {
      yield* Object.values(this.getTypeMap());
      return;
    }
    const { query, mutation, subscription, types } = this.#config;
    const reached = new Set([query, mutation, subscription, ...types].filter((type) => type !== undefined));
    // A set also iterates over what is added meanwhile.
    for (const type of reached) {
      for (const next of referencedBy(type)) reached.add(next);
      yield type;
    }
    const all: ReturnType<GraphQLSchema['getTypeMap']> = Object.assign(Object.create(null), super.getTypeMap());
    for (const type of reached) all[type.name] = type;
    this.#reached = all;
    for (const type of Object.values(all)) if (!reached.has(type)) yield type;
  }

  #all(): GraphQLSchema {
    const { query, mutation = null, subscription = null, types, directives } = this.#config;
    this.#whole ??= new GraphQLSchema({ query, mutation, subscription, types, directives, assumeValid: true });
    return this.#whole;
  }
}

/** The types that the members of `type` refer to. */
export function* referencedBy(type: GraphQLNamedType): Iterable<GraphQLNamedType> {
  if (isUnionType(type)) yield* type.getTypes();
  else if (isObjectType(type) || isInterfaceType(type)) {
    yield* type.getInterfaces();
    for (const field of fieldsOf(type)) {
      yield getNamedType(field.type);
      for (const argument of field.args) yield getNamedType(argument.type);
    }
  } else for (const field of inputFieldsOf(type)) yield getNamedType(field.type);
}

type Field = GraphQLField<unknown, unknown>;
type ObjectConfig = GraphQLObjectTypeConfig<unknown, unknown>;

/**
 * An object type that lists its fields without the field map of graphql-js, which takes most of the time and memory of a type.
 * Introspection reads each type once: it lists the fields, and releases them before it reads the next type.
 */
export class ListedObject extends GraphQLObjectType {
  readonly #fields: ObjectConfig['fields'];
  #list: readonly Field[] | undefined;

  constructor(config: ObjectConfig) {
    super(config);
    this.#fields = config.fields;
  }

  /** Returns the same list until `release`. */
  listFields(): readonly Field[] {
    this.#list ??= Object.entries(evaluated(this.#fields)).map(([name, field]) => ({
      name,
      description: field.description,
      type: field.type,
      args: field.args === undefined ? [] : listArguments(field.args),
      deprecationReason: field.deprecationReason,
      extensions: {},
      astNode: undefined,
    }));
    return this.#list;
  }

  release(): void {
    this.#list = undefined;
  }
}

/** An input type that lists its fields, as ListedObject does. */
export class ListedInput extends GraphQLInputObjectType {
  readonly #fields: GraphQLInputObjectTypeConfig['fields'];
  #list: readonly GraphQLInputField[] | undefined;

  constructor(config: GraphQLInputObjectTypeConfig) {
    super(config);
    this.#fields = config.fields;
  }

  /** Returns the same list until `release`. */
  listFields(): readonly GraphQLInputField[] {
    this.#list ??= listArguments(evaluated(this.#fields));
    return this.#list;
  }

  release(): void {
    this.#list = undefined;
  }
}

function evaluated<Value>(value: Value | (() => Value)): Value {
  return value instanceof Function ? value() : value;
}

function listArguments(configs: GraphQLFieldConfigArgumentMap): readonly GraphQLArgument[] {
  return Object.entries(configs).map(([name, { description, type, defaultValue, deprecationReason }]) => {
    return { name, description, type, defaultValue, deprecationReason, extensions: {}, astNode: undefined };
  });
}

const none: readonly Field[] = [];

/** The fields of an object or interface type; none of other types. */
export function fieldsOf(type: GraphQLNamedType): readonly Field[] {
  if (type instanceof ListedObject) return type.listFields();
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : none;
}

/** The fields of an input type; none of other types. */
export function inputFieldsOf(type: GraphQLNamedType): readonly GraphQLInputField[] {
  if (type instanceof ListedInput) return type.listFields();
  return isInputObjectType(type) ? Object.values(type.getFields()) : [];
}

/** Releases the fields that were listed. */
function releaseFields(type: GraphQLNamedType): void {
  if (type instanceof ListedObject || type instanceof ListedInput) type.release();
}
