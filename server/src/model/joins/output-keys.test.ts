import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { outputModel } from '../../../test/support/model/output-model.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { Model } from '../model.ts';
import { findOutputObject, outputKeys } from './output-keys.ts';

const fields = (written: Readonly<Record<string, string>>) =>
  Object.entries(written).map(([name, type]) => ({ name, type }));

const types = {
  scalars: [{ name: 'Inner' }],
  enums: [{ name: 'size', values: [{ value: 'S' }] }],
  interfaces: [{ name: 'Pet', fields: fields({ owner: 'Owner' }) }],
  unions: [{ name: 'Any', types: ['Member'] }],
  objects: [
    {
      name: 'Order',
      fields: fields({ id: 'Int!', tags: '[String!]', line: '[Line!]', any: 'Any', pet: 'Pet', size: 'size' }),
    },
    { name: 'Line', fields: fields({ order: 'Order', depth: 'Deep' }) },
    { name: 'Deep', fields: fields({ id: 'Int' }) },
    { name: 'Member', fields: fields({ id: 'Int' }) },
    { name: 'Owner', fields: fields({ id: 'Int' }) },
    { name: 'Dog', fields: fields({ owner: 'Owner' }), implements: ['Pet'] },
    { name: 'Unused', fields: fields({ id: 'Int' }) },
    { name: 'Single', fields: fields({ id: 'Int' }) },
  ],
};

function modelOf(): Model {
  return outputModel({
    tables: { order: { id: 'Int', note: 'String', labels: 'String[]' } },
    custom_types: types,
    outputs: ['Single', '[Order!]!', 'Int'],
  });
}

describe('the keys of an output type', () => {
  test('are its fields with their types, and for each column why it cannot be mapped to', () => {
    const model = modelOf();
    const object = findOutputObject(model, 'Order');
    const table = model.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey('public', 'order'));
    if (object === undefined || table === undefined) throw new Error('the model is not complete');
    const [id, tags, line, ...others] = outputKeys(object, table);
    expect([id, tags]).toEqual([
      {
        field: 'id',
        type: 'Int!',
        columns: [
          { column: 'id', type: 'int4' },
          {
            column: 'note',
            type: 'text',
            problem: 'the field has type Int, and the column has type text; the two cannot be compared',
          },
          {
            column: 'labels',
            type: 'text[]',
            problem: 'the field has type Int, and the column has type text[]; the two cannot be compared',
          },
        ],
      },
      {
        field: 'tags',
        type: '[String!]',
        columns: [
          expect.objectContaining({ column: 'id', problem: expect.stringContaining('cannot be compared') }),
          { column: 'note', type: 'text' },
          expect.objectContaining({ column: 'labels' }),
        ],
      },
    ]);
    expect(line?.columns[0]?.problem).toBe('the field is an object, and a key is a scalar or an enum');
    expect(others.map(({ field, type }) => `${field}: ${type}`)).toEqual(['any: Any', 'pet: Pet', 'size: size']);
  });
});

describe('an output type is found', () => {
  test.each([
    ['the output of an action', 'Single'],
    ['a list as the output of an action', 'Order'],
    ['the type of a field', 'Line'],
    ['the type of a field of a field', 'Deep'],
    ['a member of a union', 'Member'],
    ['an implementation of an interface', 'Dog'],
    ['the type of a field of an interface', 'Owner'],
  ])('if it is %s', (_what, name) => {
    expect(findOutputObject(modelOf(), name)?.name).toBe(name);
  });

  test.each([
    ['no action returns', 'Unused'],
    ['does not exist', 'None'],
    ['is a scalar', 'Int'],
    ['is an enum', 'size'],
    ['is an interface', 'Pet'],
  ])('not if it %s', (_what, name) => {
    expect(findOutputObject(modelOf(), name)).toBeUndefined();
  });
});
