/** What each metadata command does to a document: the model, written without the code of the service. */
import {
  type Action,
  type Collection,
  type Document,
  type Endpoint,
  type Entry,
  type InheritedRole,
  type ObjectType,
  permissionKinds,
  replaced,
  type Table,
  type TableList,
  withTable,
} from './documents.ts';
import {
  addUnless,
  type EditOf,
  find,
  hasRelationship,
  members,
  rejected,
  relationshipsOf,
  tableOf,
  targetOf,
} from './edit.ts';
import { remoteEdits } from './remote-edits.ts';

/** Returns the edit that adds an entry to a list of a table, where `isTaken` finds none. */
function addTo(
  list: TableList,
  entryOf: (args: Entry) => Entry,
  isTaken: (table: Table, args: Entry) => boolean,
): EditOf {
  return (document, args) => {
    const table = tableOf(document, args);
    if (isTaken(table, args)) rejected('already-exists');
    return withTable(document, table, { ...table, [list]: [...(table[list] ?? []), entryOf(args)] });
  };
}

const relationshipLists = ['object_relationships', 'array_relationships'] as const;

/** Changes or removes the relationship that the arguments name. */
function changeRelationship(document: Document, args: Entry, change: (entry: Entry) => Entry | undefined): Document {
  const table = tableOf(document, args);
  for (const list of relationshipLists) {
    const entry = table[list]?.find(({ name }) => name === (args.relationship ?? args.name));
    if (entry !== undefined) {
      return withTable(document, table, { ...table, [list]: replaced(table[list] ?? [], entry, change(entry)) });
    }
  }
  return rejected('not-exists');
}

/** Renames a relationship, also in the rules of permissions of its table and of the tables with a relationship to it. */
function renameRelationship(document: Document, args: Entry): Document {
  const { name, new_name: renamed } = args;
  const table = tableOf(document, args);
  if (hasRelationship(table, { name: renamed })) rejected('already-exists');
  changeRelationship(document, args, () => undefined);
  const own = table.table.name;
  const inRule = (rule: Entry, at: Table | undefined): Entry =>
    Object.fromEntries(
      Object.entries(rule).map(([key, inner]) => {
        const relationship = at && relationshipsOf(at).find((one) => one.name === key);
        if (relationship === undefined) return [key, inner];
        const target = document.tables.find((one) => one.table.name === targetOf(relationship));
        const isIt = at?.table.name === own && key === name;
        return [isIt ? String(renamed) : key, inRule(inner as Entry, target)];
      }),
    );
  const inPermission = (one: Entry, of: Table): Entry => {
    const { filter, check, ...permission } = one.permission as { readonly filter?: Entry; readonly check?: Entry };
    const rules = { ...(filter && { filter: inRule(filter, of) }), ...(check && { check: inRule(check, of) }) };
    return { ...one, permission: { ...permission, ...rules } };
  };
  const tables = document.tables.map((one): Table => {
    const lists = permissionKinds.flatMap((kind) => {
      const list = one[`${kind}_permissions`];
      return list === undefined ? [] : [[`${kind}_permissions`, list.map((entry) => inPermission(entry, one))]];
    });
    return { ...one, ...Object.fromEntries(lists) };
  });
  return changeRelationship({ ...document, tables }, args, (entry) => ({ ...entry, name: renamed }));
}

function ownerOf(document: Document, name: unknown): readonly [Table, Entry] | undefined {
  for (const table of document.tables) {
    const trigger = table.event_triggers?.find((one) => one.name === name);
    if (trigger !== undefined) return [table, trigger];
  }
  return undefined;
}

function changeTrigger(document: Document, args: Entry, change: (trigger: Entry) => Entry | undefined): Document {
  const [table, trigger] = ownerOf(document, args.name) ?? rejected('not-exists');
  const event_triggers = replaced(table.event_triggers ?? [], trigger, change(trigger));
  return withTable(document, table, { ...table, event_triggers });
}

function pausedAs(entry: Entry, isPaused: boolean): Entry {
  const { paused: _before, ...rest } = entry;
  return isPaused ? { ...rest, paused: true } : rest;
}

function createEventTrigger(document: Document, args: Entry): Document {
  const table = tableOf(document, args);
  const [owner, existing] = ownerOf(document, args.name) ?? [];
  const definition = { ...members(args, 'insert', 'update', 'delete'), enable_manual: false };
  const trigger = { ...members(args, 'name', 'retry_conf', 'webhook'), definition };
  if (existing === undefined) {
    if (args.replace === true) rejected('not-exists');
    return withTable(document, table, { ...table, event_triggers: [...(table.event_triggers ?? []), trigger] });
  }
  if (args.replace !== true) rejected('already-exists');
  if (owner !== table) rejected('not-supported');
  return changeTrigger(document, args, ({ paused }) => pausedAs(trigger, paused === true));
}

