import { expect, test } from 'vitest';
import type { StoredVariable, VariableForm } from '../../plan/document/stored.ts';
import { variablesFrom } from './variables.ts';

const variable = (name: string, type: string, form: VariableForm = 'text'): StoredVariable => ({
  name,
  type,
  required: type.endsWith('!'),
  list: type.startsWith('['),
  form,
});
const declared = [
  variable('id', 'Int!', 'number'),
  variable('name', 'String'),
  variable('title', 'String!'),
  variable('flag', 'Boolean', 'boolean'),
];
const read = (query: Readonly<Record<string, readonly string[]>>, body: Readonly<Record<string, unknown>> = {}) =>
  variablesFrom(declared, { path: new Map([['id', '1']]), query: new Map(Object.entries(query)), body, form: false });

test.each<readonly [string, Parameters<typeof read>, object]>([
  ['the text of a segment is read by the type of its variable', [{}], { id: 1 }],
  ['an empty text is no value of a nullable variable', [{ name: [''] }], { id: 1 }],
  ['an empty text is a value of a non-null variable', [{ title: [''] }], { id: 1, title: '' }],
  ['a Boolean without a value is true', [{ flag: [''] }], { id: 1, flag: true }],
  ['members of the body are not converted', [{}, { name: '' }], { id: 1, name: '' }],
  ['names that no variable can have are ignored', [{ 'utm-source': ['x'] }, { 'a.b': 1 }], { id: 1 }],
])('%s', (_rule, given, values) => {
  expect(read(...given)).toEqual(values);
});

test.each<readonly [string, Parameters<typeof read>]>([
  ['the query string', [{ other: ['1'] }]],
  ['the body', [{}, { other: 1 }]],
])('a value for an undeclared variable in %s is rejected', (_place, given) => {
  expect(() => read(...given)).toThrow(
    expect.objectContaining({ code: 'bad-request', status: 400, message: 'Unexpected variable other' }),
  );
});
