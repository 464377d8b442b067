/** The text of fields and values that are added by clicking. Pure. */
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

/** Required fields of input objects are written to this depth. */
const MAX_DEPTH = 4;

/** Returns a value of a type to begin with. */
export function valueSource(type: GraphQLInputType, depth = 0): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    // A list accepts a single value. Lists of leaves are easier to continue with brackets.
    const source = valueSource(nullable.ofType, depth);
    return isLeafType(getNullableType(nullable.ofType)) ? '[]' : source;
  }
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? 'null';
  if (isInputObjectType(nullable)) {
    const required = depth < MAX_DEPTH ? Object.values(nullable.getFields()).filter(isRequiredInputField) : [];
    return `{${required.map((field) => `${field.name}: ${valueSource(field.type, depth + 1)}`).join(', ')}}`;
  }
  const { name } = nullable;
  if (name === 'Boolean') return 'true';
  return isNumeric(name) ? '0' : '""';
}

const numeric = new Set(
  'Int Float smallint int2 int4 int8 integer bigint numeric float4 float8 double_precision real money'.split(' '),
);

/** Whether a scalar is written as a number. */
export function isNumeric(scalar: string): boolean {
  return numeric.has(scalar);
}

/** Returns a field with its required arguments, and with `selection` or a first leaf where it needs a selection. */
export function fieldSource(
  field: GraphQLField<unknown, unknown>,
  selection?: string,
  args: readonly string[] = [],
): string {
  const required = field.args
    .filter((one) => isRequiredArgument(one) && !args.some((written) => written.startsWith(`${one.name}:`)))
    .map((one) => `${one.name}: ${valueSource(one.type)}`);
  const written = [...args, ...required];
  const head = `${field.name}${written.length === 0 ? '' : `(${written.join(', ')})`}`;
  const type = getNamedType(field.type);
  if (isLeafType(type)) return head;
  return `${head} {\n${indented(selection ?? firstLeaf(type))}\n}`;
}

/** Returns the name of a field that selects something of any row. */
function firstLeaf(type: GraphQLNamedType): string {
  if (!isObjectType(type) && !isInterfaceType(type)) return '__typename';
  const leaves = Object.values(type.getFields()).filter(
    (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
  );
  return (leaves.find(({ name }) => name === 'id') ?? leaves[0])?.name ?? '__typename';
}

export function inlineFragmentSource(type: GraphQLNamedType, selection?: string): string {
  const leaf = isAbstractType(type) ? '__typename' : firstLeaf(type);
  return `... on ${type.name} {\n${indented(selection ?? leaf)}\n}`;
}

function indented(source: string): string {
  return source
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