function createCronTrigger(document: Document, args: Entry): Document {
  const { replace, ...given } = args;
  const existing = document.cron.find(({ name }) => name === args.name);
  if (existing !== undefined && replace !== true) rejected('already-exists');
  if (existing === undefined && replace === true) rejected('not-exists');
  const trigger = pausedAs(given, existing?.paused === true);
  const cron = existing === undefined ? [...document.cron, trigger] : replaced(document.cron, existing, trigger);
  return { ...document, cron };
}

function pauseCron(isPaused: boolean): EditOf {
  return (document, args) => {
    const trigger = find(document.cron, 'name', args.name);
    return { ...document, cron: replaced(document.cron, trigger, pausedAs(trigger, isPaused)) };
  };
}

function changeType(document: Document, args: Entry, change: (list: readonly Entry[]) => readonly Entry[]): Document {
  const type = find(document.objects, 'name', args.type_name);
  const objects = replaced(document.objects, type, { ...type, relationships: change(type.relationships ?? []) });
  return { ...document, objects };
}

function actionRelationship({ type_name: _type, ...relationship }: Entry): Entry {
  if (!('remote_table' in relationship)) return relationship;
  return { ...relationship, remote_table: { name: relationship.remote_table, schema: 'public' } };
}

function changeAction(document: Document, name: unknown, change: (action: Action) => Action | undefined): Document {
  const action = find(document.actions, 'name', name);
  return { ...document, actions: replaced(document.actions, action, change(action)) };
}

function changeCollection(
  document: Document,
  name: unknown,
  change: (queries: Collection['definition']['queries']) => Collection['definition']['queries'],
): Document {
  const collection = find(document.collections, 'name', name);
  const edited = { ...collection, definition: { queries: change(collection.definition.queries) } };
  return { ...document, collections: replaced(document.collections, collection, edited) };
}

function renameCollection(document: Document, { name, new_name }: Entry): Document {
  if (document.collections.some((one) => one.name === new_name)) rejected('already-exists');
  const collection = find(document.collections, 'name', name);
  const renamed = String(new_name);
  return {
    ...document,
    collections: replaced(document.collections, collection, { ...collection, name: renamed }),
    allowlist: document.allowlist.map((one) => (one.collection === name ? { ...one, collection: renamed } : one)),
    endpoints: document.endpoints.map((one) => {
      const { query } = one.definition;
      return query.collection_name === name
        ? { ...one, definition: { query: { ...query, collection_name: renamed } } }
        : one;
    }),
  };
}

function dropCollection(document: Document, { collection, cascade }: Entry): Document {
  const entry = find(document.collections, 'name', collection);
  const isListed = document.allowlist.some((one) => one.collection === collection);
  if (isListed && cascade !== true) rejected('dependency-error');
  return {
    ...document,
    collections: replaced(document.collections, entry, undefined),
    allowlist: document.allowlist.filter((one) => one.collection !== collection),
  };
}

function allow(document: Document, args: Entry): Document {
  find(document.collections, 'name', args.collection);
  const listed = document.allowlist.find((one) => one.collection === args.collection);
  if (listed === undefined) return { ...document, allowlist: [...document.allowlist, args] };
  const everyone = { global: true };
  if (JSON.stringify(listed.scope ?? everyone) === JSON.stringify(args.scope ?? everyone)) return document;
  return rejected('already-exists');
}

/** Permissions of tables: create and drop. */
const permissionEdits = Object.fromEntries(
  permissionKinds.flatMap((kind): [string, EditOf][] => {
    const list = `${kind}_permissions` as const;
    return [
      [
        `create_${kind}_permission`,
        addTo(
          list,
          (args) => members(args, 'role', 'permission'),
          (table, { role }) => role === 'admin' || (table[list]?.some((one) => one.role === role) ?? false),
        ),
      ],
      [
        `drop_${kind}_permission`,
        (document, args) => {
          const table = tableOf(document, args);
          const entry = find(table[list] ?? [], 'role', args.role);
          return withTable(document, table, { ...table, [list]: replaced(table[list] ?? [], entry, undefined) });
        },
      ],
    ];
  }),
);

