import { Metadata } from '@joinery/metadata/metadata';
import { ActionName, DEFAULT_SOURCE, RemoteSchemaName } from '@joinery/metadata/names';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { catalogOf, tableIn } from '../../test/support/model/catalog.ts';
import type { Model } from './model.ts';
import { resolve } from './resolve.ts';
import type { ResolveInput } from './types/draft.ts';

const catalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text' }, key: ['id'] },
  article: { columns: { id: 'int4!', author_id: 'int4!' }, key: ['id'], foreign: ['author_id -> author.id'] },
});

const whole = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'author',
          array_relationships: [
            { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
          ],
          remote_relationships: [
            {
              name: 'messages',
              hasura_fields: ['id'],
              remote_schema: 'chat',
              remote_field: { messages: { arguments: { author: '$id' } } },
            },
          ],
          select_permissions: [
            { role: 'user', permission: { columns: ['id'], filter: { articles: { id: { _gt: 0 } } } } },
          ],
        },
        {
          table: 'article',
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          select_permissions: [{ role: 'user', permission: { columns: '*', filter: { author: {} } } }],
        },
      ],
    },
  ],
  remote_schemas: [{ name: 'chat', definition: { url: 'http://127.0.0.1:1/graphql' } }],
  custom_types: {
    objects: [
      {
        name: 'Draft',
        fields: [{ name: 'authorId', type: 'Int!' }],
        relationships: [{ name: 'author', type: 'object', remote_table: 'author', field_mapping: { authorId: 'id' } }],
      },
    ],
  },
  actions: [
    {
      name: 'write',
      definition: { output_type: 'Draft', handler: 'http://127.0.0.1:1/write' },
      permissions: [{ role: 'writer' }],
    },
  ],
};

function resolved(metadata: unknown, more: Partial<ResolveInput> = {}): Model {
  return resolve({
    version: 7,
    metadata: Metadata.parse(metadata),
    catalogs: new Map([[DEFAULT_SOURCE, catalog]]),
    upstreams: new Map([
      [RemoteSchemaName.parse('chat'), buildSchema('type Query { messages(author: Int): [String] }')],
    ]),
    environment: {},
    sessionPrefix: 'x-service-',
    ...more,
  });
}

test('every stage uses the objects of earlier stages', () => {
  const model = resolved(whole);
  expect(model.inconsistencies).toEqual([]);
  expect(model.version).toBe(7);
  const author = tableIn(model, 'author');
  expect(author.relationships.get('articles')?.target).toBe(tableIn(model, 'article'));
  expect([...author.joins.keys()]).toEqual(['messages']);
  expect(author.selectAccess.size).toBe(1);
  expect(model.actions.get(ActionName.parse('write'))?.roles.size).toBe(1);
  expect([...model.roles]).toEqual(['user', 'writer']);
});

test('drops everything that depends on a dropped table with the cause, and nothing else', () => {
  const [source] = whole.sources;
  const missing = { ...source?.tables[0], table: 'writer' };
  const model = resolved({ ...whole, sources: [{ ...source, tables: [missing, source?.tables[1]] }] });
  expect(model.inconsistencies.map(({ path }) => path)).toEqual([
    '$.sources[0].tables[0]',
    '$.sources[0].tables[0].array_relationships[0]',
    '$.sources[0].tables[0].select_permissions[0]',
    '$.sources[0].tables[1].object_relationships[0]',
    '$.sources[0].tables[1].select_permissions[0].permission.filter.author',
    '$.sources[0].tables[0].remote_relationships[0]',
    '$.custom_types.objects[0].relationships[0]',
  ]);
  expect(model.inconsistencies.every(({ reason }) => reason.length > 20)).toBe(true);
  expect(tableIn(model, 'article').columns.size).toBe(2);
  expect(model.actions.size).toBe(1);
});

const empty = { version: 3, sources: [] };

test.each([
  [undefined, undefined],
  [{ disabled: true, depth_limit: { global: 5 } }, undefined],
  [
    { disabled: false, depth_limit: { global: 5 } },
    { disabled: false, depth_limit: { global: 5 } },
  ],
  [{ depth_limit: { global: 5 } }, { depth_limit: { global: 5 } }],
])('the limits of %j are %j', (api_limits, limits) => {
  const model = resolved({ ...empty, ...(api_limits && { api_limits }) });
  expect(limits === undefined ? model.limits : { ...model.limits }).toEqual(limits && expect.objectContaining(limits));
});

