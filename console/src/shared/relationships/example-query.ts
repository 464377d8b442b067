/** An example operation that selects a relationship. Pure. */
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { printPretty } from '../../api/exact-json.ts';

type Field = GraphQLField<unknown, unknown>;

export interface ExampleOperation {
  readonly query: string;
  /** JSON text. Empty without variables. */
  readonly variables: string;
}

/**
 * Returns the shortest operation that leads to the type and selects the field, with variables for required arguments.
 * `type` is the name of a table or type, which the schema can have under another name. Undefined when there is none.
 */
export function exampleQuery(schema: GraphQLSchema, type: string, field: string): ExampleOperation | undefined {
  const owners = ownersOf(schema, type, field);
  for (const owner of owners) {
    for (const [keyword, root] of [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
    ] as const) {
      const path = root && (pathTo(root, owner, false) ?? pathTo(root, owner, true));
      if (path) return printed(keyword, path, owner, field);
    }
  }
  return undefined;
}

/** Returns the types with the field: that of the name first, then those whose name ends or starts with it. */
function ownersOf(schema: GraphQLSchema, type: string, field: string): readonly GraphQLObjectType[] {
  const rank = ({ name }: GraphQLObjectType): number =>
    name === type ? 0 : name.endsWith(type) || name.startsWith(type) ? 1 : 2;
  return Object.values(schema.getTypeMap())
    .filter((one) => isObjectType(one))
    .filter((one) => Object.hasOwn(one.getFields(), field))
    .sort((one, other) => rank(one) - rank(other));
}

/** Returns the fields from the root to the type, as few as possible. */
function pathTo(
  root: GraphQLObjectType,
  wanted: GraphQLObjectType,
  withRequired: boolean,
): readonly Field[] | undefined {
  const seen = new Set<GraphQLObjectType>([root]);
  let level: readonly { readonly type: GraphQLObjectType; readonly path: readonly Field[] }[] = [
    { type: root, path: [] },
  ];
  while (level.length > 0) {
    const next: { type: GraphQLObjectType; path: readonly Field[] }[] = [];
    for (const { type, path } of level) {
      for (const one of Object.values(type.getFields())) {
        const target = getNamedType(one.type);
        if (!isObjectType(target) || (!withRequired && one.args.some(isRequiredArgument))) continue;
        if (target === wanted) return [...path, one];
        if (seen.has(target)) continue;
        seen.add(target);
        next.push({ type: target, path: [...path, one] });
      }
    }
    level = next;
  }
  return undefined;
}

function printed(keyword: string, path: readonly Field[], owner: GraphQLObjectType, name: string): ExampleOperation {
  const declared: string[] = [];
  const samples: Record<string, unknown> = {};
  const call = (field: Field): string => {
    const given = field.args.filter(isRequiredArgument).map((argument) => {
      const variable = Object.hasOwn(samples, argument.name) ? `${field.name}_${argument.name}` : argument.name;
      declared.push(`$${variable}: ${argument.type}`);
      samples[variable] = sampleOf(String(getNullableType(argument.type)));
      return `${argument.name}: $${variable}`;
    });
    const isPaged = isListType(getNullableType(field.type)) && field.args.some((one) => one.name === 'limit');
    if (isPaged) given.push('limit: 5');
    return given.length === 0 ? field.name : `${field.name}(${given.join(', ')})`;
  };
  const lines = path.map((field, depth) => `${'  '.repeat(depth + 1)}${call(field)} {`);
  const fields = owner.getFields();
  const indent = '  '.repeat(path.length + 1);
  lines.push(
    ...leavesOf(owner, 2)
      .filter((one) => one !== name)
      .map((one) => `${indent}${one}`),
  );
  const target = fields[name];
  if (target !== undefined) {
    const named = getNamedType(target.type);
    const inner = isObjectType(named) ? leavesOf(named, 4) : ['__typename'];
    lines.push(`${indent}${call(target)}${isLeafType(named) ? '' : ` { ${inner.join(' ') || '__typename'} }`}`);
  }
  for (let depth = path.length; depth > 0; depth -= 1) lines.push(`${'  '.repeat(depth)}}`);
  const variables = declared.length === 0 ? '' : `(${declared.join(', ')})`;
  return {
    query: `${keyword}${variables} {\n${lines.join('\n')}\n}`,
    variables: declared.length === 0 ? '' : printPretty(samples),
  };
}

function leavesOf(type: GraphQLObjectType, most: number): readonly string[] {
  return Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument))
    .slice(0, most)
    .map(({ name }) => name);
}

function sampleOf(type: string): unknown {
  const samples: Readonly<Record<string, unknown>> = { Int: 1, Float: 1, Boolean: true, String: '', ID: '' };
  return samples[type] ?? null;
}
