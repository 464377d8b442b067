/** Generates invalid requests, and damaged requests that may be invalid. */
import type { Printed } from './print.ts';
import type { Random } from './random.ts';
import { hiddenColumns, hiddenTables, shapes } from './tables.ts';

const none = {};

/** Returns a request that is invalid for the schema of the role or for the type of a column. */
export function generateInvalid(random: Random): Printed {
  const request = random.pick(generators)(random);
  return typeof request === 'string' ? { query: request, variables: none } : request;
}

type Generator = (random: Random) => string | Printed;

/** Returns a table, a hidden column and a visible column of it. */
function columns(random: Random): { readonly table: string; readonly hidden: string; readonly shown: string } {
  const table = random.pick(Object.keys(hiddenColumns) as (keyof typeof hiddenColumns)[]);
  return { table, hidden: hiddenColumns[table], shown: random.pick(Object.keys(shapes[table]?.columns ?? {})) };
}

/** Requests that contain the name of a column in every possible place. */
const places: readonly ((table: string, column: string) => string)[] = [
  (table, column) => `{ ${table} { ${column} } }`,
  (table, column) => `{ ${table} { x: ${column} __typename } }`,
  (table, column) => `{ ${table}(where: { ${column}: { _is_null: false } }) { __typename } }`,
  (table, column) => `{ ${table}(where: { _not: { _or: [{ ${column}: { _like: "HID%" } }] } }) { __typename } }`,
  (table, column) => `{ ${table}(order_by: { ${column}: asc }) { __typename } }`,
  (table, column) => `{ ${table}(distinct_on: ${column}) { __typename } }`,
  (table, column) => `{ ${table}_aggregate { aggregate { min { ${column} } } } }`,
  (table, column) => `{ ${table}_aggregate { aggregate { count(columns: ${column}) } } }`,
  (table, column) => `{ ${table}_aggregate { nodes { ${column} } } }`,
  (table, column) => `query ($w: ${table}_bool_exp = { ${column}: {} }) { ${table}(where: $w) { __typename } }`,
  (table, column) => `{ ${table} { ...f } } fragment f on ${table} { ${column} }`,
  (table, column) => `{ ${table}_by_pk(${column}: 1) { __typename } }`,
  (table, column) => `mutation { insert_${table}(objects: [{ ${column}: "x" }]) { affected_rows } }`,
  (table, column) => `mutation { update_${table}(where: {}, _set: { ${column}: "x" }) { affected_rows } }`,
];

