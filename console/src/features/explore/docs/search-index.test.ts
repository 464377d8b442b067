/** Tests of the search in the documentation. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { docIndex, placeText, searchDocs } from './search-index.ts';

const schema = buildSchema(`
  "People who buy tea"
  type customer { "Full name" name: String, orders("Rows to skip" offset: Int): [order] }
  type order { id: Int, customer: customer }
  enum status { "Waits for the payment" open closed }
  input customer_exp { name: String }
  type Query { customer(where: customer_exp): customer, status: status }
`);
const index = docIndex(schema);
const find = (text: string): readonly string[] => searchDocs(index, text, 100).entries.map(placeText);

test('finds types, fields, arguments, enum values and descriptions, the best name first', () => {
  expect(find('customer').slice(0, 3)).toEqual(['customer', 'order.customer', 'Query.customer']);
  expect(find('offset')).toEqual(['customer.orders(offset:)']);
  expect(find('closed')).toEqual(['status.closed']);
  expect(find('payment')).toEqual(['status.open']);
  expect(find('buy TEA')).toEqual(['customer']);
});

test('all words must match, in names or in the description', () => {
  expect(find('customer name')).toEqual(['customer.name', 'customer_exp.name']);
  expect(find('orders skip')).toEqual(['customer.orders(offset:)']);
  expect(find('nothing here')).toEqual([]);
  expect(find('  ')).toEqual([]);
});

test('counts the entries that are left out', () => {
  const { entries, total } = searchDocs(index, 'e', 2);
  expect(entries).toHaveLength(2);
  expect(total).toBeGreaterThan(10);
});

test('finds the entries of one table among 98,000', () => {
  const fields = Array.from({ length: 16 }, (_, field) => `field_${field}(where: Int, limit: Int): Int`).join('\n');
  const types = Array.from({ length: 2_000 }, (_, type) => `type table_${type} { ${fields} }`).join('\n');
  const large = docIndex(buildSchema(`${types}\ntype Query { a: table_1 }`, { assumeValid: true }));
  expect(large.length).toBeGreaterThan(98_000);
  const { total } = searchDocs(large, 'table_19 where', 100);
  expect(total).toBe(111 * 16);
});
