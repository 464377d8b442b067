/** Searches the schema of a role by words. */
import type MiniSearch from 'minisearch';
import { ServiceError } from '../../base/errors.ts';
import { type SchemaEntry, schemaEntries, typeDefinition } from '../../schema/inspection/schema-entries.ts';
import type { RoleSchema } from '../../schema/role-schema.ts';
import { wordsOf } from './words.ts';

interface SchemaIndex {
  readonly search: MiniSearch<SchemaEntry>;
  readonly entries: ReadonlyMap<string, SchemaEntry>;
}

const indexes = new WeakMap<RoleSchema['schema'], Promise<SchemaIndex>>();

/** Characters of all definitions of one result. */
const MAX_CHARACTERS = 12_000;
const MAX_RESULTS = 20;

/** Returns the root fields and types that match the words best, as SDL with descriptions. */
export async function searchSchema(schema: RoleSchema, words: string): Promise<string> {
  const index = await indexOf(schema);
  const found = index.search.search(words, {
    prefix: true,
    fuzzy: 0.2,
    boost: { name: 4, description: 2 },
    // The enums of arguments have the words of their tables, and are rarely what is meant.
    boostDocument: (id) => (index.entries.get(String(id))?.kind === 'enum' ? 0.1 : 1),
  });
  const parts: string[] = [];
  let length = 0;
  for (const { id } of found.slice(0, MAX_RESULTS)) {
    const entry = index.entries.get(String(id));
    if (entry === undefined) continue;
    const part = printEntry(entry);
    length += part.length;
    if (parts.length > 0 && length > MAX_CHARACTERS) break;
    parts.push(part.slice(0, MAX_CHARACTERS));
  }
  if (parts.length === 0) return `No root field or type of the role "${schema.role}" matches "${words}".`;
  const more = found.length - parts.length;
  return more > 0 ? `${parts.join('\n\n')}\n\n# ${more} more; use other words or "type"` : parts.join('\n\n');
}

/** Returns the SDL of a type, also of an input type. Throws `not-exists`. */
export function describeType(schema: RoleSchema, name: string): string {
  const found = typeDefinition(schema, name);
  if (found !== undefined) return found;
  throw new ServiceError('not-exists', `the schema of the role "${schema.role}" has no type "${name}"`, {
    path: '$.arguments.type',
  });
}

function printEntry({ kind, definition, description }: SchemaEntry): string {
  if (kind === 'type' || kind === 'enum') return definition;
  return `${description === '' ? '' : `# ${description.replaceAll('\n', ' ')}\n`}${kind} { ${definition} }`;
}

function indexOf(schema: RoleSchema): Promise<SchemaIndex> {
  const known = indexes.get(schema.schema);
  if (known !== undefined) return known;
  const created = createIndex(schema);
  indexes.set(schema.schema, created);
  return created;
}

async function createIndex(schema: RoleSchema): Promise<SchemaIndex> {
  const { default: Search } = await import('minisearch');
  const entries = schemaEntries(schema);
  const search = new Search<SchemaEntry>({ fields: ['name', 'description', 'members'], tokenize: wordsOf });
  // In chunks, so that other requests are served meanwhile.
  await search.addAllAsync([...entries], { chunkSize: 50 });
  return { search, entries: new Map(entries.map((entry) => [entry.id, entry])) };
}
