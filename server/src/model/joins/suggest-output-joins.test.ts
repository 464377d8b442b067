import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { type OutputParts, outputModel } from '../../../test/support/model/output-model.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import { findOutputObject } from './output-keys.ts';
import { suggestOutputJoins } from './suggest-output-joins.ts';

type Columns = Readonly<Record<string, string>>;

interface Parts extends Pick<OutputParts, 'otherTables' | 'keys'> {
  readonly type?: string;
  readonly tables?: Readonly<Record<string, Columns>>;
  readonly relationships?: readonly object[];
}

const customers = { id: 'Int', name: 'String' };

/** Returns suggestions for an output type with these fields, as `object customer: default.public.customers customerId=id`. */
function suggest(
  fields: Columns,
  { type = 'Order', tables = { customers }, relationships = [], ...parts }: Parts = {},
) {
  const list = Object.entries(fields).map(([name, written]) => ({ name, type: written }));
  const model = outputModel({
    tables,
    keys: { customers: [['id']] },
    custom_types: { objects: [{ name: type, fields: list, relationships }] },
    outputs: [type],
    ...parts,
  });
  const object = findOutputObject(model, type);
  if (object === undefined) throw new Error(`no output type ${type}`);
  return suggestOutputJoins(object, model).map((one) => {
    const pairs = Object.entries(one.field_mapping).map((pair) => pair.join('='));
    const { schema, name } = one.remote_table;
    return `${one.type} ${one.name}: ${one.source}.${schema}.${name} ${pairs.join(' ')}`;
  });
}

const toCustomer = (name: string, field: string, type = 'object') =>
  `${type} ${name}: default.public.customers ${field}=id`;

describe('a field refers to the row of a table', () => {
  test.each([
    ['customerId', 'Int!', 'customer'],
    ['customer_id', 'Int', 'customer'],
    ['CustomerID', 'Int', 'customer'],
    ['shippingCustomerId', 'Int', 'shippingCustomer'],
  ])('by its name and that of the key: %s', (field, type, name) => {
    expect(suggest({ [field]: type })).toEqual([toCustomer(name, field)]);
  });

  test.each(['[Int!]', '[Int!]!'])('or to several rows, if it is a list: %s', (type) => {
    expect(suggest({ customerId: type })).toEqual([toCustomer('customers', 'customerId', 'array')]);
  });

  test('as the key of its own type', () => {
    expect(suggest({ id: 'Int' }, { type: 'Customer' })).toEqual([toCustomer('customer', 'id')]);
    expect(suggest({ id: 'Int' }, { type: 'NewCustomer' })).toEqual([toCustomer('customer', 'id')]);
  });

  test('by the name of the key alone, if that has several words', () => {
    const shops = { customers: { vatNumber: 'String' } };
    expect(suggest({ vat_number: 'String' }, { tables: shops, keys: { customers: [['vatNumber']] } })).toEqual([
      'object customer: default.public.customers vat_number=vatNumber',
    ]);
  });

  test('by a unique key, which counts once', () => {
    const keys = { customers: [['id'], ['name'], ['id']] };
    expect(suggest({ customerName: 'String', customerId: 'Int' }, { keys })).toEqual([
      toCustomer('customer', 'customerId'),
      'object customerByCustomerName: default.public.customers customerName=name',
    ]);
  });

  test.each([
    ['the name of a key of one word', { id: 'Int' }],
    ['a name that only ends in the same letters', { precustomerId: 'Int' }],
    ['the name of another column', { customerName: 'String' }],
    ['another type', { customerId: 'Boolean' }],
    ['words after that of the key', { customerIdOld: 'Int' }],
  ])('not with %s', (_what, fields) => {
    expect(suggest(fields)).toEqual([]);
  });

  test('not as another field of its own type', () => {
    expect(suggest({ parent: 'Int' }, { type: 'Customer' })).toEqual([]);
  });

  test('not without a key', () => {
    expect(suggest({ customerId: 'Int' }, { keys: {} })).toEqual([]);
  });
});

describe('fields refer to the row of a table by a key of several columns', () => {
  const parts = {
    tables: { places: { country: 'String', 'post area': 'String', city: 'String' } },
    keys: { places: [['country', 'post area']] },
  };

  test('if all of them have names of columns', () => {
    expect(suggest({ postArea: 'String', country: 'String' }, parts)).toEqual([
      'object place: default.public.places country=country postArea=post area',
    ]);
  });

  test.each([
    ['one is missing', { country: 'String' }],
    ['one has another type', { country: 'Boolean', postArea: 'String' }],
  ])('not if %s', (_what, fields) => {
    expect(suggest(fields, parts)).toEqual([]);
  });
});

