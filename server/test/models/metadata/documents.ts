/** Metadata as the model has it: exports as plain JSON whose lists are sorted as those of exports are. */
import { isDeepStrictEqual } from 'node:util';

interface TableName {
  readonly name: string;
  readonly schema: 'public';
}

/** A relationship, a permission, a trigger or another named member of a list. */
export type Entry = Readonly<Record<string, unknown>>;

export const permissionKinds = ['insert', 'select', 'update', 'delete'] as const;

/** The lists of a table, each with the member that its entries are sorted by. */
export const tableLists = {
  object_relationships: 'name',
  array_relationships: 'name',
  insert_permissions: 'role',
  select_permissions: 'role',
  update_permissions: 'role',
  delete_permissions: 'role',
  event_triggers: 'name',
  remote_relationships: 'name',
} as const;
export type TableList = keyof typeof tableLists;

export type Table = { readonly table: TableName } & { readonly [List in TableList]?: readonly Entry[] };

export interface ObjectType extends Entry {
  readonly name: string;
  readonly relationships?: readonly Entry[];
}

export interface Action extends Entry {
  readonly name: string;
  readonly definition: { readonly output_type: string } & Entry;
  readonly permissions?: readonly Entry[];
}

export interface Collection extends Entry {
  readonly name: string;
  readonly definition: { readonly queries: readonly { readonly name: string; readonly query: string }[] };
}

export interface Endpoint extends Entry {
  readonly name: string;
  readonly url: string;
  readonly definition: { readonly query: { readonly collection_name: string; readonly query_name: string } };
}

export interface InheritedRole extends Entry {
  readonly role_name: string;
  readonly role_set: readonly string[];
}

export interface RemoteSchema extends Entry {
  readonly name: string;
  readonly definition: { readonly url: string } & Entry;
  readonly permissions?: readonly Entry[];
  readonly remote_relationships?: readonly TypeRelationships[];
}

export interface TypeRelationships extends Entry {
  readonly type_name: string;
  readonly relationships: readonly Entry[];
}

/** The schemas of the GraphQL servers: with all fields, or without those that permissions and relationships may need. */
export type Upstreams = Readonly<Record<'BOOKS' | 'FILMS', 'full' | 'reduced'>>;

/** The metadata of one source, with all cron triggers, and the state of the GraphQL servers. Immutable. */
export interface Document {
  readonly tables: readonly Table[];
  readonly objects: readonly ObjectType[];
  readonly actions: readonly Action[];
  readonly cron: readonly Entry[];
  readonly collections: readonly Collection[];
  readonly allowlist: readonly Entry[];
  readonly endpoints: readonly Endpoint[];
  readonly roles: readonly InheritedRole[];
  readonly remotes: readonly RemoteSchema[];
  /** What the nodes have read last. Not a part of exports. */
  readonly upstreams: Upstreams;
}

/** An object of a document that is not usable. */
export interface Problem {
  /** As in `get_inconsistent_metadata`. */
  readonly type: string;
  /** Identifies the object and its definition: the problem is a new one where this was not among the problems before. */
  readonly key: string;
  /** Returns the document without the object. */
  readonly remove: (document: Document) => Document;
}

export const emptyDocument: Document = {
  tables: [],
  objects: [],
  actions: [],
  cron: [],
  collections: [],
  allowlist: [],
  endpoints: [],
  roles: [],
  remotes: [],
  upstreams: { BOOKS: 'full', FILMS: 'full' },
};

/** Returns the list sorted by a member. */
function sortedBy<One extends Entry>(list: readonly One[], member: string): readonly One[] {
  return [...list].sort((one, other) => (String(one[member]) < String(other[member]) ? -1 : 1));
}

/** Returns the document in the form of `export_metadata`; `all`: with the cron triggers that exports leave out. */
export function exported(document: Document, source: Entry, all = false): Entry {
  const cron = document.cron.filter((one) => all || one.include_in_metadata === true);
  const remotes = document.remotes.map(withoutEmpty('permissions')).map(withoutEmpty('remote_relationships'));
  const lists = {
    remote_schemas: sortedBy(remotes, 'name'),
    query_collections: sortedBy(document.collections, 'name'),
    allowlist: sortedBy(document.allowlist, 'collection'),
    actions: sortedBy(document.actions.map(withoutEmpty('permissions')), 'name'),
    cron_triggers: sortedBy(cron, 'name'),
    rest_endpoints: sortedBy(document.endpoints, 'url'),
    inherited_roles: sortedBy(document.roles, 'role_name'),
  };
  const objects = document.objects.map(withoutEmpty('relationships'));
  const metadata = {
    version: 3,
    sources: [{ ...source, tables: document.tables.map(exportedTable).sort(byTable) }],
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(objects.length > 0 && { custom_types: { objects } }),
  };
  // Generated objects have no prototype, and may have undefined members.
  return JSON.parse(JSON.stringify(metadata)) as Entry;
}

function exportedTable(table: Table): Table {
  const lists = Object.entries(tableLists).map(([list, member]) => [
    list,
    sortedBy(table[list as TableList] ?? [], member),
  ]);
  return { table: table.table, ...Object.fromEntries(lists.filter(([, entries]) => (entries?.length ?? 0) > 0)) };
}

function byTable(one: Table, other: Table): number {
  return one.table.name < other.table.name ? -1 : 1;
}

function withoutEmpty<List extends string>(
  list: List,
): <One extends { readonly [Member in List]?: unknown }>(one: One) => One {
  return (one) => {
    const entries = one[list];
    if (!Array.isArray(entries) || entries.length > 0) return one;
    const { [list]: _empty, ...rest } = one;
    return rest as typeof one;
  };
}

/** Returns the changes of a list: `edited` in place of the entry, or without it where that is undefined. */
export function replaced<One>(list: readonly One[], entry: One, edited: One | undefined): readonly One[] {
  return list.flatMap((one) => (one === entry ? (edited === undefined ? [] : [edited]) : [one]));
}

/** Returns the document with an edited table. */
export function withTable(document: Document, entry: Table, edited: Table | undefined): Document {
  return { ...document, tables: replaced(document.tables, entry, edited) };
}

/** Whether both have the same exports. */
export function sameDocument(one: Document, other: Document): boolean {
  return isDeepStrictEqual(exported(one, {}, true), exported(other, {}, true));
}
