/** Tests of the reports of members of the metadata that have no effect. */
import { Metadata } from '@joinery/metadata/metadata';
import { expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import { reportUnsupported, unsupportedMember } from './unsupported.ts';

const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'author', select_permissions: [{ role: 'user', permission: { extra: 1 } }] },
        { table: { schema: 'public', name: 'article' } },
        { table: { name: 'tag' } },
        { table: { schema: 'shop', name: 'item' } },
      ],
      functions: [
        { function: 'find' },
        { function: { schema: 'shop', name: 'search' }, permissions: [{ role: 'user' }] },
      ],
      native_queries: [{ root_field_name: 'hot' }],
    },
  ],
  actions: [{ name: 'pay', definition: {} }],
  remote_schemas: [{ name: 'blog', permissions: [{ role: 'user' }] }],
  cron_triggers: [{ name: 'daily' }],
  extra: 1,
};

const member = (path: readonly (string | number)[]) => ({
  path: [...path, 'extra'],
  value: 1,
  kind: 'unknown' as const,
  isIgnored: false,
  advice: '',
  known: [],
});

test.each<[(string | number)[], string, string]>([
  [[], 'the metadata', '$.extra'],
  [['sources', 0], 'source "default"', '$.sources[0].extra'],
  [['sources', 0, 'tables', 0], 'table "author", source "default"', '$.sources[0].tables[0].extra'],
  [['sources', 0, 'tables', 1], 'table "article", source "default"', '$.sources[0].tables[1].extra'],
  [['sources', 0, 'tables', 2], 'table "tag", source "default"', '$.sources[0].tables[2].extra'],
  [['sources', 0, 'tables', 3], 'table "shop.item", source "default"', '$.sources[0].tables[3].extra'],
  [['sources', 0, 'functions', 0], 'function "find", source "default"', '$.sources[0].functions[0].extra'],
  [
    ['sources', 0, 'functions', 1, 'permissions', 0],
    'permission "user", function "shop.search", source "default"',
    '$.sources[0].functions[1].permissions[0].extra',
  ],
  [
    ['sources', 0, 'tables', 0, 'select_permissions', 0, 'permission'],
    'select permission "user", table "author", source "default"',
    '$.sources[0].tables[0].select_permissions[0].permission.extra',
  ],
  [['sources', 0, 'native_queries', 0], 'native query "", source "default"', '$.sources[0].native_queries[0].extra'],
  [['actions', 0, 'definition'], 'action "pay"', '$.actions[0].definition.extra'],
  [
    ['remote_schemas', 0, 'permissions', 0],
    'permission "user", remote schema "blog"',
    '$.remote_schemas[0].permissions[0].extra',
  ],
  [['cron_triggers', 0], 'cron trigger "daily"', '$.cron_triggers[0].extra'],
])('an unknown member in %j is one of %s', (path, owner, jsonPath) => {
  expect(unsupportedMember(member(path), metadata)).toEqual({
    type: 'unsupported',
    name: `extra of ${owner}`,
    path: jsonPath,
    code: 'not-supported',
    reason: `in ${owner}: the member "extra" is unknown and has no effect; remove it`,
    definition: 1,
  });
});

test('an unsupported member is reported with advice', () => {
  const { reason } = unsupportedMember({ ...member(['sources', 0]), kind: 'unsupported', advice: 'do this' }, metadata);
  expect(reason).toBe('in source "default": the member "extra" has no effect; do this');
});

test('reports each member of the stored metadata', () => {
  const { draft, reports } = draftOf({});
  const stored = Metadata.parse({
    version: 3,
    sources: [{ name: 'default', tables: [{ table: 'author', extra: 1 }] }],
    extra: 2,
  });
  runAtOnce(reportUnsupported({ ...draft, input: { ...draft.input, metadata: stored } }));
  expect(reports.map(({ path, definition }) => [path, definition])).toEqual([
    ['$.extra', 2],
    ['$.sources[0].tables[0].extra', 1],
  ]);
});
