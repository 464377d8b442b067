/** Random metadata commands over few names, so that they meet the same objects. */
import fc from 'fast-check';
import { type Document, type Entry, emptyDocument } from './documents.ts';
import { type Command, Rejected } from './edit.ts';
import { edits } from './edits.ts';
import { fullRemotes, reloadCommand, remoteCommands } from './remote-commands.ts';

const tableName = fc.constantFrom('author', 'article', 'tag');
const role = fc.constantFrom('user', 'editor', 'guest');

/** The second column of each table. */
const secondColumns: Readonly<Record<string, string>> = { author: 'name', article: 'title', tag: 'label' };

/** The relationship of each table, with the command that creates it. */
const relationships: Readonly<Record<string, readonly [command: string, name: string, using: Entry]>> = {
  author: [
    'create_array_relationship',
    'articles',
    { foreign_key_constraint_on: { column: 'author_id', table: { name: 'article', schema: 'public' } } },
  ],
  article: ['create_object_relationship', 'author', { foreign_key_constraint_on: 'author_id' }],
  tag: [
    'create_object_relationship',
    'owner',
    {
      manual_configuration: {
        remote_table: { name: 'author', schema: 'public' },
        column_mapping: { id: 'id' },
      },
    },
  ],
};

/** The name that renamed relationships have. */
const RENAMED = 'renamed';

const relationshipOf = (table: string) => relationships[table] ?? relationships.author ?? ['', '', {}];

function command(type: string, args: Entry): Command {
  return { type, args };
}

const trackCommands = fc.oneof(
  fc.constantFrom('author', 'article', 'tag', 'ghost').map((table) => command('track_table', { table })),
  fc
    .record({ table: fc.constantFrom('author', 'article', 'tag', 'ghost'), cascade: fc.boolean() })
    .map((args) => command('untrack_table', args)),
);

const isRenamed = fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true));
const nameOf = (table: string, renamed: boolean): string => (renamed ? RENAMED : relationshipOf(table)[1]);

const relationshipCommands = fc.oneof(
  tableName.map((table) => {
    const [type, name, using] = relationshipOf(table);
    return command(type, { table, name, using });
  }),
  fc
    .record({ table: tableName, renamed: isRenamed, cascade: fc.boolean() })
    .map(({ table, renamed, cascade }) =>
      command('drop_relationship', { table, relationship: nameOf(table, renamed), cascade }),
    ),
  fc
    .record({ table: tableName, renamed: isRenamed, comment: fc.constantFrom('one', 'two', null) })
    .map(({ table, renamed, comment }) =>
      command('set_relationship_comment', { table, name: nameOf(table, renamed), comment }),
    ),
  fc
    .record({ table: tableName, renamed: isRenamed })
    .map(({ table, renamed }) =>
      command('rename_relationship', { table, name: nameOf(table, renamed), new_name: nameOf(table, !renamed) }),
    ),
);

/** The table that the relationship of a table leads to. */
const targetOf: Readonly<Record<string, string>> = { author: 'article', article: 'author', tag: 'author' };

const filterKinds = ['all', 'own', 'related', 'distant'] as const;

const filterOf = (table: string, kind: (typeof filterKinds)[number]): Entry => {
  if (kind === 'all') return {};
  if (kind === 'own') return { id: { _eq: 'X-Service-User-Id' } };
  const related = kind === 'related' ? { id: { _gt: 0 } } : filterOf(targetOf[table] ?? '', 'related');
  return { [relationshipOf(table)[1]]: related };
};

const filterKind = fc.constantFrom(...filterKinds);

const permissionCommands = fc.oneof(
  fc
    .record({
      table: tableName,
      role: fc.oneof({ weight: 12, arbitrary: role }, fc.constant('admin')),
      filter: filterKind,
      more: fc.constantFrom({}, { limit: 10 }, { allow_aggregations: true }),
    })
    .map(({ table, role: to, filter, more }) =>
      command('create_select_permission', {
        table,
        role: to,
        permission: { columns: ['id', secondColumns[table] ?? ''], filter: filterOf(table, filter), ...more },
      }),
    ),
  fc
    .record({ table: tableName, kind: fc.constantFrom('insert', 'update', 'delete'), filter: filterKind })
    .map(({ table, kind, filter: filterOfKind }) => {
      const filter = filterOf(table, filterOfKind);
      const own = filterOf(table, 'own');
      const permission = {
        insert: { check: own, columns: ['id'] },
        update: { columns: ['id', secondColumns[table] ?? ''], filter, check: own },
        delete: { filter },
      }[kind];
      // Different write permissions of the parents of a role would be an inconsistency of that role.
      return command(`create_${kind}_permission`, { table, role: 'user', permission });
    }),
  fc
    .record({ table: tableName, kind: fc.constantFrom('insert', 'select', 'update', 'delete'), role })
    .map(({ kind, ...args }) => command(`drop_${kind}_permission`, args)),
);

const operations = fc.record(
  {
    insert: fc.constant({ columns: '*' }),
    update: fc.constant({ columns: ['id'] }),
    delete: fc.constant({ columns: '*' }),
  },
  { requiredKeys: ['update'] },
);

