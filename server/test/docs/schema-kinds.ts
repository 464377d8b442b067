/** Root fields, arguments and types of a schema by their kind: `book_by_pk` and `author_by_pk` are `<table>_by_pk`. */
import type { GraphQLArgument, GraphQLField, GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isScalarType, isUnionType } from 'graphql';

/** The names of the schema of docs/graphql-reference.md. Longer names first. */
const kinds: readonly (readonly [name: string, kind: string])[] = [
  ['search_books', '<function>'],
  ['add_pages', '<function>'],
  ['recent_books', '<computed field>'],
  ['is_long', '<computed field>'],
  ['page_counts', '<native query>'],
  ['page_count', '<logical model>'],
  ['print_book', '<asynchronous action>'],
  ['order_quote', '<action>'],
  ['quote', '<action>'],
  ['Quote', '<output type>'],
  ['reviews', '<field of a remote schema>'],
  ['Review', '<type of a remote schema>'],
  ['author', '<table>'],
  ['genre', '<table>'],
  ['book', '<table>'],
];
const pattern = new RegExp(`(?<![A-Za-z])(?:${kinds.map(([name]) => name).join('|')})(?![a-z])`);

/** Members of a type that a row lists before it only counts them. */
const MOST_MEMBERS = 11;

/** The name with the kind of what it is derived from. */
export function kindOf(name: string): string {
  if (name === 'genre_enum') return '<enum table>_enum';
  if (name === 'genre_enum_comparison_exp') return '<enum table>_enum_comparison_exp';
  const replaced = name.replaceAll(new RegExp(pattern, 'g'), (one) => new Map(kinds).get(one) ?? one);
  const aggregates = foldedAggregates(replaced);
  if (aggregates !== replaced) return aggregates;
  if (/_array_comparison_exp$/.test(replaced)) return '<scalar>_array_comparison_exp';
  return /^(?:Int|String|Boolean|bigint|jsonb)_comparison_exp$/.test(replaced) ? '<scalar>_comparison_exp' : replaced;
}

/** Types that exist for several aggregates have one row. */
function foldedAggregates(name: string): string {
  return name
    .replace(
      /_(?:avg|sum|stddev(?:_pop|_samp)?|var_pop|var_samp|variance)_(fields|order_by)$/,
      '_<numeric aggregate>_$1',
    )
    .replace(/_(?:max|min)_(fields|order_by)$/, '_<max or min>_$1')
    .replace(/bool_exp_bool_(?:and|or)(?=$|_)/, 'bool_exp_<bool_and or bool_or>');
}

/** The rows of a root type: kind, example, arguments, result, description. The table `book` is the example if there is one. */
export function rootRows(type: GraphQLObjectType | null | undefined): readonly (readonly string[])[] {
  const fields = Object.values(type?.getFields() ?? {});
  return [...byKind(fields)].map(([kind, field]) => [
    code(kind),
    field.args.map(({ name }) => code(name)).join(', '),
    code(`${field.type}`),
    described(field.description),
  ]);
}

/** The rows of all arguments of fields: name, type, description. Those with the name of a column or an own argument are left out. */
export function argumentRows(schemas: readonly GraphQLSchema[]): readonly (readonly string[])[] {
  const rows = new Map<string, readonly string[]>();
  for (const argument of schemas.flatMap(argumentsOf)) {
    const type = kindOf(`${argument.type}`.replace('author_', 'book_').replace('genre_', 'book_'));
    const isFirst = !rows.has(argument.name);
    // The arguments of a table are the example, where others have the same name.
    if (!isFirst && !/^\[?<table>/.test(type)) continue;
    rows.set(argument.name, [code(argument.name), code(type), described(argument.description)]);
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

function argumentsOf(schema: GraphQLSchema): readonly GraphQLArgument[] {
  const own = new Set(['id', 'value', 'words', 'article']);
  return Object.values(schema.getTypeMap())
    .filter((type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).flatMap(({ args }) => args))
    .filter(({ name }) => !own.has(name));
}

/** The rows of all generated types: kind, what it is in GraphQL, members, description. */
export function typeRows(schemas: readonly GraphQLSchema[]): readonly (readonly string[])[] {
  const own = /^(?:__|query_root|mutation_root|subscription_root|Review$|Quote$)/;
  const types = schemas
    .flatMap((schema) => Object.values(schema.getTypeMap()))
    .filter((type) => !own.test(type.name) && !(isScalarType(type) && type.name !== '_Any'));
  return [...byKind(types)].map(([kind, type]) => [
    code(kind),
    graphqlKind(type),
    membersOf(type),
    described(type.description),
  ]);
}

/** One of each kind, the one with `book` if there is one, in order of kinds. */
function byKind<Named extends { readonly name: string }>(all: readonly Named[]): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  for (const one of all) {
    const kind = kindOf(one.name);
    const known = found.get(kind);
    if (known === undefined || (!/book|Int_/.test(known.name) && /book|Int_/.test(one.name))) found.set(kind, one);
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function graphqlKind(type: GraphQLNamedType): string {
  if (isInputObjectType(type)) return 'input';
  if (isEnumType(type)) return 'enum';
  if (isUnionType(type)) return 'union';
  if (isInterfaceType(type)) return 'interface';
  return isScalarType(type) ? 'scalar' : 'object';
}

function membersOf(type: GraphQLNamedType): string {
  const names = isEnumType(type)
    ? type.getValues().map(({ name }) => name)
    : isUnionType(type)
      ? type.getTypes().map(({ name }) => name)
      : 'getFields' in type
        ? Object.values(type.getFields()).map((field: Pick<GraphQLField<unknown, unknown>, 'name'>) => field.name)
        : [];
  const shown = names.slice(0, MOST_MEMBERS).map(code).join(', ');
  return names.length > MOST_MEMBERS ? `${shown}, …` : shown;
}

function described(description: string | null | undefined): string {
  return (description ?? '')
    .trim()
    .replaceAll(/"(\w+)"/g, '`$1`')
    .replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${text}\``;
}
