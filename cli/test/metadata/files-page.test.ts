/** docs/metadata-files.md has every member of the JSON Schemas. `JOINERY_UPDATE_EXAMPLES=1` writes the tables. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FileName, fileTypes } from '@joinery/metadata/files/files';
import { type JsonSchema, jsonSchemaOf } from '@joinery/metadata/files/json-schema';
import { expect, it } from 'vitest';

const page = fileURLToPath(new URL('../../../docs/metadata-files.md', import.meta.url));

/** Objects that several members have, which have a section of their own. */
const shared = [
  'headers',
  'request_transform',
  'response_transform',
  'target',
  'validate_input',
  'connection_info',
  'to_source',
  'to_remote_schema',
  'to_action',
] as const;
const isShared = (name: string): name is (typeof shared)[number] => (shared as readonly string[]).includes(name);
/** Members that are described by the members of another object of the page. */
const described: Readonly<Record<string, string>> = {
  environments: 'The members are those of this file.',
  read_replicas: 'The members are those of [`connection_info`](#connection_info).',
};
const found = new Map<string, JsonSchema>();

/** Returns the schema without `null` and includes, as its alternatives. */
function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  if (schema.then !== undefined) return alternatives(schema.then);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts !== undefined) return parts.flatMap(alternatives);
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const isIncludable = types.length > 1 && schema.pattern?.startsWith('^!include') === true;
  const own = isIncludable ? types.filter((type) => type !== 'string') : types;
  if (own.length === 0) return schema.type === undefined ? [schema] : [];
  return own.map((type) => ({ ...schema, type }));
}

function typeOf(schema: JsonSchema): string {
  const types = alternatives(schema).map((one): string => {
    if (one.$ref?.endsWith('.json') === true) return `\`${one.$ref.replace('.json', '')}\``;
    if (one.$ref !== undefined) return 'object';
    if (one.enum !== undefined) {
      return one.enum
        .filter((value) => value !== null && value !== '')
        .map((value) => `\`${JSON.stringify(value)}\``)
        .join(' or ');
    }
    if ('const' in one) return `\`${JSON.stringify(one.const)}\``;
    if (one.type === 'array') return `list of ${typeOf(one.items ?? {})}`;
    return one.type === undefined ? 'any JSON' : String(one.type);
  });
  return [...new Set(types)].join(' or ');
}

interface Member {
  readonly schemas: readonly JsonSchema[];
  readonly isRequired: boolean;
}

/** Returns the members of all objects that the schema allows, and of the elements of its lists. */
function membersOf(schema: JsonSchema): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  const objects = alternatives(schema).flatMap((one) => (one.type === 'array' ? alternatives(one.items ?? {}) : [one]));
  const named = objects.filter(({ properties }) => properties !== undefined);
  for (const { properties = {}, required = [] } of named) {
    for (const [name, member] of Object.entries(properties)) {
      if (member.deprecated === true) continue;
      const known = members.get(name);
      const isRequired = required.includes(name) && named.every((one) => one.required?.includes(name) === true);
      members.set(name, { schemas: [...(known?.schemas ?? []), member], isRequired });
    }
  }
  return members;
}

function rowsOf(schema: JsonSchema, path: string): readonly string[] {
  return [...membersOf(schema)].flatMap(([name, { schemas, isRequired }]) => {
    const [first = {}] = schemas;
    const given = first.default === undefined ? undefined : `\`${JSON.stringify(first.default)}\``;
    const row = `| \`${path}${name}\` | ${typeOf({ anyOf: [...schemas] })} | ${given ?? (isRequired ? 'required' : '')} | ${first.description ?? ''} |`;
    if (isShared(name)) {
      if (!found.has(name)) found.set(name, { anyOf: [...schemas] });
      return [row.replace(/ \|$/, ` See [below](#${name}). |`)];
    }
    if (described[name] !== undefined) return [row.replace(/ \|$/, ` ${described[name]} |`)];
    const inner: JsonSchema = { anyOf: schemas.map((one) => valuesOf(one)) };
    const below = membersOf(inner);
    if (below.has('schema') && below.size === 2) return [row];
    const suffix = typeOf(first).startsWith('list') ? '[]' : '';
    return [row, ...rowsOf(inner, `${path}${name}${suffix}.`)];
  });
}

/** Returns the values of an object with free names. */
function valuesOf(schema: JsonSchema): JsonSchema {
  const { properties, additionalProperties: values } = schema;
  return properties === undefined && typeof values === 'object' && Object.keys(values).length > 0 ? values : schema;
}

const header = ['| member | type | default | meaning |', '|---|---|---|---|'];

function section(heading: string, text: string, rows: readonly string[]): string {
  return [`## ${heading}`, text, ...(rows.length === 0 ? [] : [[...header, ...rows].join('\n')])].join('\n\n');
}

function reference(): string {
  const names = Object.keys(fileTypes).filter((name) => name !== 'metadata') as FileName[];
  const files = names.map((name) => {
    const { path, title } = fileTypes[name];
    const schema = jsonSchemaOf(name);
    const list = schema.items === undefined ? '' : ` A list; each element has the members below.`;
    const isOfFiles = schema.items?.$ref !== undefined;
    const text = isOfFiles ? ` A list of ${typeOf(schema.items ?? {})}, written here or included.` : list;
    return section(`\`${path}\``, `${title}.${text} Schema: \`${name}.json\`.`, rowsOf(schema, ''));
  });
  const objects = shared.map((name) =>
    section(`\`${name}\``, 'An object of several files.', rowsOf(found.get(name) ?? {}, '')),
  );
  return `${[...files, ...objects].join('\n\n')}\n`;
}

it('docs/metadata-files.md has the members of every file, with type, default and meaning', () => {
  const text = readFileSync(page, 'utf8');
  const introduction = text.split(/^(?=## `)/m)[0] ?? '';
  const generated = introduction + reference();
  if (process.env.JOINERY_UPDATE_EXAMPLES === '1') writeFileSync(page, generated);
  expect(readFileSync(page, 'utf8')).toBe(generated);
});
