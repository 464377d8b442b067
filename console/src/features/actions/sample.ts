/** Sample arguments and requests for actions. Pure. */
import { scalarAliases } from '@joinery/metadata/sql/scalar-aliases';
import type { Action, CustomTypes, InputValue } from './actions-api.ts';
import { innerName } from './sdl/action-types.ts';

const MAX_DEPTH = 3;

/** Returns a sample value for each argument. */
export function sampleInput(action: Action, types: CustomTypes): Readonly<Record<string, unknown>> {
  return sampleOf(action.definition.arguments ?? [], types, 0);
}

function sampleOf(fields: readonly InputValue[], types: CustomTypes, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, type, default_value: given }) => {
      // Nullable values end the nesting, which can be circular.
      if (depth >= MAX_DEPTH && !type.endsWith('!')) return [];
      return [[name, given === undefined ? sampleValue(type, types, depth) : given]];
    }),
  );
}

function sampleValue(type: string, types: CustomTypes, depth: number): unknown {
  const bare = type.trim().replace(/!$/, '');
  if (bare.startsWith('[')) return depth >= MAX_DEPTH ? [] : [sampleValue(bare.slice(1, -1), types, depth)];
  const input = types.input_objects?.find(({ name }) => name === bare);
  if (input !== undefined) return depth > MAX_DEPTH ? {} : sampleOf(input.fields, types, depth + 1);
  const [first] = types.enums?.find(({ name }) => name === bare)?.values ?? [];
  return first?.value ?? scalarValue(bare);
}

function scalarValue(type: string): unknown {
  if (/^(Int|int\d?|integer|smallint|bigint)$/.test(type)) return 1;
  if (/^(Float|float\d|real|numeric|decimal)$/.test(type)) return 1.5;
  if (/^(Boolean|bool(ean)?)$/.test(type)) return true;
  if (/^jsonb?$/.test(type)) return {};
  if (type === 'ID') return '1';
  if (type === 'uuid') return '00000000-0000-4000-8000-000000000001';
  if (type === 'date') return '2030-01-31';
  if (/^timestamp(tz)?$/.test(type)) return '2030-01-31T12:00:00Z';
  return 'text';
}

export function isAsynchronous({ definition }: Action): boolean {
  return definition.type !== 'query' && definition.kind === 'asynchronous';
}

export interface SampleRequest {
  readonly query: string;
  /** JSON text. */
  readonly variables: string;
}

/** Returns the sources of joined fields of an output type, such as `customer { id }`. */
export type JoinedFields = (typeName: string) => readonly string[];

const noJoins: JoinedFields = () => [];

/** Returns a request with all arguments that selects two levels of the output, with its joined fields. */
export function sampleRequest(action: Action, types: CustomTypes, joined = noJoins): SampleRequest {
  const { name, definition } = action;
  const given = definition.arguments ?? [];
  const declared = given.map((one) => `$${one.name}: ${schemaType(one.type)}`).join(', ');
  const passed = given.map((one) => `${one.name}: $${one.name}`).join(', ');
  const output = { types, joined };
  const selection = isAsynchronous(action) ? '' : selectionOf(definition.output_type, output, '  ', 0);
  const head = `${definition.type ?? 'mutation'} Try${declared === '' ? '' : `(${declared})`}`;
  return {
    query: `${head} {\n  ${name}${passed === '' ? '' : `(${passed})`}${selection}\n}\n`,
    variables: JSON.stringify(sampleInput(action, types), null, 2),
  };
}

/** Returns the query for the result of an asynchronous action. */
export function resultQuery({ name, definition }: Action, types: CustomTypes, joined = noJoins): string {
  const output = `output${selectionOf(definition.output_type, { types, joined }, '    ', 0)}`;
  return `query Result($id: uuid!) {\n  ${name}(id: $id) {\n    id\n    created_at\n    errors\n    ${output}\n  }\n}\n`;
}

function schemaType(type: string): string {
  return type.replace(/[_A-Za-z]\w*/, (name) => scalarAliases[name] ?? name);
}

const SELECTED_LEVELS = 2;

interface OutputTypes {
  readonly types: CustomTypes;
  readonly joined: JoinedFields;
}

function selectionOf(type: string, output: OutputTypes, indent: string, depth: number): string {
  const { types, joined } = output;
  const name = innerName(type);
  const inner = `${indent}  `;
  const union = types.unions?.find((one) => one.name === name);
  const abstract = types.interfaces?.find((one) => one.name === name);
  const members =
    union?.types ??
    (abstract && (types.objects ?? []).filter((one) => one.implements?.includes(name)).map((one) => one.name));
  if (members !== undefined) {
    const parts = members.map((member) => `${inner}... on ${member}${selectionOf(member, output, inner, depth)}`);
    return ` {\n${[`${inner}__typename`, ...parts].join('\n')}\n${indent}}`;
  }
  const object = types.objects?.find((one) => one.name === name);
  if (object === undefined) return '';
  const fields = object.fields.flatMap((field) => {
    if (!isLeaf(field.type, types) && depth + 1 >= SELECTED_LEVELS) return [];
    return [`${inner}${field.name}${selectionOf(field.type, output, inner, depth + 1)}`];
  });
  const joins = joined(name).map((source) => source.replaceAll(/^/gm, inner));
  const all = [...fields, ...joins];
  return ` {\n${(all.length === 0 ? [`${inner}__typename`] : all).join('\n')}\n${indent}}`;
}

function isLeaf(type: string, types: CustomTypes): boolean {
  const name = innerName(type);
  return ![types.objects, types.interfaces, types.unions].some((list) => list?.some((one) => one.name === name));
}

/** Returns the request body that the handler receives. */
export function sampleCall(action: Action, types: CustomTypes, prefix: string): Readonly<Record<string, unknown>> {
  return {
    action: { name: action.name },
    input: sampleInput(action, types),
    session_variables: { [`${prefix}role`]: 'user', [`${prefix}user-id`]: '1' },
    request_query: isAsynchronous(action) ? null : sampleRequest(action, types).query,
  };
}

/** Returns a curl command for the handler. Environment variables become shell variables. */
export function curlOf(action: Action, types: CustomTypes, prefix: string): string {
  const { handler, headers = [] } = action.definition;
  const lines = [
    `curl -X POST ${inShell(handler)}`,
    `-H 'Content-Type: application/json'`,
    ...headers.map((header) =>
      'value' in header
        ? `-H ${inShell(`${header.name}: ${header.value}`)}`
        : `-H "${header.name}: $${header.value_from_env}"`,
    ),
    `-d '${JSON.stringify(sampleCall(action, types, prefix), null, 2).replaceAll("'", "'\\''")}'`,
  ];
  return lines.join(' \\\n  ');
}

/** Quotes text, in double quotes when the shell expands variables. */
function inShell(text: string): string {
  if (!text.includes('{{')) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replaceAll(/["\\$`]/g, (one) => `\\${one}`);
  return `"${escaped.replaceAll(/\{\{\s*([^{}\s]+)\s*\}\}/g, (_all, name: string) => `\${${name}}`)}"`;
}
