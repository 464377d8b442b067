/** The JSON Schemas of the files accept what the service accepts, and report misspelled members where they are. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocument } from '@joinery/metadata/document/document';
import { jsonSchemas } from '@joinery/metadata/files/json-schema';
import { emptyMetadata } from '@joinery/metadata/metadata';
import type { Members } from '@joinery/metadata/sdl/actions';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonical } from '../../src/commands/metadata/canonical.ts';
import { kindsOfFiles } from '../../src/project/editor-schemas.ts';
import { plainFiles, readMetadata } from '../../src/project/metadata-directory.ts';
import { parseYaml } from '../../src/project/yaml-file.ts';
import { joinery, textsIn } from '../support/command.ts';

// Keywords of later drafts, such as `deprecated`, are ignored by validators.
const ajv = new Ajv({ allErrors: true, strict: false });
for (const [name, schema] of jsonSchemas()) ajv.addSchema(schema, name);

/** Returns the errors of a value by their paths. */
function errorsOf(kind: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`${kind}.json`);
  if (validate === undefined) throw new Error(`no schema ${kind}.json`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, params.additionalProperty].join(' ').trim(),
  );
}

const projects = ['../../../examples/shop', '../projects/version-3', '../projects/version-2'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

let fresh: string;
beforeAll(async () => {
  fresh = await mkdtemp(join(tmpdir(), 'joinery-schemas-'));
  expect(await joinery(['init', fresh])).toMatchObject({ code: 0 });
});
afterAll(() => rm(fresh, { recursive: true }));

const parsed = (text: string) => parseYaml(text, 'file').document.toJS() as unknown;

/** Every file of a project with its errors. */
async function errorsIn(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const local = await readMetadata({ directory: join(folder, 'metadata') });
  const kinds = kindsOfFiles(local);
  const found = [...local.files.read.keys()].map((file) => {
    const kind = kinds.get(file);
    return [file, kind === undefined ? ['no kind'] : errorsOf(kind, parsed(local.files.read.get(file)?.text ?? ''))];
  });
  const config = await readFile(join(folder, 'config.yaml'), 'utf8');
  return { ...Object.fromEntries(found), 'config.yaml': errorsOf('config', parsed(config)) };
}

describe('the JSON Schemas', () => {
  it.each(projects)('accept every file of the project %s', async (folder) => {
    const errors = await errorsIn(folder);
    expect(Object.entries(errors).filter(([, list]) => list.length > 0)).toEqual([]);
  });

  it('accept every file of a new project', async () => {
    const errors = await errorsIn(fresh);
    expect(Object.entries(errors).filter(([, list]) => list.length > 0)).toEqual([]);
  });

  it('exist for every file of a metadata directory', () => {
    const names = Object.values(plainFiles).map((file) => file.replace('.yaml', '.json'));
    expect(names.filter((name) => !jsonSchemas().has(name))).toEqual([]);
  });

  it.each(projects)('accept each change of the metadata of %s that the service accepts', async (folder) => {
    const metadata = canonical(await readMetadata({ directory: join(folder, 'metadata') }));
    const rejected = partsOf(metadata)
      .flatMap((part) => [...variants(part)])
      .filter(({ document }) => errorsOf('metadata', document).length > 0 && isAccepted(document));
    expect(rejected.map(({ path, document }) => [path, errorsOf('metadata', document)])).toEqual([]);
  });

  it.each([
    ['config', { endpont: 'http://127.0.0.1:8080' }, ' must NOT have additional properties endpont'],
    ['version', { versoin: 3 }, ' must NOT have additional properties versoin'],
    ['databases', [{ name: 'default', tabels: [] }], '/0 must NOT have additional properties tabels'],
    ['tables', [{ table: 'a', is_enm: true }], '/0 must NOT have additional properties is_enm'],
    [
      'table',
      { table: 'a', select_permissions: [{ role: 'user', permission: { columns: '*', filer: {}, filter: {} } }] },
      '/select_permissions/0/permission must NOT have additional properties filer',
    ],
    [
      'table',
      { table: 'a', configuration: { custom_root_fields: { selct: 'a' } } },
      '/configuration/custom_root_fields',
    ],
    ['function', { function: 'f', configuraton: {} }, ' must NOT have additional properties configuraton'],
    [
      'actions',
      { actions: [{ name: 'a', definition: { handler: 'http://h', timout: 3 } }] },
      '/actions/0/definition must NOT have additional properties timout',
    ],
    ['cron_triggers', [{ name: 'a', shedule: '* * * * *' }], '/0 must NOT have additional properties shedule'],
    ['rest_endpoints', [{ name: 'a', url: 'a', methods: ['GTE'] }], '/0/methods/0 must be equal to one of'],
    ['api_limits', { depth_limit: { globl: 3 } }, '/depth_limit must NOT have additional properties globl'],
  ])('report a misspelled member of %s: %j', (kind, value, error) => {
    expect(errorsOf(kind, value).filter((one) => one.startsWith(error.trim()))).toHaveLength(1);
  });

  it.each([
    ['databases', '!include all.yaml'],
    ['databases', ['!include default.yaml']],
    ['source', { name: 'default', tables: '!include default/tables/tables.yaml' }],
    ['tables', ['!include public_author.yaml']],
    ['table', { table: 'a', select_permissions: ['!include a_user.yaml'] }],
    ['table', parsed('table: !include name.yaml')],
  ])('accept the includes of %s: %j', (kind, value) => {
    expect(errorsOf(kind, value)).toEqual([]);
  });

  it('reject text in place of a list that is no include', () => {
    expect(errorsOf('tables', 'public_author')).toEqual(['must match pattern "^!include |\\.ya?ml$"']);
  });

  it('describe every member', () => {
    expect([...jsonSchemas()].flatMap(([name, schema]) => withoutDescription(schema, name))).toEqual([]);
  });

  it('of a new project are those of this version', async () => {
    const texts = await textsIn(join(fresh, 'metadata/.schemas'));
    const written = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, JSON.parse(text)]));
    expect(written).toEqual(Object.fromEntries(jsonSchemas()));
  });
});

