/** Rules of subscriptions that are checked before the first poll. */
import { afterAll, beforeAll, describe } from 'vitest';
import { PF, prove, type Rules, startRules, VF } from './rules-fixture.ts';

let rules: Rules;
beforeAll(async () => {
  rules = await startRules();
});
afterAll(() => rules?.stop());

const NS = { code: 'not-supported' } as const;
const stream = (cursor: string, rest = 'batch_size: 1') =>
  `subscription { author_stream(${rest}, cursor: ${cursor}) { id } }`;

describe('a subscription', () => {
  prove(
    () => rules,
    [
      [
        'with two fields',
        'subscription { author { id } article { id } }',
        { ...VF, message: 'subscriptions must select one top level field' },
      ],
      ['with two aliases of one field', 'subscription { a: author { id } b: author { id } }', VF],
      [
        'with several fields by a directive',
        'subscription @_multiple_top_level_fields { author { id } article { id } }',
        { ...VF, message: "directive '_multiple_top_level_fields' is not defined in the schema" },
      ],
      ['with __typename alone', 'subscription { __typename }', { ...NS, message: 'Introspection at root field level' }],
      ['with __typename beside a field', 'subscription { __typename author { id } }', VF],
      ['to a field that does not exist', 'subscription { none { id } }', VF],
      ['to a mutation', 'subscription { insert_author(objects: []) { affected_rows } }', VF],
      ['with __schema', 'subscription { __schema { queryType { name } } }', VF],
      ['with a limit that is negative', 'subscription { author(limit: -1) { id } }', VF],
      ['of a role without the table', 'subscription { detail { id } }', VF, { role: 'user' }],
    ],
    'is rejected ',
  );
});

describe('a stream', () => {
  prove(
    () => rules,
    [
      ['without a cursor', 'subscription { author_stream(batch_size: 1) { id } }', VF],
      ['with an empty list of cursors', stream('[]'), VF],
      ['with two cursors', stream('[{initial_value: {id: 1}}, {initial_value: {name: "a"}}]'), VF],
      ['with a null cursor', stream('[null]'), VF],
      ['without a column', stream('{initial_value: {}}'), VF],
      ['with two columns', stream('{initial_value: {id: 1, name: "a"}}'), VF],
      ['with a null initial value', stream('{initial_value: null}'), VF],
      ['with the start null of a column', stream('{initial_value: {id: null}}'), VF],
      ['with the start null of a nullable column', stream('{initial_value: {age: null}}'), VF],
      ['without an initial value', stream('{ordering: ASC}'), VF],
      ['with a column that does not exist', stream('{initial_value: {none: 1}}'), VF],
      ['with a value of the wrong kind', stream('{initial_value: {id: true}}'), PF],
      ['with an ordering that does not exist', stream('{initial_value: {id: 1}, ordering: asc}'), VF],
      ['without a batch size', 'subscription { author_stream(cursor: {initial_value: {id: 1}}) { id } }', VF],
      ['with a null batch size', stream('{initial_value: {id: 1}}', 'batch_size: null'), VF],
      ['with a negative batch size', stream('{initial_value: {id: 1}}', 'batch_size: -1'), VF],
      ['with order_by', stream('{initial_value: {id: 1}}', 'batch_size: 1, order_by: {id: asc}'), VF],
    ],
    'is rejected ',
  );
});