test('settings of the service are off unless they are given', () => {
  const { strictNullability, apolloFederation, traces } = resolved(empty);
  expect([strictNullability, apolloFederation, traces]).toEqual([false, false, undefined]);
  const set = resolved(empty, { strictNullability: true, apolloFederation: true });
  expect([set.strictNullability, set.apolloFederation]).toEqual([true, true]);
});

test('roles for which introspection is disabled cannot read the schema', () => {
  expect(resolved(empty).unreadable).toEqual(new Set());
  const graphql_schema_introspection = { disabled_for_roles: ['user'] };
  expect(resolved({ ...empty, graphql_schema_introspection }).unreadable).toEqual(new Set(['user']));
});

test('the roles are those of all permissions and inherited roles, without admin', () => {
  const handler = 'http://127.0.0.1:1/';
  const permissionOf = (role: string, permission: object = { columns: [], filter: {} }) => [{ role, permission }];
  const { roles } = resolved({
    version: 3,
    sources: [
      {
        name: 'default',
        tables: [
          {
            table: 'author',
            insert_permissions: permissionOf('inserts', { columns: [], check: {} }),
            select_permissions: permissionOf('selects'),
            update_permissions: permissionOf('updates'),
            delete_permissions: permissionOf('deletes', { filter: {} }),
          },
          { table: 'none', select_permissions: permissionOf('dropped') },
        ],
        functions: [{ function: 'none', permissions: [{ role: 'calls' }] }],
        logical_models: [
          {
            name: 'hot',
            fields: [{ name: 'id', type: { scalar: 'int', nullable: false } }],
            select_permissions: permissionOf('reads'),
          },
        ],
      },
    ],
    actions: [
      { name: 'a', definition: { output_type: 'Int', handler }, permissions: [{ role: 'acts' }, { role: 'admin' }] },
    ],
    remote_schemas: [
      {
        name: 'chat',
        definition: { url: handler },
        permissions: [{ role: 'sees', definition: { schema: 'type Query' } }],
      },
    ],
    inherited_roles: [{ role_name: 'inherits', role_set: ['selects'] }],
  });
  expect([...roles].sort()).toEqual(
    ['inserts', 'selects', 'updates', 'deletes', 'dropped', 'reads', 'calls', 'acts', 'sees', 'inherits'].sort(),
  );
});

test('reports cron triggers that are not valid', () => {
  const trigger = { name: 'daily', webhook: 'http://127.0.0.1:1/', schedule: '0 3 * * *', include_in_metadata: true };
  const wrong = { ...trigger, name: 'wrong', schedule: 'daily' };
  const { inconsistencies } = resolved({ ...empty, cron_triggers: [trigger, wrong] });
  expect(inconsistencies).toMatchObject([
    {
      type: 'cron_trigger',
      name: 'cron_trigger wrong',
      path: '$.cron_triggers[1].schedule',
      code: 'parse-failed',
      reason: expect.stringMatching(/^the schedule /),
      definition: { name: 'wrong' },
    },
  ]);
});

test('reports members without effect', () => {
  expect(resolved({ ...empty, extra: 1 }).inconsistencies).toMatchObject([{ type: 'unsupported', path: '$.extra' }]);
});

test('reports settings of traces that are not valid', () => {
  const { traces, inconsistencies } = resolved({ ...empty, opentelemetry: { status: 5 } });
  expect([traces, inconsistencies.map(({ type }) => type)]).toEqual([undefined, ['open_telemetry']]);
});

/** Yields copies of the value, each without one member or item at any depth. */
function* withoutOne(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield value.toSpliced(index, 1);
      for (const less of withoutOne(item)) yield value.with(index, less);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...rest }: Record<string, unknown> = { ...value };
      yield rest;
      for (const less of withoutOne(member)) yield { ...value, [name]: less };
    }
  } else yield `${value} no more`;
}

test('metadata with missing or misspelled members resolves to a model', () => {
  let tried = 0;
  for (const metadata of withoutOne(whole)) {
    if (!Metadata.safeParse(metadata).success) continue;
    tried += 1;
    expect(resolved(metadata).inconsistencies.length).toBeLessThan(15);
  }
  expect(tried).toBeGreaterThan(50);
});