const generators: readonly Generator[] = [
  (random) => {
    const { table, hidden } = columns(random);
    return random.pick(places)(table, hidden);
  },
  (random) => {
    const { table } = columns(random);
    return random.pick(places)(table, `no_such_${random.below(1000)}`);
  },
  (random) => {
    const { table, hidden } = columns(random);
    const where = { _and: [{ [hidden]: { _neq: 'x' } }] };
    const query = `query ($w: ${table}_bool_exp!) { ${table}(where: $w) { __typename } }`;
    return { query, variables: { w: where } };
  },
  (random) => `{ ${random.pick(hiddenTables)} { id } }`,
  (random) => `{ ${random.pick(hiddenTables)}_aggregate { aggregate { count } } }`,
  () => '{ person { id vaults { content } } }',
  () => '{ person(where: { vaults: { content: { _like: "%" } } }) { id } }',
  () => '{ person(order_by: { vaults_aggregate: { count: asc } }) { id } }',
  () => '{ person(where: { vaults_aggregate: { count: { predicate: { _gt: 0 } } } }) { id } }',
  () => '{ note { id secret } }',
  () => 'mutation { insert_note_one(object: { id: 900, owner: 1, secret: "x" }) { id } }',
  () => 'mutation { update_note(where: {}, _set: { secret: "x" }) { affected_rows } }',
  () => 'mutation { update_note(where: {}, _set: { id: 1 }) { affected_rows } }',
  () => 'mutation { delete_note(where: { secret: { _eq: "x" } }) { affected_rows } }',
  () => 'mutation { delete_person(where: {}) { affected_rows } }',
  () => 'mutation { insert_note_one(object: { id: 901, owner: 1 }, on_conflict: { constraint: person_pkey }) { id } }',
  (random) => `{ task(limit: ${random.pick(['"1"', '-1', '1.5', '99999999999', 'true', '[1]', '{}', 'one'])}) { id } }`,
  (random) => `{ task(offset: ${random.pick(['"x"', '-7', '0.5', 'false', '99999999999999999999'])}) { id } }`,
  (random) =>
    `{ task(where: { id: { _eq: ${random.pick(['"x"', 'null', '1.5', '4294967296', '{}', 'true'])} } }) { id } }`,
  (random) => `{ person(where: { ident: { _eq: ${random.pick(['"x"', '7', 'null', '""'])} } }) { id } }`,
  (random) => `{ person(where: { born: { _gt: ${random.pick(['"yesterdayish"', '"2024-13-01"', 'null'])} } }) { id } }`,
  (random) =>
    `{ person(where: { big: { _in: [${random.pick(['"x"', '99999999999999999999', '1e400', 'null'])}] } }) { id } }`,
  (random) => `{ person(where: { feel: { _eq: ${random.pick(['"sad"', 'null', '""'])} } }) { id } }`,
  (random) => `{ person(where: { score: { _lt: ${random.pick(['"many"', '[]', 'null', 'true'])} } }) { id } }`,
  () => '{ person(where: { name: { _regex: "(" } }) { id } }',
  (random) =>
    `{ person(where: { ${random.pick(['id: { _like: "x" }', 'active: { _regex: "x" }', 'id: 5', 'name: "x"'])} }) { id } }`,
  (random) =>
    `{ person(order_by: ${random.pick(['{ id: up }', '"id"', '{ id: "asc" }', '{ id: { a: asc } }'])}) { id } }`,
  () => '{ person(distinct_on: name, order_by: { id: asc }) { id } }',
  (random) => ({
    query: `query ($v: ${random.pick(['Int!', '[Int!]!', 'String!', 'task_bool_exp!'])}) { task(where: { id: { _eq: $v } }) { id } }`,
    variables: random.pick([{}, { v: {} }, { v: ['x', []] }]),
  }),
  () => '{ task(where: { id: { _eq: $undeclared } }) { id } }',
  () => ({ query: 'query ($v: Int) { task(where: { id: { _eq: $v } }) { id } }', variables: { v: 'x\u0000' } }),
  () => 'query ($v: person) { task { id } }',
  () => 'query ($v: Int, $v: Int) { task(limit: $v) { id } }',
  () => '{ task { id { deeper } } }',
  () => '{ task { person } }',
  () => '{ task }',
  () => '{ task { } }',
  () => '{ task { a: id a: title } }',
  () => '{ task { ...a } } fragment a on task { ...b } fragment b on task { ...a }',
  () => '{ task { ...nowhere } }',
  () => '{ task { ...p } } fragment p on person { id }',
  () => '{ task { id @include } }',
  () => '{ task { id @nonesuch(if: true) } }',
  () => '{ task { id @skip(if: "yes") } }',
  () => 'query a { task { id } } query b { task { id } }',
  () => 'subscription { task { id } person { id } }',
  () => 'fragment only on task { id }',
  (random) =>
    random.pick(['', '{', '}', '{}', 'query', '{ task { id }', '{ task { id } } }', '\u0000', '# only', 'mutation {}']),
  (random) => `{ task(where: { title: { _eq: "${random.pick(['\\x', '\n', '\\u{110000}', '\\uD800'])}" } }) { id } }`,
];

const junk = [...'{}()[]:$!@"|&=.,#', '\\', '\u0000', '\ud800', ' ', 'null', '-', '1e9', '...', '"""', 'secret', 'é'];

/** Removes, repeats or inserts some characters. The result may be valid. */
export function damage(random: Random, { query, variables }: Printed): Printed {
  let text = query;
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const at = random.below(text.length + 1);
    const [head, tail] = [text.slice(0, at), text.slice(at)];
    switch (random.below(4)) {
      case 0:
        text = head + tail.slice(1 + random.below(3));
        break;
      case 1:
        text = head + random.pick(junk) + tail;
        break;
      case 2:
        text = head + tail.slice(0, 4) + tail;
        break;
      default:
        text = random.oneIn(3) ? head : tail + head;
    }
  }
  return { query: text, variables };
}
