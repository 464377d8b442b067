import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { nativeRoots, nativeTable, resolveNative, rowModel } from '../../../test/support/model/native-queries.ts';

const fields = (...list: readonly object[]) => [{ ...rowModel, fields: list }];

describe('a logical model', () => {
  test('has columns for its fields that nothing can write', () => {
    const described = { name: 'label', type: 'varchar(3)', nullable: true, description: 'shown' };
    const table = nativeTable(resolveNative({ models: fields({ name: 'id', type: 'int' }, described) }));
    expect([...table.columns.values()]).toEqual([
      {
        name: 'id',
        field: 'id',
        type: expect.objectContaining({ name: 'int4' }),
        nullable: false,
        comment: undefined,
        hasDefault: false,
        writable: 'no',
      },
      expect.objectContaining({ name: 'label', field: 'label', nullable: true, comment: 'shown', writable: 'no' }),
    ]);
    expect(table.columnsByName).toBe(table.columns);
  });

  test.each([
    ['a name', 'bigint', 'int8'],
    ['an object', { scalar: 'BIGINT' }, 'int8'],
    ['a list', { array: 'bigint' }, '_int8'],
    ['a list of lists', { array: { array: { scalar: 'bigint' } } }, '__int8'],
  ])('has a field whose type is %s', (_form, type, name) => {
    const table = nativeTable(resolveNative({ models: fields({ name: 'value', type }) }));
    expect(table.columns.get('value')?.type.name).toBe(name);
  });

  test.each([
    ['of the field', { type: 'int', nullable: true }, true],
    ['of the field, for a type that is an object', { type: { scalar: 'int' }, nullable: true }, true],
    ['of the type', { type: { scalar: 'int', nullable: true } }, true],
    ['of the type, which takes precedence', { type: { scalar: 'int', nullable: false }, nullable: true }, false],
    ['that is absent', { type: { scalar: 'int' } }, false],
  ])('has the nullability %s', (_where, field, nullable) => {
    const table = nativeTable(resolveNative({ models: fields({ name: 'value', ...field }) }));
    expect(table.columns.get('value')?.nullable).toBe(nullable);
  });

  test('gives its types names of its own, and its rows a comment', () => {
    expect(nativeTable(resolveNative({}))).toMatchObject({
      schema: 'public',
      graphqlName: 'row',
      typeNames: {
        '': 'row',
        _bool_exp: 'row_bool_exp_bool_exp',
        _order_by: 'row_order_by',
        _select_column: 'row_enum_name',
      },
      comment: 'A row of the logical model "row"',
    });
    const models = [{ ...rowModel, description: 'Mine' }];
    expect(nativeTable(resolveNative({ models })).comment).toBe('Mine');
  });

  test('has the prefix and suffix of the source in the names of inputs only', () => {
    const customization = { type_names: { prefix: 'p_', suffix: '_s' } };
    expect(nativeTable(resolveNative({ source: { customization } })).typeNames).toEqual({
      '': 'row',
      _bool_exp: 'p_row_bool_exp_bool_exp_s',
      _order_by: 'p_row_order_by_s',
      _select_column: 'row_enum_name',
    });
  });

  test('has the naming convention of the source', () => {
    const customization = { naming_convention: 'graphql-default' };
    expect(nativeTable(resolveNative({ source: { customization } })).convention).toBe('graphql-default');
    expect(nativeTable(resolveNative({}))).not.toHaveProperty('convention');
  });

  test('has no root fields but that of the query, no key and no mutations', () => {
    const table = nativeTable(resolveNative({}));
    expect(table).toMatchObject({
      roots: { select: 'rows', select_by_pk: '', select_aggregate: '' },
      streamRoot: '',
      connectionRoot: '',
      primaryKey: undefined,
      uniqueKeys: [],
      insertable: false,
      updatable: false,
      deletable: false,
    });
    expect(new Set(Object.values(table.mutationRoots))).toEqual(new Set(['']));
    expect(Object.keys(table.mutationRoots)).toHaveLength(7);
  });
});

describe('an invalid logical model is dropped', () => {
  test.each([
    ['without fields', [], 'it has no field of a scalar type; add one'],
    [
      'with relationships only',
      [{ name: 'a', type: { logical_model: 'row' } }],
      'it has no field of a scalar type; add one',
    ],
    [
      'with a list of rows only',
      [{ name: 'a', type: { array: { logical_model: 'row' } } }],
      'it has no field of a scalar type; add one',
    ],
    [
      'with a field that has no GraphQL name',
      [{ name: 'a b', type: 'int' }],
      'the field "a b" has no GraphQL name; rename it',
    ],
    [
      'with a column twice',
      [
        { name: 'a', type: 'int' },
        { name: 'a', type: { logical_model: 'row' } },
      ],
      'it has two fields "a"; remove one',
    ],
    [
      'with a relationship twice',
      [
        { name: 'a', type: { logical_model: 'row' } },
        { name: 'a', type: 'int' },
      ],
      'it has two fields "a"; remove one',
    ],
    [
      'with an unknown type',
      [{ name: 'a', type: { array: 'thing' } }],
      `in field "a": Did not recognize scalar type 'thing'`,
    ],
  ])('%s, with its permissions and native queries', (_what, list, reason) => {
    const permission = { columns: ['a'], filter: {} };
    const models = [{ ...rowModel, fields: list, select_permissions: [{ role: 'user', permission }] }];
    const model = resolveNative({ models });
    expect(model.inconsistencies).toEqual([
      {
        type: 'logical_model',
        name: 'logical_model row in source default',
        path: '$.sources[0].logical_models[0]',
        code: 'invalid-configuration',
        reason: `in logical model "row": ${reason}`,
        definition: models[0],
      },
      {
        type: 'select_permission',
        name: 'select_permission user in logical_model row in source default',
        path: '$.sources[0].logical_models[0].select_permissions[0]',
        code: 'invalid-configuration',
        reason: `in logical model "row": in permission for role "user": logical model "row" was dropped: ${reason}`,
        definition: { role: 'user', permission, comment: null, source: 'default', logical_model: 'row' },
      },
      expect.objectContaining({
        type: 'native_query',
        reason: 'in native query "rows": Logical model "row" does not exist in the source, or was dropped',
      }),
    ]);
    expect(nativeRoots(model)).toEqual([]);
  });

  test('without permissions alone', () => {
    const { inconsistencies } = resolveNative({ models: fields(), queries: [] });
    expect(inconsistencies.map(({ path }) => path)).toEqual(['$.sources[0].logical_models[0]']);
  });
});

