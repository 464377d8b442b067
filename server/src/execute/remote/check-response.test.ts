import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { expect, it } from 'vitest';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import { checkRemote } from './check-response.ts';

const upstream = buildSchema(`
  enum Speed { FAST SLOW }
  scalar Any
  interface Node { id: ID! }
  type Box implements Node { id: ID! size: Int speed: Speed any: Any open: Boolean weight: Float label: String }
  type Letter implements Node { id: ID! text: String! }
  type Query { box: Box boxes: [Box!] grid: [[Int]] node: Node letters: [Letter] strict: Letter! }
`);
const remote = { name: 'carrier', upstream } as RemoteSchema;

/** Returns the checked value of the first field of `query`, and its errors as "path: message". */
function check(query: string, value: string): { readonly value: unknown; readonly errors: readonly string[] } {
  const [operation] = parse(query).definitions as readonly OperationDefinitionNode[];
  const [field] = operation?.selectionSet.selections ?? [];
  if (field?.kind !== 'Field') throw new Error('the query has no field');
  const type = upstream.getQueryType()?.getFields()[field.name.value]?.type;
  if (type === undefined) throw new Error(`no field ${field.name.value}`);
  const requested = { remote, type, selection: field.selectionSet, members: undefined };
  const { value: checked, errors: found } = checkRemote({}, () => requested, remote, parseJson(value));
  const errors = found.map(({ below, error }) => `${below.join('.')}: ${error.message.split('declares: ')[1]}`);
  return { value: JSON.parse(printJson(checked)), errors };
}

it('does not change a valid response', () => {
  const box = '{"id":1,"size":3,"speed":"FAST","any":{"a":[1]},"open":true,"weight":1.5,"label":"x"}';
  const query = '{ box { id size speed any open weight label } }';
  expect(check(query, box)).toEqual({ value: JSON.parse(box), errors: [] });
});

it.each([
  ['size', '"three"', 'expected Int, found "three"'],
  ['size', '1.5', 'expected Int, found 1.5'],
  ['size', '2147483648', 'expected Int, found 2147483648'],
  ['speed', '"WARP"', 'expected Speed, found "WARP"'],
  ['open', '"true"', 'expected Boolean, found "true"'],
  ['label', '7', 'expected String, found 7'],
  ['label', '["a"]', 'expected String, found a list'],
  ['weight', '"heavy"', 'expected Float, found "heavy"'],
])('makes %s null for %s, with an error at its path', (field, given, message) => {
  expect(check(`{ box { ${field} } }`, `{"${field}":${given}}`)).toEqual({
    value: { [field]: null },
    errors: [`${field}: ${message}`],
  });
});

it('accepts a number in a string for Float', () => {
  expect(check('{ box { weight } }', '{"weight":"12.50"}')).toEqual({ value: { weight: '12.50' }, errors: [] });
});

it('propagates a null at a non-null position to the object', () => {
  expect(check('{ letters { id text } }', '[{"id":"1","text":null},{"id":"2","text":"hi"}]')).toEqual({
    value: [null, { id: '2', text: 'hi' }],
    errors: ['0.text: expected String!, found null'],
  });
});

it('propagates a null item of a non-null item type to the list', () => {
  expect(check('{ boxes { id } }', '[{"id":"1"},"x"]')).toEqual({
    value: null,
    errors: ['1: expected Box, found "x"'],
  });
});

it('reports a missing field of a non-null type', () => {
  expect(check('{ strict { text } }', '{}')).toEqual({
    value: null,
    errors: ['text: expected String!, found nothing'],
  });
});

it('checks the items of nested lists', () => {
  expect(check('{ grid }', '[[1,"x"],null,[2]]')).toEqual({
    value: [[1, null], null, [2]],
    errors: ['0.1: expected Int, found "x"'],
  });
});

it('checks the fields of a fragment if they are present', () => {
  const query = '{ node { id ... on Box { size } ... on Letter { text } } }';
  expect(check(query, '{"id":"b","size":"x"}')).toEqual({
    value: { id: 'b', size: null },
    errors: ['size: expected Int, found "x"'],
  });
});

it('rejects an object in place of a list, and a list in place of an object', () => {
  expect(check('{ boxes { id } }', '{"id":"1"}').errors).toEqual([': expected [Box!], found an object']);
  expect(check('{ box { id } }', '[{"id":"1"}]').errors).toEqual([': expected Box, found a list']);
});

it('checks fields by their alias', () => {
  expect(check('{ box { big: size __proto__: label } }', '{"big":"x","__proto__":1}').errors).toEqual([
    'big: expected Int, found "x"',
    '__proto__: expected String, found 1',
  ]);
});

it('removes members that were not selected, at every level', () => {
  const letters = '[{"__proto__":{"a":1},"text":"hi","id":"1"},{"text":"yo","constructor":1}]';
  expect(check('{ letters { text } }', letters)).toEqual({ value: [{ text: 'hi' }, { text: 'yo' }], errors: [] });
  expect(
    check('{ node { kind: __typename ... on Box { size } } }', '{"kind":"Box","size":1,"__typename":"Box"}'),
  ).toEqual({
    value: { kind: 'Box', size: 1 },
    errors: [],
  });
});