const triggerName = fc.constantFrom('first', 'second');
const eventTriggerCommands = fc.oneof(
  fc
    .record({ name: triggerName, table: tableName, operations, replace: fc.boolean(), retries: fc.constantFrom(0, 3) })
    .map(({ operations: given, retries, ...args }) =>
      command('create_event_trigger', {
        ...args,
        ...given,
        webhook: 'http://127.0.0.1:9/',
        retry_conf: { num_retries: retries, interval_sec: 10, timeout_sec: 60 },
      }),
    ),
  fc
    .record({
      type: fc.constantFrom('delete_event_trigger', 'pause_event_trigger', 'resume_event_trigger'),
      name: triggerName,
    })
    .map(({ type, name }) => command(type, { name })),
);

const cronName = fc.constantFrom('daily', 'yearly');
const cronCommands = fc.oneof(
  fc
    .record({
      name: cronName,
      replace: fc.boolean(),
      include_in_metadata: fc.boolean(),
      payload: fc.constantFrom(1, 'two', { deep: [null] }),
    })
    .map((args) => command('create_cron_trigger', { ...args, webhook: 'http://127.0.0.1:9/', schedule: '0 0 1 1 *' })),
  fc
    .record({
      type: fc.constantFrom('delete_cron_trigger', 'pause_cron_trigger', 'resume_cron_trigger'),
      name: cronName,
    })
    .map(({ type, name }) => command(type, { name })),
);

const result = {
  name: 'Result',
  fields: [
    { name: 'id', type: 'Int!' },
    { name: 'title', type: 'String' },
  ],
};
const note = { name: 'Note', fields: [{ name: 'id', type: 'Int!' }] };
const linked = {
  ...result,
  relationships: [
    { name: 'owner', type: 'object', remote_table: { name: 'author', schema: 'public' }, field_mapping: { id: 'id' } },
  ],
};

const actionName = fc.constantFrom('find', 'search');
const typeName = fc.constantFrom('Result', 'Note');
const actionCommands = fc.oneof(
  fc
    .constantFrom([], [result], [note], [result, note], [note, linked])
    .map((objects) => command('set_custom_types', { objects })),
  fc
    .record({
      type: fc.constantFrom('create_action', 'update_action'),
      name: actionName,
      output: fc.constantFrom('Result', 'Result!', '[Note!]', 'String'),
      comment: fc.constantFrom(undefined, 'found'),
    })
    .map(({ type, name, output, comment }) =>
      command(type, {
        name,
        definition: {
          type: 'query',
          handler: 'http://127.0.0.1:9/',
          output_type: output,
          arguments: [{ name: 'id', type: 'Int!' }],
        },
        ...(comment !== undefined && { comment }),
      }),
    ),
  actionName.map((name) => command('drop_action', { name })),
  fc
    .record({ type: fc.constantFrom('create_action_permission', 'drop_action_permission'), action: actionName, role })
    .map(({ type, ...args }) => command(type, args)),
);

const relationshipName = fc.constantFrom('owner', 'next');
const actionRelationshipCommands = fc.oneof(
  fc
    .record({
      type: fc.constantFrom('create_action_relationship', 'update_action_relationship'),
      type_name: typeName,
      name: relationshipName,
      target: fc.oneof(
        fc
          .constantFrom('author', 'tag')
          .map((remote_table) => ({ type: 'object', remote_table, field_mapping: { id: 'id' } })),
        actionName.map((action) => ({ definition: { to_action: { action, arguments: { id: '$id' } } } })),
      ),
    })
    .map(({ type, type_name, name, target }) => command(type, { type_name, name, ...target })),
  fc.record({ type_name: typeName, name: relationshipName }).map((args) => command('drop_action_relationship', args)),
);

const collectionName = fc.constantFrom('desk', 'shop');
const queryName = fc.constantFrom('one', 'two');
const query = fc.constantFrom('query { __typename }', 'query { author { id } }', 'query { tag { id } }');
const collectionCommands = fc.oneof(
  fc
    .record({
      name: collectionName,
      queries: fc.uniqueArray(fc.record({ name: queryName, query }), { maxLength: 2, selector: ({ name }) => name }),
    })
    .map(({ name, queries }) => command('create_query_collection', { name, definition: { queries } })),
  fc
    .record({ collection_name: collectionName, query_name: queryName, query })
    .map((args) => command('add_query_to_collection', args)),
  fc
    .record({ collection_name: collectionName, query_name: queryName })
    .map((args) => command('drop_query_from_collection', args)),
  fc
    .record({ collection: collectionName, cascade: fc.boolean() })
    .map((args) => command('drop_query_collection', args)),
  fc.record({ name: collectionName, new_name: collectionName }).map((args) => command('rename_query_collection', args)),
  fc
    .record(
      { collection: collectionName, scope: fc.constantFrom({ global: true }, { global: false, roles: ['user'] }) },
      { requiredKeys: ['collection'] },
    )
    .map((args) => command('add_collection_to_allowlist', args)),
  collectionName.map((collection) => command('drop_collection_from_allowlist', { collection })),
  fc
    .record({ name: fc.constantFrom('first', 'second'), collection_name: collectionName, query_name: queryName })
    .map(({ name, ...target }) =>
      command('create_rest_endpoint', { name, url: `rest-${name}`, methods: ['GET'], definition: { query: target } }),
    ),
  fc.constantFrom('first', 'second').map((name) => command('drop_rest_endpoint', { name })),
);

