/** Strings that are rejected as values of arguments or columns, and values that are equal as JSON and as text. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { column, kinds, type StringValues, startStringValues } from './string-values-fixture.ts';

let values: StringValues;
let service: StringValues['service'];
let data: StringValues['data'];
let graphql: StringValues['graphql'];
let run: StringValues['run'];

beforeAll(async () => {
  values = await startStringValues();
  ({ service, data, graphql, run } = values);
});
afterAll(() => values?.stop());
beforeEach(() => values.refill());

describe('a string is rejected as the value of', () => {
  test.each([
    ['limit', '{ item(limit: "1") { id } }'],
    ['_is_null', '{ item(where: {n: {_is_null: "true"}}) { id } }'],
    ['distinct', '{ item_aggregate { aggregate { count(distinct: "true") } } }'],
    ['@include', '{ item { id @include(if: "true") } }'],
    ['an argument of an action', '{ echo(n: "1") { n } }'],
  ])('%s, as a literal', async (_name, query) => {
    expect(await graphql(query)).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
  });

  test.each([
    ['a limit', 'query ($n: Int) { item(limit: $n) { id } }'],
    [
      'a limit if the variable is also used for a column',
      'query ($n: Int) { item(limit: $n, where: {n: {_eq: $n}}) { id } }',
    ],
    ['an argument of an action', 'query ($n: Int) { echo(n: $n) { n } }'],
  ])('%s, in a variable', async (_name, query) => {
    expect(await graphql(query, { n: '1' })).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed', path: '$.variables.n' } }],
    });
  });
});

test('a string for a variable that is an array for one input and an item for another is rejected', async () => {
  const query = `query ($l: [String!]) { item(where: {tags: {_eq: $l}}) { id } echo(l: $l) { n } }`;
  expect(await graphql(query, { l: '{a}' })).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed', path: '$.variables.l' } }],
  });
});

describe('a text that PostgreSQL cannot parse', () => {
  const bad: Readonly<Record<string, string>> = {
    jsonb: '\0',
    text: '\0',
    name: '\0',
    'varchar(9)': '0123456789',
    'char(3)': 'abcd',
    bytea: '\\xfg',
    tsvector: "'",
  };
  // Any string is a value of json.
  const tested = kinds.filter(
    ([type], index) => type !== 'json' && kinds.findIndex(([other]) => other === type) === index,
  );

  test.each(
    tested.map(([type]) => [type, bad[type] ?? '&x{', column(kinds.findIndex(([other]) => other === type))] as const),
  )('results in data-exception for type %s: %j', async (_type, text, name) => {
    const query = `mutation ($text: kinds_insert_input!) { insert_kinds_one(object: $text) { ${name} } }`;
    const response = await service.post('/v1alpha1/graphql', { query, variables: { text: { [name]: text } } });
    expect(response).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'data-exception', path: expect.stringMatching(/^\$\./) } }] },
    });
  });

  test.each([
    [
      '{ item(where: {id: {_eq: "x"}}) { id } }',
      '$.selectionSet.item.args.where.id._eq',
      'invalid input syntax for type integer: "x"',
    ],
    [
      '{ item(where: {id: {_in: ["1", "1.5"]}}) { id } }',
      '$.selectionSet.item.args.where.id._in[1]',
      'invalid input syntax for type integer: "1.5"',
    ],
    [
      '{ item(where: {tags: {_eq: "a"}}) { id } }',
      '$.selectionSet.item.args.where.tags._eq',
      'malformed array literal: "a"',
    ],
    [
      '{ item_by_pk(id: "99999999999") { id } }',
      '$.selectionSet.item_by_pk',
      'value "99999999999" is out of range for type integer',
    ],
    [
      '{ tagged(args: {wanted: "{a", minimum: 1}) { id } }',
      '$.selectionSet.tagged.args.args.wanted',
      'malformed array literal: "{a"',
    ],
    [
      'mutation { update_item(where: {}, _set: {flag: "maybe"}) { affected_rows } }',
      '$.selectionSet.update_item.args._set.flag',
      'invalid input syntax for type boolean: "maybe"',
    ],
  ])('is reported with message and path: %s', async (query, path, message) => {
    expect(await graphql(query)).toMatchObject({ errors: [{ message, extensions: { code: 'data-exception', path } }] });
  });
});

describe('a value of a response', () => {
  test('can be written as JSON and as text without change', async () => {
    const random = numbers(20_260_101);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const word = () => Array.from({ length: Math.floor(random() * 6) }, () => pick([...'ab ,{}"\\\'é😀\n:'])).join('');
    const whole = () => String(Math.floor(random() * 2 ** 31) - 2 ** 30);
    const generators: Readonly<Record<string, () => string>> = {
      int2: () => String(Math.floor(random() * 60_000) - 30_000),
      int4: whole,
      int8: () => `${pick(['', '-'])}${whole().replace('-', '')}0123456`,
      // A client that reads doubles drops zeros at the end.
      numeric: () => `${whole()}.${whole().replace('-', '')}7`,
      float8: () => String((random() - 0.5) * 10 ** Math.floor(random() * 40 - 20)),
      bool: () => pick(['t', 'false', 'yes', '0']),
      text: word,
      uuid: () => Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join(''),
      date: () => `${1900 + Math.floor(random() * 200)}-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 9)}`,
      timestamptz: () => new Date(random() * 4e12).toISOString(),
      interval: () => `${whole()} seconds`,
      bytea: () => `\\x${Buffer.from(word()).toString('hex')}`,
      int4range: () => `[${Math.floor(random() * 9)},${9 + Math.floor(random() * 9)}${pick([']', ')'])}`,
      feeling: () => pick(['calm', 'cross']),
    };
    const scalars = Object.keys(generators);
    const columns = scalars.flatMap((type) => [`${type} ${type}`, `${type}_list ${type}[]`]);
    await run(`create table round (id serial primary key, ${columns.join(', ')})`);
    await service.command('track_table', 'round');
    const names = columns.map((one) => one.split(' ')[0] ?? '');
    const list = names.map((name) => `r.${name}::text`).join(', ');
    for (let round = 0; round < 40; round++) {
      const input = scalars.flatMap((type) => {
        const items = Array.from({ length: Math.floor(random() * 3) }, () => generators[type]?.() ?? '');
        const quoted = items.map((item) => `"${item.replaceAll(/[\\"]/g, '\\$&')}"`);
        return [
          [type, generators[type]?.()],
          [`${type}_list`, `{${quoted.join(',')}}`],
        ];
      });
      const insert = `mutation ($object: round_insert_input!) { insert_round_one(object: $object) { id ${names.join(' ')} } }`;
      const send = async (object: unknown) =>
        ((await data(insert, { object })) as { insert_round_one: Record<string, unknown> }).insert_round_one;
      const { id, ...output } = await send(Object.fromEntries(input));
      const [texts = []] = await run(`select ${list} from round r where id = ${Number(id)}`);
      await send(output);
      await send(Object.fromEntries(names.map((name, index) => [name, texts[index]])));
      const distinct = await run(`select distinct ${list} from round r`);
      expect(distinct).toEqual([texts]);
      await run('truncate round');
    }
  });
});

/** Returns a generator of pseudo-random numbers in [0, 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
