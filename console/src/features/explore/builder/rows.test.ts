/** Tests of the tree of an operation: its rows, and the text after clicks. */
import { buildSchema, OperationTypeNode, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { applied, type Edit } from '../../../shared/graphql/text-edits.ts';
import type { Row } from './row.ts';
import { addOperation, documentIn, treeRows } from './rows.ts';

const schema = buildSchema(`
  scalar bigint
  enum order_by { asc desc }
  input Int_exp { _eq: Int, _in: [Int!] }
  input customer_exp { id: Int_exp, _and: [customer_exp!], name: String }
  input customer_order { id: order_by, name: order_by }
  input Place { product: String!, count: Int! }
  type purchase { total: bigint, id: Int }
  type customer { name(upper: Boolean): String, id: Int!, purchases(limit: Int): [purchase!]! }
  type remote { url: String }
  union found = customer | remote
  type query_root {
    customer(where: customer_exp, order_by: [customer_order!], limit: Int): [customer!]!
    customer_by_pk(id: Int!): customer
    search(text: String): [found!]
  }
  type mutation_root { place(input: Place!): customer }
  schema { query: query_root, mutation: mutation_root }
`);

interface Options {
  readonly open?: readonly string[];
  readonly sought?: string;
  readonly caret?: number;
}

function rowsOf(text: string, { open = [], sought = '', caret = 0 }: Options = {}): readonly Row[] {
  const document = documentIn(text);
  if (typeof document === 'string') throw new Error(document);
  const isExpanded = (id: string, byDefault: boolean): boolean => byDefault || open.includes(id);
  return treeRows({ text, schema, isExpanded, sought }, document, caret);
}

function find(rows: readonly Row[], id: string): Row {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new Error(`no row ${id} in ${rows.map((one) => one.id).join(' ')}`);
  return row;
}

/** Expands the ancestors of a row, changes it, and expects a valid operation. */
function edited(text: string, id: string, act: (row: Row) => readonly Edit[] | undefined): string {
  const open = [...id].flatMap((character, index) => ('/('.includes(character) ? [id.slice(0, index)] : []));
  const edits = act(find(rowsOf(text, { open }), id));
  const result = applied(text, edits ?? []);
  expect(validate(schema, parse(result)).map(({ message }) => message)).toEqual([]);
  return result;
}

const toggle = (text: string, id: string): string => edited(text, id, (row) => row.toggle?.());

test('shows what the text selects and what the schema offers', () => {
  const rows = rowsOf('query A { one: customer(limit: 1) { name } }');
  const shown = rows.map(({ depth, label, isChecked }) => `${'  '.repeat(depth)}${isChecked ? 'x' : '-'} ${label}`);
  expect(shown).toEqual([
    'x query A',
    '  x one: customer',
    '    - where',
    '    - order_by',
    '    x limit',
    '    x name',
    '    - id',
    '    - purchases',
    '  - customer_by_pk',
    '  - search',
  ]);
  expect(find(rows, '0/one(limit').value).toMatchObject({ kind: 'text', text: '1' });
});

test('adds a field with its required arguments and a first leaf', () => {
  expect(toggle('{\n  customer {\n    name\n  }\n}\n', '0/customer/id')).toBe(
    '{\n  customer {\n    name\n    id\n  }\n}\n',
  );
  expect(toggle('{\n  customer { name }\n}\n', '0/customer/id')).toBe('{\n  customer { name id }\n}\n');
  expect(toggle('{\n  __typename\n}\n', '0/customer_by_pk')).toBe(
    '{\n  __typename\n  customer_by_pk(id: 0) {\n    id\n  }\n}\n',
  );
  expect(toggle('mutation { __typename }', '0/place')).toBe(
    'mutation { __typename place(input: {product: "", count: 0}) { id } }',
  );
});

test('adds the ancestors of a nested field', () => {
  expect(toggle('{\n  __typename\n}', '0/customer/purchases/total')).toBe(
    '{\n  __typename\n  customer {\n    purchases {\n      total\n    }\n  }\n}',
  );
});

test('removes a field, and ancestors that would be empty', () => {
  const text = '{\n  # all\n  customer {\n    purchases { id }\n    name # short\n  }\n}\n';
  expect(toggle(text, '0/customer/purchases')).toBe('{\n  # all\n  customer {\n    name # short\n  }\n}\n');
  expect(toggle('{ customer { purchases { id } } search { __typename } }', '0/customer/purchases/id')).toBe(
    '{ search { __typename } }',
  );
  expect(toggle('{ customer { purchases { id } } }', '0/customer/purchases/id')).toBe('{ __typename }');
});

test('adds, changes and removes nested input', () => {
  expect(toggle('{ customer { id } }', '0/customer(where/id/_eq')).toBe('{ customer(where: {id: {_eq: 0}}) { id } }');
  const text = '{ customer(where: {name: "x", id: {_eq: 1}}) { id } }';
  expect(toggle(text, '0/customer(where/id/_in')).toBe(
    '{ customer(where: {name: "x", id: {_eq: 1, _in: []}}) { id } }',
  );
  expect(toggle(text, '0/customer(where/name')).toBe('{ customer(where: {id: {_eq: 1}}) { id } }');
  expect(toggle(text, '0/customer(where')).toBe('{ customer { id } }');
  expect(toggle(text, '0/customer(order_by/id')).toBe(
    '{ customer(where: {name: "x", id: {_eq: 1}}, order_by: {id: asc}) { id } }',
  );
  expect(toggle('{ customer(limit: 1, order_by: {id: asc}) { id } }', '0/customer(limit')).toBe(
    '{ customer(order_by: {id: asc}) { id } }',
  );
});

test('adds and removes items of lists', () => {
  const one = '{ customer(order_by: {id: asc}) { id } }';
  const two = edited(one, '0/customer(order_by', (row) => row.addItem?.());
  expect(two).toBe('{ customer(order_by: [{id: asc}, {}]) { id } }');
  expect(toggle(two, '0/customer(order_by/1/name')).toBe('{ customer(order_by: [{id: asc}, {name: asc}]) { id } }');
  expect(toggle(two, '0/customer(order_by/0')).toBe('{ customer(order_by: [{}]) { id } }');
  const empty = '{ customer(where: {id: {_in: []}}) { id } }';
  expect(edited(empty, '0/customer(where/id/_in', (row) => row.addItem?.())).toBe(
    '{ customer(where: {id: {_in: [0]}}) { id } }',
  );
});

test('writes typed values as numbers, strings, enum values and variables', () => {
  const type = (text: string, id: string, typed: string) => edited(text, id, (row) => row.value?.change(typed));
  const text = '{ customer(limit: 1, order_by: {id: asc}, where: {name: ""}) { id } }';
  expect(type(text, '0/customer(limit', '20')).toContain('limit: 20');
  expect(type(text, '0/customer(order_by/id', 'desc')).toContain('{id: desc}');
  expect(type(text, '0/customer(where/name', 'it\'s "so"')).toContain('name: "it\'s \\"so\\""');
  const variable = 'query ($n: Int) { customer(limit: 1) { id } a: customer(limit: $n) { id } }';
  expect(type(variable, '0/customer(limit', '$n')).toContain('customer(limit: $n)');
  expect(find(rowsOf(variable), '0/a(limit').value).toMatchObject({ kind: 'text', text: '$n' });
});

test('moves a value to a variable of the operation', () => {
  const extract = (text: string, id: string) => {
    const open = [...id].flatMap((character, index) => ('/('.includes(character) ? [id.slice(0, index)] : []));
    const found = find(rowsOf(text, { open }), id).extract?.();
    const result = applied(text, found?.edits ?? []);
    expect(validate(schema, parse(result)).map(({ message }) => message)).toEqual([]);
    return [result, found?.name, found?.value];
  };
  expect(extract('{ customer(limit: 5) { id } }', '0/customer(limit')).toEqual([
    'query ($limit: Int) { customer(limit: $limit) { id } }',
    'limit',
    5,
  ]);
  expect(extract('query { customer(limit: 5) { id } }', '0/customer(limit')[0]).toContain('query ($limit: Int) {');
  expect(
    extract(
      'query A($limit: Int) { a: customer(limit: $limit) { id } customer(where: {id: {_in: [1, 2]}}) { id } }',
      '0/customer(where',
    ),
  ).toEqual([
    'query A($limit: Int, $where: customer_exp) { a: customer(limit: $limit) { id } customer(where: $where) { id } }',
    'where',
    { id: { _in: [1, 2] } },
  ]);
  expect(find(rowsOf('query A($n: Int) { customer(limit: $n) { id } }'), '0/customer(limit').extract).toBeUndefined();
});

test('keeps aliases, directives and fragments', () => {
  const text =
    'query A($on: Boolean!) { a: customer @include(if: $on) { ...F name } b: customer { id } }\nfragment F on customer { id }';
  expect(toggle(text, '0/a/id')).toContain('a: customer @include(if: $on) { ...F name id }');
  expect(toggle(text, '0/b')).toContain('@include(if: $on) { ...F name } }');
  const inFragment = edited(text, '1/name', (row) => row.toggle?.());
  expect(inFragment).toContain('fragment F on customer { id name }');
  const row = find(rowsOf(text), '0/a/...F');
  expect(row).toMatchObject({ kind: 'spread', isChecked: true });
  expect(applied(text, row.toggle?.() ?? [])).toContain('{ name } b:');
});

test('adds a field again with an alias', () => {
  const text = '{\n  customer(limit: 1) {\n    id\n  }\n}';
  expect(edited(text, '0/customer', (row) => row.duplicate?.())).toBe(
    '{\n  customer(limit: 1) {\n    id\n  }\n  customer2: customer(limit: 1) {\n    id\n  }\n}',
  );
});

test('selects fields of the types of a union', () => {
  expect(toggle('{ search { __typename } }', '0/search/on remote/url')).toBe(
    '{ search { __typename ... on remote { url } } }',
  );
  expect(toggle('{ search { __typename ... on remote { url } } }', '0/search/on remote')).toBe(
    '{ search { __typename } }',
  );
});

test('shows several operations, the one at the caret expanded, and fields that do not exist', () => {
  const text = 'query A { nope }\nmutation B { __typename }';
  expect(rowsOf(text, { caret: 20 }).map(({ label }) => label)).toEqual([
    'query A',
    'mutation B',
    '__typename',
    'place',
  ]);
  expect(rowsOf(text).find(({ label }) => label === 'nope')).toMatchObject({ isKnown: false, isChecked: true });
});

test('finds root fields, and keeps those that are selected', () => {
  expect(
    rowsOf('{ customer { id } }', { sought: 'sea' })
      .filter(({ depth }) => depth === 1)
      .map(({ label }) => label),
  ).toEqual(['customer', 'search']);
});

test('adds operations with names of their own', () => {
  const add = (text: string): string => {
    const document = documentIn(text);
    return typeof document === 'string'
      ? document
      : applied(text, addOperation(text, document, OperationTypeNode.QUERY));
  };
  expect(add(' \n')).toBe('query Query {\n  __typename\n}\n');
  expect(add('query Query { a }\n')).toBe('query Query { a }\n\nquery Query2 {\n  __typename\n}\n');
});

test('reports a syntax error with its line', () => {
  expect(documentIn('{\n  a(\n}')).toMatch(/^Syntax Error: .* \(line 3\)$/);
  expect(documentIn('')).toMatchObject({ definitions: [] });
});