const roleCommands = fc.oneof(
  fc
    .record({
      role_name: fc.oneof({ weight: 12, arbitrary: fc.constantFrom('chief', 'super') }, fc.constant('admin')),
      role_set: fc.constantFrom(['user', 'guest'], ['editor', 'guest'], ['super', 'guest'], ['chief'], ['super']),
    })
    .map((args) => command('add_inherited_role', args)),
  fc.constantFrom('chief', 'super').map((role_name) => command('drop_inherited_role', { role_name })),
);

/** Commands on relationships, and on permissions whose rules use them. */
export const relatedCommand: fc.Arbitrary<Command> = fc.oneof(relationshipCommands, permissionCommands);

/** Commands that edit one object. */
const editCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: trackCommands },
  { weight: 2, arbitrary: relationshipCommands },
  { weight: 4, arbitrary: permissionCommands },
  { weight: 2, arbitrary: eventTriggerCommands },
  { weight: 2, arbitrary: cronCommands },
  { weight: 3, arbitrary: actionCommands },
  { weight: 2, arbitrary: actionRelationshipCommands },
  { weight: 4, arbitrary: collectionCommands },
  { weight: 1, arbitrary: roleCommands },
  { weight: 5, arbitrary: remoteCommands },
);

/** Applies the edits that are possible, without checking their result. */
function draft(base: Document, list: readonly Command[]): Document {
  return list.reduce((document, { type, args }) => {
    try {
      return edits[type]?.(document, args) ?? document;
    } catch (error) {
      if (error instanceof Rejected) return document;
      throw error;
    }
  }, base);
}

const [ofAuthor, ofArticle, ofTag] = ['author', 'article', 'tag'].map((table) => relationshipOf(table));

/** Metadata with objects of every kind. */
export const fullDocument: Document = draft(emptyDocument, [
  ...['author', 'article', 'tag'].map((table) => command('track_table', { table })),
  ...[ofAuthor, ofArticle, ofTag].map((one, index) =>
    command(one?.[0] ?? '', { table: ['author', 'article', 'tag'][index], name: one?.[1], using: one?.[2] }),
  ),
  command('create_select_permission', {
    table: 'article',
    role: 'user',
    permission: { columns: ['id', 'title'], filter: filterOf('article', 'related') },
  }),
  command('create_select_permission', {
    table: 'tag',
    role: 'user',
    permission: { columns: ['id', 'label'], filter: filterOf('tag', 'distant') },
  }),
  command('create_event_trigger', {
    name: 'first',
    table: 'tag',
    update: { columns: ['id'] },
    webhook: 'http://127.0.0.1:9/',
    retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
  }),
  command('set_custom_types', { objects: [note, linked] }),
  command('create_query_collection', {
    name: 'desk',
    definition: { queries: [{ name: 'one', query: 'query { author { id } }' }] },
  }),
  command('create_rest_endpoint', {
    name: 'first',
    url: 'rest-first',
    methods: ['GET'],
    definition: { query: { collection_name: 'desk', query_name: 'one' } },
  }),
  command('add_inherited_role', { role_name: 'super', role_set: ['user', 'guest'] }),
  ...fullRemotes,
]);

/** Metadata in which objects of several kinds lack what they need, some only when others have been dropped. */
export const brokenDocument: Document = draft(fullDocument, [command('untrack_table', { table: 'author' })]);

const replacement = fc
  .record({
    base: fc.constantFrom(fullDocument, brokenDocument, emptyDocument),
    list: fc.array(editCommand, { maxLength: 6 }),
    allow_inconsistent_metadata: fc.constantFrom(true, false, undefined),
  })
  .map(({ base, list, allow_inconsistent_metadata }) =>
    command('replace_metadata', { document: draft(base, list), allow_inconsistent_metadata }),
  );

/** Commands whose arguments do not have the form that they require. */
const malformed = fc.constantFrom(
  command('track_table_', { table: 'author' }),
  command('untrack_table_', {}),
  command('create_action_', { name: 'find' }),
);

const elements = (most: number) =>
  fc.array(editCommand, { minLength: 1, maxLength: most }).map((list) => ({ elements: list }));

/** All commands. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 20, arbitrary: editCommand },
  { weight: 3, arbitrary: replacement },
  { weight: 3, arbitrary: elements(3).map((args) => command('bulk', args)) },
  { weight: 3, arbitrary: elements(3).map((args) => command('bulk_atomic', args)) },
  { weight: 2, arbitrary: elements(4).map((args) => command('bulk_keep_going', args)) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('drop_inconsistent_metadata', 'drop_inconsistent_metadata', 'reload_metadata', 'clear_metadata')
      .map((type) => command(type, {})),
  },
  { weight: 1, arbitrary: malformed },
  { weight: 1, arbitrary: reloadCommand },
);
