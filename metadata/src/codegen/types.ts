/** Converts custom types of the metadata to TypeScript types for the inputs and responses of handlers. */
import { GraphQLError, Kind, parseType, type TypeNode } from 'graphql';
import type { ActionDefinition, CustomTypes } from '../schema/actions.ts';
import { comment, type Names, property, typeAlias } from './layout.ts';

/** The metadata cannot be converted to code. The message has a hint. */
export class CodegenError extends Error {}

type Entry =
  | { readonly kind: 'scalar'; readonly written: CustomTypes['scalars'][number] }
  | { readonly kind: 'enum'; readonly written: CustomTypes['enums'][number] }
  | { readonly kind: 'input'; readonly written: CustomTypes['input_objects'][number] }
  | { readonly kind: 'object'; readonly written: CustomTypes['objects'][number] }
  | { readonly kind: 'interface'; readonly written: NonNullable<CustomTypes['interfaces']>[number] }
  | { readonly kind: 'union'; readonly written: NonNullable<CustomTypes['unions']>[number] };

type InputValue = ActionDefinition['arguments'][number];

/** The TypeScript types of GraphQL and PostgreSQL scalars in JSON. */
const scalars: ReadonlyMap<string, string> = new Map(
  Object.entries({
    boolean: 'Boolean Boolean bool',
    number: 'Int Float smallint int2 integer int int4 float4 float8 real oid',
    'number | string': 'bigint int8 numeric decimal',
    string:
      'String ID text varchar character bpchar char citext name uuid date time timetz timestamp timestamptz interval inet cidr macaddr macaddr8 bytea money xml bit varbit',
  }).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

/** Types by GraphQL name, declared on first use. */
export class TypeScriptTypes {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();

  /** Reserves all names of the types in `names`. */
  constructor(types: CustomTypes, names: Names) {
    this.#entries = entriesOf(types);
    this.#names = new Map([...this.#entries.keys()].map((name) => [name, names.take(name)]));
  }

  /** Returns the members of the union type of `expression`. `position` describes its place in messages. */
  of(expression: string, side: 'input' | 'output', position: string): readonly string[] {
    return this.#members(parsed(expression, position), side);
  }

  /** Returns the members of an interface for arguments or fields of an input object. The service fills in defaults. */
  inputs(fields: readonly InputValue[], position: string): string {
    const members = fields.map((field) => {
      const withDefault = field.default_value !== undefined;
      const types = this.of(field.type, 'input', `${position}.${field.name}`);
      const optional = !withDefault && types.at(-1) === 'null';
      return documented(field) + property(`${field.name}${optional ? '?' : ''}`, types);
    });
    return members.join('');
  }

  /** Returns the declarations of all used types and of their dependencies. */
  declarations(): readonly string[] {
    const printed: string[] = [];
    // Declarations may use more types, which are appended.
    for (const name of this.#used) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) printed.push(this.#declaration(entry, this.#nameOf(name)));
    }
    return printed;
  }

  #members(node: TypeNode, side: 'input' | 'output'): readonly string[] {
    if (node.kind === Kind.NON_NULL_TYPE) return this.#bare(node.type, side);
    return [...this.#bare(node, side), 'null'];
  }

  #bare(node: Exclude<TypeNode, { kind: Kind.NON_NULL_TYPE }>, side: 'input' | 'output'): readonly string[] {
    if (node.kind === Kind.NAMED_TYPE) return this.#named(node.name.value);
    const members = this.#members(node.type, side);
    const item = members.join(' | ');
    const list = members.length > 1 ? `(${item})[]` : item.startsWith('readonly ') ? `(${item})[]` : `${item}[]`;
    return [side === 'output' ? `readonly ${list}` : list];
  }

  #named(name: string): readonly string[] {
    if (this.#entries.has(name)) return [this.#nameOf(name)];
    const scalar = scalars.get(name);
    if (scalar !== undefined) return scalar.split(' | ');
    // Enums of enum tables have these suffixes; their values are in the database.
    return [/(?:_enum|Enum)$/.test(name) ? 'string' : 'unknown'];
  }

  #nameOf(name: string): string {
    this.#used.add(name);
    return this.#names.get(name) ?? 'unknown';
  }

  #declaration(entry: Entry, name: string): string {
    const { written } = entry;
    const doc = comment([written.description ?? undefined]);
    const position = written.name;
    switch (entry.kind) {
      case 'scalar':
        return (
          comment([written.description ?? undefined, 'A scalar, whose values are not checked.']) +
          typeAlias(name, ['unknown'])
        );
      case 'enum':
        return (
          comment([written.description ?? undefined, ...valueComments(entry.written)]) +
          typeAlias(
            name,
            entry.written.values.map(({ value }) => `"${value}"`),
          )
        );
      case 'input':
        return `${doc}export interface ${name} {\n${this.inputs(entry.written.fields, position)}}\n`;
      case 'object': {
        const fields = entry.written.fields.map((field) => {
          const types = this.of(field.type, 'output', `${position}.${field.name}`);
          return documented(field) + property(`${field.name}${types.at(-1) === 'null' ? '?' : ''}`, types);
        });
        return `${doc}export interface ${name} {\n${fields.join('')}}\n`;
      }
      case 'interface': {
        const members = [...this.#entries.values()].flatMap((one) =>
          one.kind === 'object' && one.written.implements?.includes(written.name) ? [one.written.name] : [],
        );
        return doc + this.#oneOf(name, members);
      }
      case 'union':
        return doc + this.#oneOf(name, entry.written.types);
      default:
        return entry satisfies never;
    }
  }

  /** `__typename` identifies the object type of a response. */
  #oneOf(name: string, types: readonly string[]): string {
    const members = types.map((type) => `(${this.#nameOf(type)} & { __typename: "${type}" })`);
    if (members.length > 1) return typeAlias(name, members);
    return typeAlias(name, [members[0]?.slice(1, -1) ?? 'never']);
  }
}

function entriesOf(types: CustomTypes): ReadonlyMap<string, Entry> {
  const all: readonly Entry[] = [
    ...types.scalars.map((written) => ({ kind: 'scalar', written }) as const),
    ...types.enums.map((written) => ({ kind: 'enum', written }) as const),
    ...types.input_objects.map((written) => ({ kind: 'input', written }) as const),
    ...types.objects.map((written) => ({ kind: 'object', written }) as const),
    ...(types.interfaces ?? []).map((written) => ({ kind: 'interface', written }) as const),
    ...(types.unions ?? []).map((written) => ({ kind: 'union', written }) as const),
  ];
  return new Map(all.map((entry) => [entry.written.name, entry]));
}

function documented(field: Pick<InputValue, 'description' | 'deprecation_reason'>): string {
  const deprecated = field.deprecation_reason ? `@deprecated ${field.deprecation_reason}` : undefined;
  return comment([field.description ?? undefined, deprecated], '  ');
}

function valueComments({ values }: CustomTypes['enums'][number]): readonly string[] {
  return values.flatMap(({ value, description, is_deprecated: bare, deprecation_reason: reason }) => {
    const texts = [description ?? '', reason ? `deprecated: ${reason}` : bare ? 'deprecated' : ''].filter(Boolean);
    return texts.length === 0 ? [] : [`- ${value}: ${texts.join('; ')}`];
  });
}

function parsed(expression: string, position: string): TypeNode {
  try {
    return parseType(expression);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new CodegenError(`${position}: "${expression}" is not a GraphQL type; write one such as [Int!]!`, {
      cause: error,
    });
  }
}
