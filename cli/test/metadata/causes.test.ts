/** Tests of the groups in which inconsistent objects are listed. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import { describe, expect, test } from 'vitest';
import { groupByCause } from '../../src/commands/metadata/causes.ts';

function object(type: string, name: string, path: string, reason: string): InconsistentObject {
  return { type, name, definition: null, reason: `Inconsistent object: ${reason}`, path };
}

const source = object('source', 'source away', '$.sources[0].configuration', 'ECONNREFUSED');
const inSource = object('table', 'table a in source away', '$.sources[0].tables[0]', 'source "away" was dropped');
const table = object('table', 'table b in source default', '$.sources[1].tables[1]', 'no such table/view exists');
const permission = object(
  'select_permission',
  'select_permission user in table b in source default',
  '$.sources[1].tables[1].select_permissions[0]',
  'in table "b": in permission for role "user": table "b" was dropped',
);
const relationship = object(
  'object_relation',
  'object_relation b in table c in source default',
  '$.sources[1].tables[2].object_relationships[0]',
  'in table "c": in relationship "b": table "b" is itself inconsistent; fix it first',
);

function missingColumn(role: string, place: string): InconsistentObject {
  const name = `select_permission ${role} in table c in source default`;
  return object('select_permission', name, place, `in table "c": in permission for role "${role}": no column "x"`);
}
function action(name: string, variable: string): InconsistentObject {
  return object('action', `action ${name}`, '$.actions[0]', `in action "${name}": handler: ${variable} is not set`);
}

describe('one group has', () => {
  test.each([
    ['an inconsistent source and everything in it', [inSource, source]],
    ['an inconsistent table, its permissions and the relationships to it', [permission, table, relationship]],
    [
      'the permissions of a table with the same reason',
      [
        missingColumn('one', '$.sources[1].tables[2].select_permissions[0]'),
        missingColumn('two', '$.sources[1].tables[2].select_permissions[1]'),
      ],
    ],
    ['the actions that use a variable', [action('one', 'URL'), action('two', 'URL'), action('three', 'URL')]],
  ])('%s', (_content, objects) => {
    const groups = groupByCause(objects);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.others).toHaveLength(objects.length - 1);
  });
});

test('a group is listed by the table or source that is inconsistent', () => {
  expect(groupByCause([inSource, source, permission, relationship, table]).map((one) => one.object)).toEqual([
    source,
    table,
  ]);
});

test('all tables of a source whose database has none of them are one group, with everything in them', () => {
  const missing = (place: number, index: number) =>
    object('table', `table t${index} in source s${place}`, `$.sources[${place}].tables[${index}]`, missingReason);
  const missingReason = 'no such table/view exists in source: "t"';
  const permissionOfFirst = object(
    'select_permission',
    'select_permission user in table t0 in source s0',
    '$.sources[0].tables[0].select_permissions[0]',
    'in table "t0": table "t0" was dropped',
  );
  const metadata = {
    sources: [
      { name: 's0', tables: [{}, {}, {}] },
      { name: 's1', tables: [{}, {}] },
    ],
  };
  const groups = groupByCause(
    [missing(0, 0), missing(0, 1), permissionOfFirst, missing(0, 2), missing(1, 0)],
    metadata,
  );
  expect(groups.map((one) => [one.object.name, one.others.length])).toEqual([
    ['source s0', 4],
    ['table t0 in source s1', 0],
  ]);
  expect(groups[0]?.object.reason).toBe(
    'none of its 3 tables exists in its database; apply the migrations of the source',
  );
});

test('objects with different reasons are in different groups', () => {
  expect(groupByCause([action('one', 'URL'), action('two', 'KEY'), table])).toHaveLength(3);
});
