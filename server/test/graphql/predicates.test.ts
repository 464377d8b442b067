/** Results of each operator and of each kind of predicate in PostgreSQL. */
import { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, DEFAULT_SOURCE } from '@joinery/metadata/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { parseJson } from '../../src/base/json-value.ts';
import type { Model } from '../../src/model/model.ts';
import { selectAccess } from '../../src/model/permissions/access.ts';
import { operators, operatorsOf } from '../../src/model/predicate/operators.ts';
import { parsePredicate } from '../../src/model/predicate/predicate.ts';
import { sessionOperand } from '../../src/model/predicate/values.ts';
import { resolve } from '../../src/model/resolve.ts';
import type { Table } from '../../src/model/types/table.ts';
import { readCatalog } from '../../src/postgres/catalog/catalog.ts';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { bind, compile, ident, sql } from '../../src/postgres/sql/sql.ts';
import { conditionsOn } from '../../src/print/predicate.ts';
import { startPrinting, tableAs, whereAll } from '../../src/print/printing.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

/** The schema of the extensions is not on the search path, so that their operators must be qualified. */
const schema = `
  create schema ext;
  create extension citext schema ext;
  create extension ltree schema ext;
  create type mood as enum ('calm', 'angry');
  create domain short as varchar(20);
  create type pair as (a int, b int);
  create table thing (
    id int primary key, small smallint, big bigint, exact numeric, approx float8, yes boolean, words text,
    code short, mark ext.citext, born date, stamp timestamptz, span interval, uid uuid, raw bytea,
    doc jsonb, plain json, feel mood, nums int[], names text[], spots jsonb[], period int4range, host inet,
    tree ext.ltree, both_ pair, spot point
  );
  insert into thing values
    (1, 1, 9007199254740993, 1.10, 0.5, true, 'Apple pie', 'a1', 'Hello', '2020-01-01', '2020-01-01 10:00+00', '1 hour',
      '11111111-1111-1111-1111-111111111111', '\\x01', '{"a": 1, "b": [1, 2]}', '{}', 'calm', '{1,2}', '{x,y}',
      array['[1]'::jsonb], '[1,5)', '10.0.0.1', 'Top.Science.Astronomy', '(1,2)', '(0,0)'),
    (2, 2, 9007199254740992, 2.20, 'NaN', false, 'banana', 'b2', 'WORLD', '2021-06-01', '2021-06-01 10:00+00', '2 days',
      '22222222-2222-2222-2222-222222222222', '\\x02', '["a", "z"]', '[]', 'angry', '{3}', '{}',
      array['{"k": 2}'::jsonb], '[10,20)', '10.0.0.2', 'Top.Hobbies', '(3,4)', '(1,1)'),
    (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
      null, null, null, null, null);
  create table part (id int primary key, thing_id int references thing, weight float8, price numeric, ok boolean, name text);
  insert into part values (1, 1, 1, 10, true, 'x'), (2, 1, 3, 20, true, 'y'), (3, 2, 5, 30, false, 'x'), (4, null, 9, 1, null, 'z');
`;

let db: TestDatabase;
let model: Model;

beforeAll(async () => {
  db = await testDatabase({ sql: schema });
  model = resolve({
    version: 1,
    metadata: Metadata.parse({
      version: 3,
      sources: [
        {
          name: 'default',
          tables: [
            {
              table: 'thing',
              array_relationships: [
                { name: 'parts', using: { foreign_key_constraint_on: { table: 'part', column: 'thing_id' } } },
              ],
            },
            {
              table: 'part',
              object_relationships: [{ name: 'thing', using: { foreign_key_constraint_on: 'thing_id' } }],
            },
          ],
        },
      ],
    }),
    catalogs: new Map([[DEFAULT_SOURCE, await readCatalog(db.database)]]),
    upstreams: new Map(),
    environment: {},
    sessionPrefix: 'x-service-',
  });
});

afterAll(() => db.drop());

function table(name: string): Table {
  const found = model.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey('public', name));
  if (found === undefined) throw new Error(`no table ${name}; ${JSON.stringify(model.inconsistencies)}`);
  return found;
}

