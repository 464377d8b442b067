import type { SourceFunction } from '@joinery/metadata/api/sources/catalog';
import { expect, test } from 'vitest';
import { listFunctions, readFunctionSearch, searchFunctions } from './function-list.ts';
import type { DatabaseFunction } from './functions-api.ts';

const called = (name: string, more: Partial<DatabaseFunction> = {}): DatabaseFunction => ({
  oid: 1,
  schema: 'public',
  name,
  identity: '',
  arguments: '',
  result: 'text',
  language: 'sql',
  volatility: 'stable',
  comment: null,
  ...more,
});

const exposed = (name: string, more: Partial<SourceFunction> = {}): SourceFunction => ({
  schema: 'public',
  name,
  arguments: [],
  returns: { schema: 'public', name: 'author' },
  returns_set: true,
  volatility: 'stable',
  comment: null,
  tracked: false,
  ...more,
});

const author = {
  table: { schema: 'public', name: 'author' },
  computed_fields: [{ name: 'first', definition: { function: { schema: 'public', name: 'initial' } } }],
};

const listed = listFunctions(
  [
    called('found', { result: 'SETOF author' }),
    called('popular', { result: 'SETOF author' }),
    called('loose', { result: 'SETOF draft' }),
    called('initial', { arguments: 'self author' }),
    called('stamp', { result: 'trigger' }),
    called('refresh', { result: null, schema: 'jobs' }),
  ],
  [exposed('found', { tracked: true }), exposed('popular'), exposed('loose', { problem: 'draft is not tracked' })],
  [author],
);

test('each function has its use in GraphQL, or the reason why it has none', () => {
  expect(listed.map(({ called: { name }, state, problem, fields }) => [name, state, problem, fields])).toEqual([
    ['found', 'tracked', undefined, []],
    ['popular', 'trackable', undefined, []],
    ['loose', 'other', 'draft is not tracked', []],
    ['initial', 'field', 'it returns text, not rows of a table', ['first of author']],
    ['stamp', 'other', 'triggers call it', []],
    ['refresh', 'other', 'it is a procedure', []],
  ]);
});

test.each([
  ['search=self+text', ['initial']],
  ['search=first', ['initial']],
  ['show=trackable', ['popular']],
  ['schema=jobs', ['refresh']],
  ['show=unknown&search=draft', ['loose']],
])('the search %s finds %j', (address, names) => {
  const search = readFunctionSearch(new URLSearchParams(address));
  expect(searchFunctions(listed, search).map(({ called: { name } }) => name)).toEqual(names);
});
