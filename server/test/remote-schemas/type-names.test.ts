/** Types of remote schemas that conflict with types of tables. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import { isScalarType, isSpecifiedScalarType } from 'graphql';
import { expect, test } from 'vitest';
import { sharedTypeConflicts } from '../../src/schema/remote/shared-types.ts';
import { roleSchema } from '../../src/schema/role-schema.ts';
import { remoteModel } from '../support/model/remote-model.ts';

const columns = [
  ...[
    'Int',
    'String',
    'Boolean',
    'Float',
    'uuid',
    'numeric',
    'bigint',
    'smallint',
    'timestamptz',
    'date',
    'time',
    'bytea',
  ],
  ...['interval', 'jsonb', 'json', 'inet', 'String[]', 'jsonb[]', 'enum order_status', 'citext citext', 'ltree ltree'],
  ...['geometry geometry', 'geography geography', 'raster raster', 'range int4range', 'other point'],
];
const tables = {
  order: Object.fromEntries(columns.map((type, index) => [`c${index}`, type])),
  'shop.order_item': { id: 'Int', order_id: 'Int' },
};

test('a remote type with the name of any type of a table is a conflict', () => {
  const { model } = remoteModel({ tables, remotes: {} });
  const types = Object.values(roleSchema(model, ADMIN_ROLE).schema.getTypeMap());
  const tableTypes = types.filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type));
  expect(tableTypes.length).toBeGreaterThan(60);
  const withoutConflict = tableTypes.filter(({ name }) => {
    const schema = `type Query { found: ${name} } enum ${name} { ONE }`;
    const { model: accepted, reports } = remoteModel({ tables, remotes: { rival: { schema } } });
    return reports[0]?.code !== 'remote-schema-conflicts' && sharedTypeConflicts(accepted).size === 0;
  });
  expect(withoutConflict.map(({ name }) => name)).toEqual([]);
});

test('a remote scalar may have the name of a scalar but of no other type', () => {
  const { model } = remoteModel({ tables, remotes: {} });
  const types = Object.values(roleSchema(model, ADMIN_ROLE).schema.getTypeMap());
  for (const type of types) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    const { reports } = remoteModel({
      tables,
      remotes: { rival: { schema: `scalar ${type.name} type Query { found: ${type.name} }` } },
    });
    expect([type.name, reports.length]).toEqual([type.name, isScalarType(type) ? 0 : 1]);
  }
});