class Variable {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Values {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly session?: Readonly<Record<string, string>>;
}

/** Returns the ids of the rows that match the expression. */
async function ids(where: unknown, naming: 'fields' | 'columns' = 'fields', values: Values = {}, of = 'thing') {
  const session = sessionOperand('x-service-');
  const predicate = parsePredicate(where, {
    table: table(of),
    naming,
    path: '$',
    operand: (value) =>
      value instanceof Variable
        ? { kind: 'variable', name: value.name }
        : naming === 'columns'
          ? session(value)
          : undefined,
    tableNamed: (_, name) => table(name),
    ...(naming === 'fields' && { access: (target: Table) => selectAccess(target, ADMIN_ROLE) }),
  });
  const printing = startPrinting({ stringifyNumerics: false });
  const row = printing.row();
  const conditions = whereAll(conditionsOn(row, predicate, printing));
  const statement = compile(
    sql`select ${ident(row, 'id')} from ${tableAs(table(of), row, printing)}${conditions} order by 1`,
  );
  const parameters = bind(statement, {
    variables: values.variables ?? {},
    session: new Map(Object.entries(values.session ?? {})),
    missing: (name) => {
      throw new Error(`no ${name}`);
    },
  });
  const { rows } = await db.database.query({ text: statement.text, values: parameters });
  return rows.map(([id]) => Number(id));
}

/** Columns, expressions, and the ids that match them. */
const matches: readonly (readonly [string, string, readonly number[]])[] = [
  ['small', '{"_eq": 1}', [1]],
  ['small', '{"_neq": 1}', [2]],
  ['small', '{"_in": [1, 2, 7]}', [1, 2]],
  ['small', '{"_in": []}', []],
  ['small', '{"_nin": []}', [1, 2, 3]],
  ['small', '{"_nin": [1]}', [2]],
  ['small', '{"_is_null": true}', [3]],
  ['small', '{"_is_null": false}', [1, 2]],
  ['small', '{"_gt": 1}', [2]],
  ['small', '{"_gte": 1, "_lt": 2}', [1]],
  ['big', '{"_eq": 9007199254740993}', [1]],
  ['big', '{"_lte": "9007199254740992"}', [2]],
  ['exact', '{"_eq": 1.1}', [1]],
  ['exact', '{"_gt": 1.10000000000000000000000001}', [2]],
  ['approx', '{"_eq": "NaN"}', [2]],
  ['yes', '{"_eq": false}', [2]],
  ['yes', '{"_gt": false}', [1]],
  ['words', '{"_like": "%pie"}', [1]],
  ['words', '{"_nlike": "%pie"}', [2]],
  ['words', '{"_ilike": "APPLE%"}', [1]],
  ['words', '{"_nilike": "APPLE%"}', [2]],
  ['words', '{"_similar": "(b|c)%"}', [2]],
  ['words', '{"_nsimilar": "(b|c)%"}', [1]],
  ['words', '{"_regex": "^ban"}', [2]],
  ['words', '{"_nregex": "^ban"}', [1]],
  ['words', '{"_iregex": "^BAN"}', [2]],
  ['words', '{"_niregex": "^BAN"}', [1]],
  ['code', '{"_eq": "a1"}', [1]],
  ['code', '{"_in": ["a1", "b2"]}', [1, 2]],
  ['code', '{"_like": "b_"}', [2]],
  ['mark', '{"_eq": "hello"}', [1]],
  ['mark', '{"_in": ["hello", "world"]}', [1, 2]],
  ['mark', '{"_nin": ["hello"]}', [2]],
  ['mark', '{"_gt": "i"}', [2]],
  ['mark', '{"_like": "h%"}', [1]],
  ['mark', '{"_nilike": "h%"}', [2]],
  ['mark', '{"_similar": "h(e|a)llo"}', [1]],
  ['mark', '{"_nsimilar": "h(e|a)llo"}', [2]],
  ['mark', '{"_regex": "^wor"}', [2]],
  ['born', '{"_gt": "2020-12-31"}', [2]],
  ['born', '{"_in": ["2020-01-01"]}', [1]],
  ['stamp', '{"_eq": "2020-01-01T12:00:00+02:00"}', [1]],
  ['span', '{"_eq": "48 hours"}', [2]],
  ['uid', '{"_in": ["11111111-1111-1111-1111-111111111111"]}', [1]],
  ['raw', '{"_eq": "\\\\x02"}', [2]],
  ['doc', '{"_contains": {"a": 1}}', [1]],
  ['doc', '{"_contains": ["z"]}', [2]],
  ['doc', '{"_contained_in": {"a": 1, "b": [1, 2], "c": 3}}', [1]],
  ['doc', '{"_has_key": "a"}', [1, 2]],
  ['doc', '{"_has_keys_any": ["b", "z"]}', [1, 2]],
  ['doc', '{"_has_keys_all": ["a", "b"]}', [1]],
  ['doc', '{"_jsonb_path_exists": "$.b[*] ? (@ > 1)"}', [1]],
  ['doc', '{"_jsonb_path_match": "$.a == 1"}', [1]],
  ['doc', '{"_eq": {"b": [1, 2], "a": 1}}', [1]],
  ['doc', '{"_in": [["a", "z"], 5]}', [2]],
  ['doc', '{"_cast": {"String": {"_like": "%z%"}}}', [2]],
  ['plain', '{"_is_null": false}', [1, 2]],
  ['spot', '{"_is_null": true}', [3]],
  ['feel', '{"_eq": "angry"}', [2]],
  ['feel', '{"_gt": "calm"}', [2]],
  ['feel', '{"_in": ["calm", "angry"]}', [1, 2]],
  ['nums', '{"_eq": [1, 2]}', [1]],
  ['nums', '{"_eq": "{3}"}', [2]],
  ['nums', '{"_contains": [2]}', [1]],
  ['nums', '{"_contained_in": [1, 2, 3]}', [1, 2]],
  ['nums', '{"_in": [[1, 2], [9]]}', [1]],
  ['nums', '{"_in": []}', []],
  ['nums', '{"_nin": [[1, 2], [9]]}', [2]],
  ['nums', '{"_nin": []}', [1, 2, 3]],
  ['names', '{"_in": [[], ["x", "y"]]}', [1, 2]],
  ['names', '{"_contains": ["y"]}', [1]],
  ['spots', '{"_contains": [{"k": 2}]}', [2]],
  ['spots', '{"_eq": [[1]]}', [1]],
  ['period', '{"_contains": "[2,3)"}', [1]],
  ['period', '{"_contained_in": "[0,100)"}', [1, 2]],
  ['period', '{"_eq": "[1,4]"}', [1]],
  ['host', '{"_eq": "10.0.0.2"}', [2]],
  ['host', '{"_in": ["10.0.0.1"]}', [1]],
  ['tree', '{"_eq": "Top.Hobbies"}', [2]],
  ['tree', '{"_ancestor": "Top.Hobbies.Sky"}', [2]],
  ['tree', '{"_ancestor_any": ["Top.Hobbies.Sky", "Top.Science.Astronomy.Stars"]}', [1, 2]],
  ['tree', '{"_descendant": "Top.Science"}', [1]],
  ['tree', '{"_descendant_any": ["Top.Science", "Top.Hobbies"]}', [1, 2]],
  ['tree', '{"_matches": "*.Astro*.*"}', [1]],
  ['tree', '{"_matches_any": ["*.Hobbies", "*.Nothing"]}', [2]],
  ['tree', '{"_matches_fulltext": "Astro* & !Hobbies"}', [1]],
  ['tree', '{"_matches_fulltext_any": ["Nothing", "Hobbies"]}', [2]],
  ['both_', '{"_eq": "(3,4)"}', [2]],
  ['both_', '{"_in": ["(1,2)"]}', [1]],
];

describe('operators', () => {
  test.each(matches)('match the expected rows: %s %s', async (column, expression, expected) => {
    expect(await ids({ [column]: parseJson(expression) })).toEqual(expected);
  });

  test('are all tested except those of PostGIS', () => {
    const tested = new Set<string>();
    for (const [, expression] of matches) {
      const walk = (json: unknown): void => {
        if (typeof json !== 'object' || json === null) return;
        for (const [name, value] of Object.entries(json)) {
          tested.add(name);
          walk(value);
        }
      };
      walk(JSON.parse(expression));
    }
    const all = operators.map(({ name }) => name).filter((name) => !name.startsWith('_st_'));
    expect(all.filter((name) => !tested.has(name))).toEqual([]);
  });

  test('of each column exist in PostgreSQL for its type', async () => {
    const values: Readonly<Record<string, unknown>> = {
      same: null,
      list: '{}',
      textList: '{}',
      text: '$.a',
      boolean: true,
    };
    for (const column of table('thing').columns.values()) {
      for (const operator of operatorsOf(column.type)) {
        const shape = typeof operator.argument === 'string' ? operator.argument : 'same';
        const where = { [column.field]: { [operator.name]: new Variable('v') } };
        const run = ids(where, 'fields', { variables: { v: values[shape] } });
        await expect(run, `${column.name} ${operator.name}`).resolves.toBeInstanceOf(Array);
      }
    }
  });
});

describe('variables and session variables', () => {
  test.each<readonly [unknown, unknown, readonly number[]]>([
    [{ small: { _eq: new Variable('v') } }, 1, [1]],
    [{ small: { _in: new Variable('v') } }, [1, 2], [1, 2]],
    [{ small: { _in: [1, new Variable('v')] } }, 2, [1, 2]],
    [{ nums: { _in: new Variable('v') } }, [[3]], [2]],
    [{ nums: { _in: [[1, 2], new Variable('v')] } }, [3], [1, 2]],
    [{ nums: { _eq: [1, new Variable('v')] } }, 2, [1]],
    [{ doc: { _contains: new Variable('v') } }, { a: 1 }, [1]],
    [{ mark: { _eq: new Variable('v') } }, 'HELLO', [1]],
    [{ small: { _is_null: new Variable('v') } }, false, [1, 2]],
    [{ tree: { _matches: new Variable('v') } }, '*.Hobbies', [2]],
  ])('are sent in the format of the column type: %j with %j', async (where, value, expected) => {
    expect(await ids(where, 'fields', { variables: { v: value } })).toEqual(expected);
  });

  test.each<readonly [unknown, string, readonly number[]]>([
    [{ small: 'X-Service-V' }, '2', [2]],
    [{ small: { _in: 'X-Service-V' } }, '{1,2}', [1, 2]],
    [{ small: { _in: 'X-Service-V' } }, '[1, 2]', [1, 2]],
    [{ small: { _nin: 'X-Service-V' } }, '{}', [1, 2, 3]],
    [{ words: { _in: 'X-Service-V' } }, '["banana"]', [2]],
    [{ words: { _in: ['Apple pie', 'X-Service-V'] } }, 'banana', [1, 2]],
    [{ doc: { $has_keys_any: 'X-Service-V' } }, '{b}', [1]],
    [{ doc: { _contains: 'X-Service-V' } }, '{"a": 1}', [1]],
    [{ feel: 'X-Service-V' }, 'calm', [1]],
  ])('of the session are sent in the format of the column type: %j with %s', async (where, value, expected) => {
    expect(await ids(where, 'columns', { session: { 'x-service-v': value } })).toEqual(expected);
  });
});

describe('conditions on other rows', () => {
  test.each<readonly [unknown, readonly number[]]>([
    [{ parts: { name: { _eq: 'x' } } }, [1, 2]],
    [{ _not: { parts: {} } }, [3]],
    [{ parts: { thing: { small: { _eq: 2 } } } }, [2]],
    [{ _or: [{ id: { _eq: 3 } }, { parts: { ok: { _eq: false } } }] }, [2, 3]],
    [{ _or: [] }, []],
    [{ _and: [] }, [1, 2, 3]],
    [{ parts_aggregate: { count: { predicate: { _eq: 2 } } } }, [1]],
    [{ parts_aggregate: { count: { predicate: { _eq: 0 } } } }, [3]],
    [{ parts_aggregate: { count: { predicate: { _in: [0, 1] } } } }, [2, 3]],
    [{ parts_aggregate: { count: { predicate: { _gt: 0 }, filter: { name: { _eq: 'y' } } } } }, [1]],
    [{ parts_aggregate: { bool_and: { arguments: 'ok', predicate: { _eq: true } } } }, [1]],
    [{ parts_aggregate: { avg: { arguments: 'weight', predicate: { _eq: 2 } } } }, [1]],
    [{ parts_aggregate: { sum: { arguments: 'price', predicate: { _gte: 30 } } } }, [1, 2]],
    [{ parts_aggregate: { max: { arguments: 'price', predicate: { _is_null: true } } } }, [3]],
    [{ parts_aggregate: { corr: { arguments: { X: 'weight', Y: 'price' }, predicate: { _gt: 0.9 } } } }, [1]],
    [{ parts_aggregate: { var_samp: { arguments: 'weight', predicate: { _eq: 2 } } } }, [1]],
  ])('match the expected rows: %j', async (where, expected) => {
    expect(await ids(where)).toEqual(expected);
  });

  test.each<readonly [string, unknown, readonly number[]]>([
    ['thing', { small: { _ceq: 'id' } }, [1, 2]],
    ['thing', { small: { _clt: 'exact' } }, [1, 2]],
    ['thing', { parts: { id: { _cgt: ['$', 'id'] } } }, [1, 2]],
    ['thing', { parts: { weight: { _ceq: ['$', 'small'] } } }, [1]],
    ['thing', { _exists: { _table: 'part', _where: { ok: false } } }, [1, 2, 3]],
    ['thing', { _exists: { _table: 'part', _where: { thing_id: { _ceq: ['$', 'id'] }, ok: true } } }, [1]],
    ['part', { id: { _ceq: ['thing', 'id'] } }, [1]],
    ['part', { thing: { parts: { price: { _cgt: ['$', 'price'] } } } }, [1]],
  ])('match the expected rows in a row rule on %s: %j', async (of, where, expected) => {
    expect(await ids(where, 'columns', {}, of)).toEqual(expected);
  });
});

test('a value that its type cannot represent is rejected without a statement', async () => {
  await expect(ids({ feel: { _eq: 'bored' } })).rejects.toThrow(ServiceError);
  await expect(ids({ words: { _eq: 'a\0' } })).rejects.toThrow('NUL');
});
