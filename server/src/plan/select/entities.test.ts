import { describe, expect, test } from 'vitest';
import { planOf, rootOf } from '../../../test/support/model/planning.ts';
import { column, compare, modelFixture, restrictCells, user } from '../../../test/support/model/sample-model.ts';
import { RawJson } from '../../base/json-value.ts';

function fixture() {
  const made = modelFixture();
  for (const table of [made.author, made.invoice]) Object.assign(table, { isEntity: true });
  return { ...made, request: { model: { ...made.model, apolloFederation: true }, role: user } };
}

describe('_service', () => {
  const serviceOf = (text: string): unknown => {
    const { value } = rootOf(fixture().request, 'constant', text);
    return value instanceof RawJson ? JSON.parse(value.text) : value;
  };

  test('has the SDL of the role', () => {
    expect(serviceOf('{ _service { sdl } }')).toEqual({
      sdl: expect.stringContaining('type author @key(fields: "id") {'),
    });
  });

  test('has its members under their response keys', () => {
    expect(serviceOf('{ _service { t: __typename text: sdl } }')).toEqual({
      t: '_Service',
      text: expect.stringContaining('type query_root'),
    });
  });
});

describe('_entities', () => {
  const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename ... on author { name } } }';

  test('selects the rows of each table by their primary keys', () => {
    const { request, author, invoice, rules } = fixture();
    const { entities } = rootOf(request, 'entities', query, { r: [] });
    const [id, number] = [column(author, 'id'), column(invoice, 'number')];
    expect(entities).toMatchObject({
      representations: { kind: 'variable', name: 'r' },
      path: '$.selectionSet._entities',
      types: [
        {
          typeName: 'author',
          join: {
            keys: [{ name: 'id', type: id.type }],
            target: {
              kind: 'table',
              source: 'default',
              match: [id],
              want: {
                shape: 'object',
                rows: {
                  table: author,
                  where: rules.author,
                  rowLimit: undefined,
                  fields: [
                    { kind: 'constant', value: 'author' },
                    { kind: 'column', alias: 'name' },
                  ],
                },
              },
            },
          },
        },
        {
          typeName: 'invoice',
          join: {
            keys: [{ name: 'number', type: number.type }],
            target: {
              source: 'billing',
              match: [number],
              want: { rows: { fields: [{ kind: 'constant', value: 'invoice' }] } },
            },
          },
        },
      ],
    });
    expect(entities.types.map(({ join: { target } }) => 'cells' in target)).toEqual([false, false]);
  });

  test('selects only rows whose key the role sees', () => {
    const { request, author } = fixture();
    const cells = restrictCells(author, user, 'id', compare(column(author, 'id'), { kind: 'constant', value: 1 }));
    const { entities } = rootOf(request, 'entities', query, { r: [] });
    expect(entities.types[0]?.join.target).toMatchObject({ cells });
  });

  test('has one plan for all representations', () => {
    const { request } = fixture();
    const plan = (r: readonly unknown[]) => planOf(request, query, { r });
    expect(plan([{ __typename: 'author', id: 1 }])).toBe(plan([]));
  });
});