describe('rows of a table refer to', () => {
  const invoices = { id: 'Int', customer_id: 'Int', order_id: 'Int' };
  const parts = { tables: { invoices }, keys: { invoices: [['id']] } };
  const rows = (name: string, pair: string) => `array ${name}: default.public.invoices ${pair}`;

  test.each([
    ['what a field refers to', { customerId: 'Int' }, [rows('invoices', 'customerId=customer_id')]],
    ['the object itself, by its name', { id: 'Int' }, [rows('invoices', 'id=order_id')]],
  ])('%s', (_what, fields, found) => {
    expect(suggest(fields, parts)).toEqual(found);
  });

  test.each(['id', 'uuid', 'key', 'code', 'number'])('what a field "shop_%s" refers to', (word) => {
    const tables = { invoices: { id: 'Int', [`shop_${word}`]: 'String' } };
    expect(suggest({ [`shop_${word}`]: 'String' }, { ...parts, tables })).toEqual([
      rows('invoices', `shop_${word}=shop_${word}`),
    ]);
  });

  test.each([
    ['a field that is no reference', { shop_name: 'String' }],
    ['a field whose name has one word', { code: 'String' }],
    ['a field whose reference has more words', { shop_id_old: 'String' }],
  ])('not %s', (_what, fields) => {
    expect(suggest(fields, { ...parts, tables: { invoices: { id: 'Int', ...fields } } })).toEqual([]);
  });

  test('not a field of another type', () => {
    expect(suggest({ customerId: 'Boolean' }, parts)).toEqual([]);
  });

  test('one object at most, if the column is unique alone', () => {
    expect(suggest({ customerId: 'Int' }, { ...parts, keys: { invoices: [['id'], ['customer_id']] } })).toEqual([
      'object customer: default.public.invoices customerId=customer_id',
    ]);
    expect(
      suggest({ customerId: 'Int' }, { ...parts, keys: { invoices: [['id'], ['customer_id', 'order_id']] } }),
    ).toEqual([rows('invoices', 'customerId=customer_id')]);
  });
});

describe('suggested relationships', () => {
  const both = {
    tables: { invoices: { id: 'Int', customer_id: 'Int' }, customers },
    keys: { customers: [['id']], invoices: [['id']] },
  };

  test('to one row are first', () => {
    expect(suggest({ customer_id: 'Int' }, both)).toEqual([
      toCustomer('customer', 'customer_id'),
      'array invoices: default.public.invoices customer_id=customer_id',
    ]);
  });

  test('are to tables of all sources and schemas', () => {
    const parts = { tables: { 'shop.customers': customers }, otherTables: { customers } };
    expect(suggest({ customer_id: 'Int' }, parts)).toEqual([
      'object customer: default.shop.customers customer_id=id',
      'object customer_by_customer_id: other.public.customers customer_id=id',
    ]);
  });

  test.each([
    ['snake case', { customer_id: 'Int', note: 'String', customer: 'String' }, 'customer_by_customer_id'],
    ['camel case', { customerId: 'Int', customer: 'String' }, 'customerByCustomerId'],
    ['snake case if both occur', { customerId: 'Int', a_b: 'String', customer: 'String' }, 'customer_by_customerId'],
    ['snake case if a name has neither', { id: 'Int', customer: 'String' }, 'customer_by_id'],
  ])('have free names in %s', (_case, fields, name) => {
    const [field = ''] = Object.keys(fields);
    expect(suggest(fields, { type: field === 'id' ? 'Customer' : 'Order' })).toEqual([toCustomer(name, field)]);
  });

  test('have names that no relationship has', () => {
    const other = { name: 'customer', type: 'object', remote_table: 'customers', field_mapping: { note: 'name' } };
    expect(suggest({ customer_id: 'Int', note: 'String' }, { relationships: [other] })).toEqual([
      toCustomer('customer_by_customer_id', 'customer_id'),
    ]);
  });

  test.each([
    ['by the same columns', { customer_id: 'id' }, 0],
    ['by the same columns and others', { note: 'name', customer_id: 'id' }, 0],
    ['by another field', { other: 'id' }, 1],
    ['by another column', { customer_id: 'score' }, 1],
  ])('are left out if the type has a relationship %s', (_what, field_mapping, count) => {
    const one = { name: 'buyer', type: 'object', remote_table: 'customers', field_mapping };
    const tables = { customers: { ...customers, score: 'Int' } };
    const fields = { customer_id: 'Int', note: 'String', other: 'Int' };
    expect(suggest(fields, { tables, relationships: [one] })).toHaveLength(count);
  });

  test('are not left out for a relationship to another table', () => {
    const one = { name: 'buyer', type: 'object', remote_table: 'people', field_mapping: { customer_id: 'id' } };
    const tables = { customers, people: { id: 'Int' } };
    expect(suggest({ customer_id: 'Int' }, { tables, relationships: [one] })).toEqual([
      toCustomer('customer', 'customer_id'),
    ]);
  });

  test('are at most 50', () => {
    const fields = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}_customer_id`, 'Int']));
    const found = suggest(fields);
    expect([found.length, found.at(-1)]).toEqual([50, toCustomer('a49_customer', 'a49_customer_id')]);
  });

  test('are not to a hidden table', () => {
    const model = outputModel({
      tables: { customers },
      keys: { customers: [['id']] },
      custom_types: { objects: [{ name: 'Order', fields: [{ name: 'customer_id', type: 'Int' }] }] },
      outputs: ['Order'],
    });
    const object = findOutputObject(model, 'Order');
    const source = model.sources.get(DEFAULT_SOURCE);
    const key = relationKey('public', 'customers');
    const table = source?.tables.get(key);
    if (object === undefined || source === undefined || table === undefined)
      throw new Error('the model is not complete');
    const hidden = { ...source, tables: new Map([[key, { ...table, hidden: true as const }]]) };
    expect(suggestOutputJoins(object, { ...model, sources: new Map([[DEFAULT_SOURCE, hidden]]) })).toEqual([]);
  });
});
