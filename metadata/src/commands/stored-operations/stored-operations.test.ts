import { expect, test } from 'vitest';
import { Metadata } from '../../metadata.ts';
import type { Command } from '../edit/command.ts';
import {
  addCollectionToAllowlist,
  dropCollectionFromAllowlist,
  updateScopeOfCollectionInAllowlist,
} from './allow-list.ts';
import {
  addQueryToCollection,
  createQueryCollection,
  dropQueryCollection,
  dropQueryFromCollection,
  renameQueryCollection,
} from './query-collections.ts';
import { dropRestEndpoint } from './rest-endpoints.ts';

const query = 'query { a }';
const metadata = Metadata.parse({
  version: 3,
  query_collections: [{ name: 'shop', definition: { queries: [{ name: 'a', query }] } }],
  allowlist: [{ collection: 'shop', scope: { global: true } }],
});
const queries = (...names: readonly string[]) => ({ queries: names.map((name) => ({ name, query })) });

test.each<readonly [string, Command, object, string]>([
  [
    'a query that is twice in a new collection',
    createQueryCollection,
    { name: 'b', definition: queries('x', 'x') },
    'not-supported',
  ],
  ['a second collection of a name', createQueryCollection, { name: 'shop', definition: queries() }, 'already-exists'],
  ['a new name in use', renameQueryCollection, { name: 'shop', new_name: 'shop' }, 'already-exists'],
  ['a new name for an unknown collection', renameQueryCollection, { name: 'b', new_name: 'c' }, 'not-exists'],
  [
    'dropping a collection in the allow list',
    dropQueryCollection,
    { collection: 'shop', cascade: false },
    'dependency-error',
  ],
  ['dropping a collection without "cascade"', dropQueryCollection, { collection: 'shop' }, 'parse-failed'],
  ['dropping an unknown collection', dropQueryCollection, { collection: 'b', cascade: true }, 'not-exists'],
  [
    'a second query of a name',
    addQueryToCollection,
    { collection_name: 'shop', query_name: 'a', query },
    'already-exists',
  ],
  [
    'a query for an unknown collection',
    addQueryToCollection,
    { collection_name: 'b', query_name: 'a', query },
    'not-exists',
  ],
  ['dropping an unknown query', dropQueryFromCollection, { collection_name: 'shop', query_name: 'b' }, 'not-found'],
  [
    'dropping a query of an unknown collection',
    dropQueryFromCollection,
    { collection_name: 'b', query_name: 'a' },
    'not-exists',
  ],
  ['an unknown collection in the allow list', addCollectionToAllowlist, { collection: 'b' }, 'not-exists'],
  [
    'another scope of a listed collection',
    addCollectionToAllowlist,
    { collection: 'shop', scope: { global: false, roles: ['r'] } },
    'already-exists',
  ],
  [
    'a scope for a collection that is not listed',
    updateScopeOfCollectionInAllowlist,
    { collection: 'b', scope: { global: true } },
    'not-found',
  ],
  ['dropping a collection that is not listed', dropCollectionFromAllowlist, { collection: 'b' }, 'not-found'],
  ['dropping an unknown REST endpoint', dropRestEndpoint, { name: 'b' }, 'not-exists'],
])('%s is an error with its code', (_rule, command, args, code) => {
  expect(() => command.parse(args).apply(metadata)).toThrow(expect.objectContaining({ code }));
});

test.each<readonly [string, Command, object]>([
  ['roles of a global scope', addCollectionToAllowlist, { collection: 'shop', scope: { global: true, roles: ['r'] } }],
  ['a scope without global', addCollectionToAllowlist, { collection: 'shop', scope: { roles: ['r'] } }],
  [
    'a role that is twice in a scope',
    addCollectionToAllowlist,
    { collection: 'shop', scope: { global: false, roles: ['r', 'r'] } },
  ],
  ['a missing scope', updateScopeOfCollectionInAllowlist, { collection: 'shop' }],
])('%s is rejected when arguments are parsed', (_rule, command, args) => {
  expect(() => command.parse(args)).toThrow(expect.objectContaining({ code: 'parse-failed' }));
});

test('a collection that is listed with the same scope may be added again, and cascade drops the entry', () => {
  expect(addCollectionToAllowlist.parse({ collection: 'shop' }).apply(metadata)).toBe(metadata);
  const dropped = dropQueryCollection.parse({ collection: 'shop', cascade: true }).apply(metadata);
  expect(dropped).toMatchObject({ query_collections: [], allowlist: [] });
});

test('a collection is renamed in the targets of triggers', () => {
  const target = (collection: string) => ({ operation: { collection, name: 'a', role: 'user' } });
  const trigger = (name: string, collection: string) => ({
    name,
    schedule: '0 0 * * *',
    include_in_metadata: true,
    target: target(collection),
  });
  const whole = Metadata.parse({
    ...metadata,
    cron_triggers: [trigger('nightly', 'shop'), trigger('other', 'blog')],
    sources: [
      {
        name: 'default',
        tables: [
          {
            table: 'a',
            event_triggers: [{ name: 'changed', definition: { enable_manual: true }, target: target('shop') }],
          },
        ],
      },
    ],
  });
  const renamed = renameQueryCollection.parse({ name: 'shop', new_name: 'store' }).apply(whole);
  expect(renamed.cron_triggers?.map((one) => one.target)).toEqual([target('store'), target('blog')]);
  expect(renamed.sources[0]?.tables[0]?.event_triggers?.[0]?.target).toEqual(target('store'));
});
