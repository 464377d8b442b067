/** Checks the variables of an operation against their types. Pure. */
import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  parse,
  typeFromAST,
} from 'graphql';
import { jsonProblem } from '../../../api/exact-json.ts';
import type { NamedOperation } from '../../../shared/graphql/operation-draft.ts';
import type { Mark } from '../../../ui/editor/editor-props.ts';
import { type JsonNode, jsonTree } from './json-tree.ts';

export interface ExpectedVariable {
  readonly name: string;
  /** Undefined for a type that the schema does not have, which the editor of the operation marks. */
  readonly type: GraphQLInputType | undefined;
  readonly isRequired: boolean;
}

/** Lists the variables of an operation. Undefined where they are unknown: without an operation, or for a syntax error. */
export function expectedVariables(
  text: string,
  operation: NamedOperation | undefined,
  schema: GraphQLSchema | undefined,
): readonly ExpectedVariable[] | undefined {
  if (operation === undefined || schema === undefined) return undefined;
  const { definitions } = parse(text);
  const definition = definitions.find((one) => one.loc?.start === operation.from);
  if (definition?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  return (definition.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => {
    const found = typeFromAST(schema, type);
    return {
      name: variable.name.value,
      type: isInputType(found) ? found : undefined,
      isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
    };
  });
}

/** Marks syntax errors, and variables that are unknown, missing or of another type. */
export function variableMarks(text: string, expected: readonly ExpectedVariable[] | undefined): readonly Mark[] {
  const syntax = text.trim() === '' ? undefined : jsonProblem(text);
  if (syntax !== undefined) return [{ ...syntaxPlace(text, syntax), message: syntax, severity: 'error' }];
  const root = jsonTree(text);
  if (root !== undefined && root.kind !== 'object') return [markOf(root, 'Variables are a JSON object')];
  return expected === undefined ? [] : membersMarks(text, root, expected);
}

function membersMarks(
  text: string,
  root: JsonNode | undefined,
  expected: readonly ExpectedVariable[],
): readonly Mark[] {
  const members = root?.members ?? [];
  const missing = expected.filter(({ name, isRequired }) => isRequired && !members.some((one) => one.name === name));
  const place = root === undefined ? { from: 0, to: text.length } : { from: root.from, to: root.from + 1 };
  return [
    ...missing.map(({ name, type }) => warning(place, `The variable \`${name}\` of type \`${type}\` is missing`)),
    ...members.flatMap((member) => {
      const variable = expected.find(({ name }) => name === member.name);
      if (variable === undefined) return [warning(member, `The operation has no variable \`${member.name}\``)];
      if (member.value === undefined || variable.type === undefined) return [];
      return valueMarks(member.value, variable.type);
    }),
  ];
}

function valueMarks(value: JsonNode, type: GraphQLInputType): readonly Mark[] {
  if (isNonNullType(type)) {
    return value.kind === 'null' ? [warning(value, `Must not be null: \`${type}\``)] : valueMarks(value, type.ofType);
  }
  if (value.kind === 'null') return [];
  if (isListType(type)) {
    const { ofType } = type;
    return value.kind === 'list' ? value.items.flatMap((item) => valueMarks(item, ofType)) : valueMarks(value, ofType);
  }
  if (isInputObjectType(type)) {
    if (value.kind !== 'object') return [warning(value, `Expected an object of type \`${type}\``)];
    const fields = type.getFields();
    const missing = Object.values(fields).filter(
      (field) => isRequiredInputField(field) && !value.members.some(({ name }) => name === field.name),
    );
    return [
      ...missing.map((field) =>
        warning(
          { from: value.from, to: value.from + 1 },
          `The field \`${field.name}\` of type \`${field.type}\` is missing`,
        ),
      ),
      ...value.members.flatMap((member) => {
        const field = fields[member.name];
        if (field === undefined) return [warning(member, `\`${type}\` has no field \`${member.name}\``)];
        return member.value === undefined ? [] : valueMarks(member.value, field.type);
      }),
    ];
  }
  if (isEnumType(type)) {
    if (value.kind === 'string' && type.getValue(value.text) !== undefined) return [];
    return [warning(value, `Expected a value of \`${type}\`, such as "${type.getValues()[0]?.name ?? ''}"`)];
  }
  const wanted = scalars[type.name];
  return wanted === undefined || wanted.accepts(value) ? [] : [warning(value, `Expected ${wanted.text}: \`${type}\``)];
}

interface Scalar {
  readonly text: string;
  readonly accepts: (value: JsonNode) => boolean;
}

/** Scalars of PostgreSQL types accept several kinds of values: only the service can check them. */
const scalars: Readonly<Record<string, Scalar | undefined>> = {
  Int: {
    text: 'a 32-bit integer',
    accepts: ({ kind, text }) => kind === 'number' && (Number(text) | 0) === Number(text),
  },
  Float: { text: 'a number', accepts: ({ kind }) => kind === 'number' },
  String: { text: 'a string', accepts: ({ kind }) => kind === 'string' },
  Boolean: { text: 'true or false', accepts: ({ kind }) => kind === 'boolean' },
  ID: {
    text: 'a string or a whole number',
    accepts: ({ kind, text }) => kind === 'string' || (kind === 'number' && /^-?\d+$/.test(text)),
  },
};

/** The service decides in the end: columns accept strings for numbers, for example. */
function warning({ from, to }: { readonly from: number; readonly to: number }, message: string): Mark {
  return { from, to, message, severity: 'warning' };
}

function markOf({ from, to }: JsonNode, message: string): Mark {
  return { from, to, message, severity: 'error' };
}

/** Browsers name the position of a syntax error in their message, or at least its line and column. */
function syntaxPlace(text: string, message: string): { readonly from: number; readonly to: number } {
  const [, offset] = /at position (\d+)/.exec(message) ?? [];
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  const end = Math.max(0, text.trimEnd().length - 1);
  const before = text.split('\n').slice(0, Number(line ?? 1) - 1);
  const atLine = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column ?? 1) - 1;
  const from = offset !== undefined ? Number(offset) : line !== undefined ? atLine : end;
  return { from: Math.min(from, end), to: Math.min(from, end) + 1 };
}