/** Documents with one table, or one other element, each. */
function partsOf(metadata: Members): readonly Members[] {
  const sources = metadata.sources as readonly Members[];
  const inSources = sources.flatMap(({ tables, functions, ...source }) => [
    ...listOf(tables).map((table) => ({ name: 'default', tables: [table] })),
    ...listOf(functions).map((one) => ({ name: 'default', functions: [one] })),
    source,
  ]);
  const others = Object.entries(metadata).flatMap(([name, value]) => {
    if (name === 'version' || name === 'sources') return [];
    return Array.isArray(value) ? listOf(value).map((one) => ({ [name]: [one] })) : [{ [name]: value }];
  });
  const documents = [...inSources.map((source) => ({ sources: [source] })), ...others];
  return documents.map((document) => ({ version: 3, ...document }));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isAccepted(document: unknown): boolean {
  try {
    readDocument(document, emptyMetadata);
    return true;
  } catch {
    return false;
  }
}

interface Variant {
  readonly path: string;
  readonly document: unknown;
}

const values = [null, true, 0, 7, '', 'x', '*', [], ['x'], {}];

/** The document with each value below replaced by others, and without each member. */
function* variants(value: unknown, path = '$'): Generator<Variant> {
  if (path !== '$') for (const other of values) yield { path, document: other };
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const copy = (member: unknown): unknown => {
      if (Array.isArray(value)) return value.map((one: unknown, index) => (String(index) === key ? member : one));
      return { ...value, [key]: member };
    };
    for (const variant of variants((value as Record<string, unknown>)[key], `${path}.${key}`)) {
      yield { ...variant, document: copy(variant.document) };
    }
    yield { path: `${path}.${key} is absent`, document: copy(undefined) };
  }
}

/** Returns the paths of the members without a description. */
function withoutDescription(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'if') return [];
    if (keyword !== 'properties') return withoutDescription(value, path);
    return Object.entries(value as Record<string, { readonly description?: string }>).flatMap(([name, member]) => {
      const within = `${path}.${name}`;
      const missing = member.description === undefined ? [within] : [];
      return [...missing, ...withoutDescription(member, within)];
    });
  });
}