/** The edits by the names of their commands. They throw Rejected. */
export const edits: Readonly<Record<string, EditOf>> = {
  ...permissionEdits,
  ...remoteEdits,
  track_table: (document, { table: name }) => {
    if (document.tables.some(({ table }) => table.name === name)) rejected('already-tracked');
    return { ...document, tables: [...document.tables, { table: { name: String(name), schema: 'public' } }] };
  },
  untrack_table: (document, { table: name }) => {
    const entry = document.tables.find(({ table }) => table.name === name) ?? rejected('already-untracked');
    return withTable(document, entry, undefined);
  },
  create_object_relationship: addTo('object_relationships', (args) => members(args, 'name', 'using'), hasRelationship),
  create_array_relationship: addTo('array_relationships', (args) => members(args, 'name', 'using'), hasRelationship),
  drop_relationship: (document, args) => changeRelationship(document, args, () => undefined),
  rename_relationship: renameRelationship,
  set_relationship_comment: (document, args) =>
    changeRelationship(document, args, ({ name, using }) => ({
      name,
      using,
      ...(args.comment !== null && members(args, 'comment')),
    })),
  create_event_trigger: createEventTrigger,
  delete_event_trigger: (document, args) => changeTrigger(document, args, () => undefined),
  pause_event_trigger: (document, args) => changeTrigger(document, args, (one) => pausedAs(one, true)),
  resume_event_trigger: (document, args) => changeTrigger(document, args, (one) => pausedAs(one, false)),
  create_cron_trigger: createCronTrigger,
  delete_cron_trigger: (document, args) => ({
    ...document,
    cron: replaced(document.cron, find(document.cron, 'name', args.name), undefined),
  }),
  pause_cron_trigger: pauseCron(true),
  resume_cron_trigger: pauseCron(false),
  set_custom_types: (document, args) => ({ ...document, objects: args.objects as readonly ObjectType[] }),
  create_action: (document, args) => ({ ...document, actions: addUnless(document.actions, args as Action, 'name') }),
  update_action: (document, args) =>
    changeAction(document, args.name, ({ permissions }) => ({
      ...(args as Action),
      ...(permissions && { permissions }),
    })),
  drop_action: (document, args) => changeAction(document, args.name, () => undefined),
  create_action_permission: (document, { action: name, role }) =>
    changeAction(document, name, (action) => {
      const permissions = action.permissions ?? [];
      if (permissions.some((one) => one.role === role)) rejected('already-exists');
      return { ...action, permissions: [{ role }, ...permissions] };
    }),
  drop_action_permission: (document, { action: name, role }) =>
    changeAction(document, name, (action) => {
      const permissions = action.permissions ?? [];
      return { ...action, permissions: replaced(permissions, find(permissions, 'role', role), undefined) };
    }),
  create_action_relationship: (document, args) =>
    changeType(document, args, (list) => addUnless(list, actionRelationship(args), 'name')),
  update_action_relationship: (document, args) =>
    changeType(document, args, (list) => replaced(list, find(list, 'name', args.name), actionRelationship(args))),
  drop_action_relationship: (document, args) =>
    changeType(document, args, (list) => replaced(list, find(list, 'name', args.name), undefined)),
  create_query_collection: (document, args) => ({
    ...document,
    collections: addUnless(document.collections, args as Collection, 'name'),
  }),
  rename_query_collection: renameCollection,
  drop_query_collection: dropCollection,
  add_query_to_collection: (document, { collection_name, query_name, query }) =>
    changeCollection(document, collection_name, (queries) =>
      addUnless(queries, { name: String(query_name), query: String(query) }, 'name'),
    ),
  drop_query_from_collection: (document, { collection_name, query_name }) =>
    changeCollection(document, collection_name, (queries) =>
      replaced(queries, find(queries, 'name', query_name, 'not-found'), undefined),
    ),
  add_collection_to_allowlist: allow,
  drop_collection_from_allowlist: (document, { collection }) => ({
    ...document,
    allowlist: replaced(document.allowlist, find(document.allowlist, 'collection', collection, 'not-found'), undefined),
  }),
  create_rest_endpoint: (document, args) => ({
    ...document,
    endpoints: addUnless(document.endpoints, args as Endpoint, 'name'),
  }),
  drop_rest_endpoint: (document, { name }) => ({
    ...document,
    endpoints: replaced(document.endpoints, find(document.endpoints, 'name', name), undefined),
  }),
  add_inherited_role: (document, args) => {
    const role = args as InheritedRole;
    if (role.role_name === 'admin') rejected('already-exists');
    if (role.role_set.includes(role.role_name)) rejected('invalid-params');
    return { ...document, roles: [...document.roles.filter((one) => one.role_name !== role.role_name), role] };
  },
  drop_inherited_role: (document, { role_name }) => ({
    ...document,
    roles: replaced(document.roles, find(document.roles, 'role_name', role_name), undefined),
  }),
};
