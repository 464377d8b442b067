/** The inconsistencies of documents: what an object needs that does not exist. */
import {
  type Document,
  type Entry,
  type Problem,
  permissionKinds,
  replaced,
  type Table,
  withTable,
} from './documents.ts';
import { relationshipsOf, targetOf } from './edit.ts';
import { remoteProblemsOf } from './remote-problems.ts';

/** The tables of the database. */
const existingTables: ReadonlySet<string> = new Set(['author', 'article', 'tag']);

/** Lists the problems of a document. */
export function problemsOf(document: Document): readonly Problem[] {
  const found: Problem[] = [];
  const usable = new Set(document.tables.map(({ table }) => table.name).filter((name) => existingTables.has(name)));
  for (const table of document.tables) found.push(...problemsOfTable(table, document, usable));
  found.push(...problemsOfActions(document, usable), ...problemsOfOperations(document, usable));
  found.push(...circularRoles(document), ...remoteProblemsOf(document, usable));
  return found;
}

function problemsOfTable(table: Table, { tables }: Document, usable: ReadonlySet<string>): readonly Problem[] {
  const { name } = table.table;
  const isTable = ({ table: { name: other } }: Table): boolean => other === name;
  const changed = (change: (entry: Table) => Table | undefined) => (document: Document) => {
    const entry = document.tables.find(isTable);
    return entry === undefined ? document : withTable(document, entry, change(entry));
  };
  if (!usable.has(name)) return [{ type: 'table', key: `table ${name}`, remove: changed(() => undefined) }];
  const found: Problem[] = [];
  for (const [list, type] of [
    ['object_relationships', 'object_relation'],
    ['array_relationships', 'array_relation'],
  ] as const) {
    for (const one of table[list] ?? []) {
      if (usable.has(targetOf(one))) continue;
      found.push({
        type,
        key: `${type} ${name}.${one.name}`,
        remove: changed((entry) => ({
          ...entry,
          [list]: (entry[list] ?? []).filter((other) => other.name !== one.name),
        })),
      });
    }
  }
  /** Whether the relationships that a rule names exist, and lead to tables that are usable. */
  const isUsable = (rule: Entry, at: Table): boolean =>
    Object.entries(rule).every(([key, inner]) => {
      if (key === 'id') return true;
      const relationship = relationshipsOf(at).find((one) => one.name === key);
      const target = relationship && tables.find((other) => other.table.name === targetOf(relationship));
      return target !== undefined && usable.has(target.table.name) && isUsable(inner as Entry, target);
    });
  for (const kind of permissionKinds) {
    const list = `${kind}_permissions` as const;
    for (const one of table[list] ?? []) {
      const { filter = {} } = one.permission as { readonly filter?: Entry };
      if (isUsable(filter, table)) continue;
      found.push({
        type: `${kind}_permission`,
        key: `${kind} ${name} ${JSON.stringify(one)}`,
        remove: changed((entry) => ({
          ...entry,
          [list]: (entry[list] ?? []).filter((other) => other.role !== one.role),
        })),
      });
    }
  }
  return found;
}

function problemsOfActions(document: Document, usable: ReadonlySet<string>): readonly Problem[] {
  const { actions, objects } = document;
  const types = new Set(['String', 'Int', ...objects.map(({ name }) => name)]);
  const broken = actions.filter(({ definition }) => !types.has(definition.output_type.replace(/[![\]]/g, '')));
  const callable = new Set(actions.filter((action) => !broken.includes(action)).map(({ name }) => name));
  const found = broken.map(
    (action): Problem => ({
      type: 'action',
      key: `action ${JSON.stringify(action)}`,
      remove: (from) => ({ ...from, actions: from.actions.filter(({ name }) => name !== action.name) }),
    }),
  );
  for (const object of objects) {
    for (const one of object.relationships ?? []) {
      if (hasTarget(one, usable, callable)) continue;
      found.push({
        type: 'action_relationship',
        key: `relationship ${object.name} ${JSON.stringify(one)}`,
        remove: (from) => {
          const entry = from.objects.find(({ name }) => name === object.name);
          if (entry === undefined) return from;
          const relationships = (entry.relationships ?? []).filter(({ name }) => name !== one.name);
          return { ...from, objects: replaced(from.objects, entry, { ...entry, relationships }) };
        },
      });
    }
  }
  return found;
}

function hasTarget(one: Entry, usable: ReadonlySet<string>, callable: ReadonlySet<string>): boolean {
  if ('remote_table' in one) return usable.has((one.remote_table as { readonly name: string }).name);
  return callable.has((one.definition as { to_action: { action: string } }).to_action.action);
}

function problemsOfOperations(document: Document, usable: ReadonlySet<string>): readonly Problem[] {
  const { collections, allowlist, endpoints } = document;
  const found: Problem[] = [];
  for (const collection of collections) {
    for (const query of collection.definition.queries) {
      const [, table] = /^query \{ (author|article|tag) /.exec(query.query) ?? [];
      if (table === undefined || usable.has(table)) continue;
      found.push({
        type: 'query_collections',
        key: `query ${collection.name} ${JSON.stringify(query)}`,
        remove: (from) => {
          const entry = from.collections.find(({ name }) => name === collection.name);
          if (entry === undefined) return from;
          const queries = entry.definition.queries.filter(({ name }) => name !== query.name);
          return { ...from, collections: replaced(from.collections, entry, { ...entry, definition: { queries } }) };
        },
      });
    }
  }
  for (const entry of allowlist) {
    if (collections.some(({ name }) => name === entry.collection)) continue;
    found.push({
      type: 'allowlist',
      key: `allowlist ${JSON.stringify(entry)}`,
      remove: (from) => ({ ...from, allowlist: from.allowlist.filter((one) => one.collection !== entry.collection) }),
    });
  }
  for (const endpoint of endpoints) {
    const { collection_name, query_name } = endpoint.definition.query;
    const collection = collections.find(({ name }) => name === collection_name);
    if (collection?.definition.queries.some(({ name }) => name === query_name)) continue;
    found.push({
      type: 'rest_endpoint',
      key: `endpoint ${JSON.stringify(endpoint)}`,
      remove: (from) => ({ ...from, endpoints: from.endpoints.filter(({ name }) => name !== endpoint.name) }),
    });
  }
  return found;
}

function circularRoles({ roles }: Document): readonly Problem[] {
  const parentsOf = (name: string): readonly string[] => roles.find((one) => one.role_name === name)?.role_set ?? [];
  const ancestors = (name: string): ReadonlySet<string> => {
    const reached = new Set(parentsOf(name));
    for (const one of reached) for (const parent of parentsOf(one)) reached.add(parent);
    return reached;
  };
  const circular = roles.filter(({ role_name }) => ancestors(role_name).has(role_name));
  return circular.map((role) => ({
    type: 'inherited_role',
    key: `role ${JSON.stringify(role)}`,
    remove: (from) => ({ ...from, roles: from.roles.filter((one) => one.role_name !== role.role_name) }),
  }));
}

/** Returns the problems of `after` that `before` does not have. */
export function newProblems(before: Document, after: Document): readonly Problem[] {
  const known = new Set(problemsOf(before).map(({ key }) => key));
  return problemsOf(after).filter(({ key }) => !known.has(key));
}

/** Removes problems until `find` returns none. */
export function withoutProblems(document: Document, find: (current: Document) => readonly Problem[]): Document {
  let current = document;
  for (let found = find(current); found.length > 0; found = find(current)) {
    current = found.reduce((from, { remove }) => remove(from), current);
  }
  return current;
}
