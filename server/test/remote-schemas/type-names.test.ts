/** Every type that tables bring to a schema is known as taken, so that no remote schema can bring another of its name. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import { isScalarType, isSpecifiedScalarType } from 'graphql';
import { expect, test } from 'vitest';
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

test('a remote type of any such name is a conflict', () => {
  const { model } = remoteModel({ tables, remotes: {} });
  const types = Object.values(roleSchema(model, ADMIN_ROLE).schema.getTypeMap());
  const brought = types.filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type));
  expect(brought.length).toBeGreaterThan(60);
  const free = brought.filter(({ name }) => {
    const schema = `type Query { found: ${name} } enum ${name} { ONE }`;
    const { reports } = remoteModel({ tables, remotes: { rival: { schema } } });
    return reports[0]?.code !== 'remote-schema-conflicts';
  });
  expect(free.map(({ name }) => name)).toEqual([]);
});

test('a remote scalar may share the name of a scalar and of nothing else', () => {
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