describe('a permission on a logical model', () => {
  const user = RoleName.parse('user');
  const granted = (permission: object, role = 'user', comment?: string) => ({
    role,
    permission: { columns: ['id'], filter: {}, ...permission },
    ...(comment && { comment }),
  });
  const resolved = (select_permissions: readonly object[], metadata: object = {}) =>
    resolveNative({ models: [{ ...rowModel, select_permissions }], metadata });

  test('limits the columns and rows of its native queries, which have no aggregates', () => {
    const model = resolved([granted({ filter: { id: { _gt: 1 } }, limit: 5 })]);
    const table = nativeTable(model);
    expect(model.inconsistencies).toEqual([]);
    expect(table.selectAccess.get(user)).toEqual({
      columns: new Set([table.columns.get('id')]),
      filter: expect.objectContaining({ kind: 'compare', right: { kind: 'constant', value: 1 } }),
      limit: 5,
      aggregations: false,
      queryRoots: new Set(['select']),
      subscriptionRoots: new Set(['select', 'select_stream']),
    });
  });

  test('without a limit permits all rows', () => {
    expect(nativeTable(resolved([granted({})])).selectAccess.get(user)).toMatchObject({ limit: undefined });
  });

  test.each([
    [
      'with an unknown column',
      granted({ columns: ['id', 'none'] }),
      /^at columns\[1\]: .*"none"/,
      '.permission.columns[1]',
    ],
    [
      'with an unknown column in its filter',
      granted({ filter: { none: 1 } }),
      /^at filter.*"none"/,
      '.permission.filter',
    ],
    ['for admin', granted({}, ADMIN_ROLE), /^the role has a permission already$/, ''],
  ])('%s is dropped with path and reason', (_what, entry, reason, inside) => {
    const model = resolved([granted({}, 'other'), entry]);
    const place = `in logical model "row": in permission for role "${entry.role}": `;
    expect(model.inconsistencies).toHaveLength(1);
    const [found] = model.inconsistencies;
    expect(found).toMatchObject({
      type: 'select_permission',
      path: expect.stringContaining(`$.sources[0].logical_models[0].select_permissions[1]${inside}`),
      definition: { ...entry, comment: null, source: 'default', logical_model: 'row' },
    });
    expect(found?.reason.slice(0, place.length)).toBe(place);
    expect(found?.reason.slice(place.length)).toMatch(reason);
    expect([...nativeTable(model).selectAccess.keys()]).toEqual(['other']);
  });

  test('for a role that has one already is dropped, and the first remains', () => {
    const model = resolved([granted({}), granted({ columns: ['id', 'name'] }, 'user', 'again')]);
    expect(model.inconsistencies).toMatchObject([
      {
        path: '$.sources[0].logical_models[0].select_permissions[1]',
        reason: expect.stringMatching(/: the role has a permission already$/),
        definition: { comment: 'again' },
      },
    ]);
    expect(nativeTable(model).selectAccess.get(user)?.columns.size).toBe(1);
  });

  describe('of the parents of a role', () => {
    const inherited_roles = [
      { role_name: 'both', role_set: ['user', 'other'] },
      { role_name: 'own', role_set: ['user', 'other'] },
      { role_name: 'none', role_set: ['stranger'] },
    ];
    const table = nativeTable(
      resolved([granted({}), granted({ columns: ['name'] }, 'other'), granted({ columns: ['name'] }, 'own')], {
        inherited_roles,
      }),
    );
    const columnsOf = (role: string) =>
      [...(table.selectAccess.get(RoleName.parse(role))?.columns ?? [])].map(({ name }) => name);

    test('permit it all of their columns', () => {
      expect(columnsOf('both')).toEqual(['id', 'name']);
    });

    test('do not change a permission of its own', () => {
      expect(columnsOf('own')).toEqual(['name']);
    });

    test('do not exist if the logical model was dropped', () => {
      const models = [{ name: 'empty', fields: [], select_permissions: [granted({})] }];
      const dropped = resolveNative({ models, queries: [], metadata: { inherited_roles } });
      expect(dropped.inconsistencies.map(({ type }) => type)).toEqual(['logical_model', 'select_permission']);
    });

    test('do not exist if no parent has one', () => {
      expect([...table.selectAccess.keys()]).toEqual(['user', 'other', 'own', 'both']);
    });
  });
});
