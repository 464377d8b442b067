// Hostile variables of operations.
import { sendHttp } from './send.mjs';

const MB = 1_000_000;
const readers = ['admin', 'user', 'anonymous'];

/** Returns a request with an operation. `variables` returns JSON text. */
const operation = (name, query, variables, callers = ['user']) => ({
  name: `variables: ${name}`,
  callers,
  send: (url, headers) =>
    sendHttp(url, headers, { body: `{"query":${JSON.stringify(query)},"variables":${variables()}}` }),
});

const list = (item, count) => `[${`${item},`.repeat(count - 1)}${item}]`;
const fill = (item) => list(item, Math.floor((9.8 * MB) / (item.length + 1)));
const deep = (open, inner, close, levels) => open.repeat(levels) + inner + close.repeat(levels);

const where = 'query ($w: note_bool_exp) { note(where: $w) { id } }';
const whereAlbum = 'query ($w: album_bool_exp) { album(where: $w) { album_id } }';
const whereTrack = 'query ($w: track_bool_exp) { track(where: $w) { track_id } }';
const order = 'query ($o: [note_order_by!]) { note(order_by: $o) { id } }';
const insert = 'mutation ($r: [note_insert_input!]!) { insert_note(objects: $r) { affected_rows } }';
const insertReturning = 'mutation ($r: [note_insert_input!]!) { insert_note(objects: $r) { returning { id title } } }';
const updateMany = 'mutation ($u: [note_updates!]!) { update_note_many(updates: $u) { affected_rows } }';
const submit = 'mutation ($t: Tree) { submit(tree: $t) { ok } }';

const conditions = [
  ['_or of empty objects', () => `{"_or":${fill('{}')}}`],
  ['_or of comparisons', () => `{"_or":${fill('{"id":{"_eq":1}}')}}`],
  ['_and of comparisons', () => `{"_and":${fill('{"id":{"_eq":1}}')}}`],
  ['_and of _and of one', () => `{"_and":${fill('{"_and":[{}]}')}}`],
  [
    '_or of all operators',
    () => `{"_or":${fill('{"id":{"_eq":1,"_gt":1,"_lt":1,"_gte":1,"_lte":1,"_neq":1,"_is_null":false}}')}}`,
  ],
  ['_not 400,000 deep', () => deep('{"_not":', '{}', '}', 400_000)],
  ['_not 190 deep, with siblings', () => deep('{"id":{"_eq":1},"_not":', '{}', '}', 190)],
  ['_and 190 deep, each of 100', () => deep('{"_and":[{"id":{"_eq":1}},'.padEnd(26, ' '), '{}', ']}', 190)],
  ['_and nested binary', () => tree('_and', 17)],
  ['_or nested binary', () => tree('_or', 17)],
  ['_and chain of lists', () => deep('{"_and":[', '{}', ']}', 195)],
  ['relationships 40,000 wide', () => `{"_or":${fill('{"children":{"parent":{"id":{"_eq":1}}}}')}}`],
  ['relationships 190 deep', () => deep('{"children":{"parent":', '{}', '}}', 95)],
  [
    'many trees of relationships 190 deep',
    () => `{"_or":${list(deep('{"children":{"parent":', '{}', '}}', 95), 4_000)}}`,
  ],
  ['aggregates', () => `{"_or":${fill('{"children_aggregate":{"count":{"predicate":{"_gt":1}}}}')}}`],
  ['_in of 3,000,000', () => `{"id":{"_in":${fill('12')}}}`],
  ['_in of exact numbers', () => `{"big":{"_in":${fill('123456789012345678')}}}`],
  ['_in of numeric strings', () => `{"amount":{"_in":${fill('"1"')}}}`],
  ['_in of strings', () => `{"title":{"_in":${fill('"abc"')}}}`],
  ['_in of uuids', () => `{"ident":{"_in":${fill('"00000000-0000-0000-0000-000000000000"')}}}`],
  ['_in of jsonb', () => `{"body":{"_in":${fill('{"a":1}')}}}`],
  ['_in of arrays', () => `{"tags":{"_in":${fill('["a"]')}}}`],
  ['_contains of nested jsonb', () => `{"body":{"_contains":${deep('{"a":', '1', '}', 900_000)}}}`],
  ['_contains of wide jsonb', () => `{"body":{"_contains":${fill('1')}}}`],
  ['_has_keys_any of 1,000,000', () => `{"body":{"_has_keys_any":${fill('"a"')}}}`],
  ['_like of 10 MB', () => `{"title":{"_like":"${'%a'.repeat(4.9 * MB)}"}}`],
  ['_regex of 10 MB', () => `{"title":{"_regex":"${'(a*)*'.repeat(1.9 * MB)}"}}`],
  ['a title of 10 MB', () => `{"title":{"_eq":"${'x'.repeat(9.8 * MB)}"}}`],
  ['a wrong member of 10 MB', () => `{"${'x'.repeat(9.8 * MB)}":1}`],
  ['many wrong members', () => `{${Array.from({ length: 600_000 }, (_, n) => `"wrong${n}":1`).join(',')}}`],
  ['a number of 10 MB in digits', () => `{"amount":{"_eq":${'1'.repeat(9.8 * MB)}}}`],
  ['a numeric string of 10 MB', () => `{"amount":{"_eq":"${'1'.repeat(9.8 * MB)}x"}}`],
  ['a numeric string of 10 MB with underscores', () => `{"amount":{"_eq":"${'1_'.repeat(4.9 * MB)}x"}}`],
  ['a numeric string of 10 MB of spaces', () => `{"amount":{"_eq":"${' '.repeat(9.8 * MB)}x"}}`],
  ['a uuid of 10 MB', () => `{"ident":{"_eq":"${'0'.repeat(9.8 * MB)}"}}`],
  ['an array literal of 10 MB', () => `{"tags":{"_eq":"{${'} '.repeat(4.9 * MB)}x"}}`],
  ['an hstore of 10 MB', () => `{"pairs":{"_eq":"${'a=>1,'.repeat(1.9 * MB)}x"}}`],
  ['an hstore of 10 MB of quotes', () => `{"pairs":{"_eq":"${'\\"a\\"=>\\"1\\",'.repeat(700_000)}x"}}`],
  ['an exponent of 10 MB', () => `{"big":{"_eq":1e${'1'.repeat(9.8 * MB)}}}`],
  ['a whole number with a fraction of 10 MB', () => `{"big":{"_eq":1.${'0'.repeat(9.8 * MB)}1}}`],
  ['a string of lone surrogates', () => `{"title":{"_eq":"${'\\ud800'.repeat(1.6 * MB)}"}}`],
];

function tree(name, levels) {
  return levels === 0 ? '{"id":{"_eq":1}}' : `{"${name}":[${tree(name, levels - 1)},${tree(name, levels - 1)}]}`;
}

/** A row of many columns. */
const fullRow =
  '{"key":"k","title":"t","amount":1.5,"whole":1,"big":12345678901234567,"real":1.5,"flag":true,"body":{"a":[1,2,3]},"tags":["a","b"],"at":"2026-01-01T00:00:00Z","ident":"00000000-0000-0000-0000-000000000000"}';

export const hostileVariables = [
  operation('40,000 terms of order_by', order, () => `${list('{"id":"asc"}', 40_000).replace(/^/, '{"o":')}}`, readers),
  operation('10 MB of order_by', order, () => `{"o":${fill('{"id":"asc"}')}}`, readers),
  operation(
    '10 MB of order_by through relationships',
    order,
    () => `{"o":${fill('{"parent":{"parent":{"id":"asc"}}}')}}`,
  ),
  operation('10 MB of order_by of aggregates', order, () => `{"o":${fill('{"children_aggregate":{"count":"asc"}}')}}`),
  operation('order_by 300,000 deep', order, () => `{"o":${deep('{"parent":', '{"id":"asc"}', '}', 300_000)}}`),
  operation('10 MB of empty order_by', order, () => `{"o":${fill('{}')}}`),
  operation('10 MB of null order_by', order, () => `{"o":${fill('{"id":null}')}}`),
  operation(
    '10 MB of distinct_on',
    'query ($d: [note_select_column!]) { note(distinct_on: $d) { id } }',
    () => `{"d":${fill('"title"')}}`,
    readers,
  ),
  ...conditions.map(([name, text], n) => operation(name, where, () => `{"w":${text()}}`, n < 4 ? readers : ['user'])),
  operation('_or behind relationships', whereAlbum, () => `{"w":{"artist":{"_or":${fill('{"name":{"_eq":"a"}}')}}}}`),
  operation(
    'relationships of three tables',
    whereTrack,
    () => `{"w":{"_or":${fill('{"album":{"artist":{"albums":{"title":{"_eq":"a"}}}}}')}}}`,
  ),
  operation(
    '_or given twice',
    'query ($w: note_bool_exp) { a: note(where: $w) { id } b: note(where: $w) { id } }',
    () => `{"w":{"_or":${fill('{"id":{"_eq":1}}')}}}`,
  ),
  operation(
    'a where of 9,000 members in 200 roots',
    `query ($w: note_bool_exp) { ${Array.from({ length: 200 }, (_, n) => `a${n}: note(where: $w) { id }`).join(' ')} }`,
    () => `{"w":{"_or":${list('{"id":{"_eq":1}}', 3_000)}}}`,
    ['user', 'admin'],
  ),
  operation(
    'a where of 9,000 members at 1,000 fields',
    `query ($w: note_bool_exp) { note { ${Array.from({ length: 1_000 }, (_, n) => `a${n}: children(where: $w) { id }`).join(' ')} } }`,
    () => `{"w":{"_or":${list('{"id":{"_eq":1}}', 3_000)}}}`,
    ['user', 'admin'],
  ),
  operation(
    '100 order terms in 400 roots',
    `query ($o: [note_order_by!]) { ${Array.from({ length: 400 }, (_, n) => `a${n}: note(order_by: $o) { id }`).join(' ')} }`,
    () => `{"o":${list('{"parent":{"parent":{"parent":{"id":"asc"}}}}', 100)}}`,
    ['user', 'admin'],
  ),
  operation(
    '_in of 100,000 in 200 roots',
    `query ($i: [bigint!]) { ${Array.from({ length: 200 }, (_, n) => `a${n}: note(where: { id: { _in: $i } }) { id }`).join(' ')} }`,
    () => `{"i":${list('1', 100_000)}}`,
  ),
  operation(
    '_in of 3,000,000 as a variable',
    'query ($i: [bigint!]) { note(where: { id: { _in: $i } }) { id } }',
    () => `{"i":${fill('12')}}`,
  ),
  operation(
    '_in of a variable in a list of literals',
    'query ($i: bigint!, $w: [note_bool_exp!]) { note(where: { _or: $w, id: { _in: [1, $i] } }) { id } }',
    () => `{"i":1,"w":${fill('{}')}}`,
  ),
  operation('10 MB of rows', insert, () => `{"r":${fill('{"title":"a title"}')}}`, ['admin', 'user']),
  operation('10 MB of empty rows', insert, () => `{"r":${fill('{}')}}`),
  operation('10 MB of full rows', insert, () => `{"r":${fill(fullRow)}}`),
  operation('10 MB of rows, returned', insertReturning, () => `{"r":${fill('{"title":"a title"}')}}`),
  operation(
    '10 MB of rows of which the last is wrong',
    insert,
    () => `{"r":[${fill('{"title":"a title"}').slice(1, -1)},{"id":"x"}]}`,
  ),
  operation(
    '10 MB of rows with different columns',
    insert,
    () => `{"r":${fill('{"title":"a"},{"whole":1},{"flag":true},{"body":1},{"title":"a","whole":1},{"real":1}')}}`,
  ),
  operation(
    '10 MB of rows with a nested row',
    insert,
    () => `{"r":${fill('{"title":"a","parent":{"data":{"title":"b"}}}')}}`,
  ),
  operation(
    '10 MB of rows with nested rows',
    insert,
    () => `{"r":${fill('{"title":"a","children":{"data":[{"title":"b"},{"title":"c"}]}}')}}`,
  ),
  operation(
    'rows nested 200,000 deep',
    insert,
    () => `{"r":[${deep('{"parent":{"data":', '{"title":"a"}', '}}', 200_000)}]}`,
  ),
  operation(
    'rows nested 150 deep, many',
    insert,
    () => `{"r":${list(deep('{"parent":{"data":', '{"title":"a"}', '}}', 150), 2_500)}}`,
  ),
  operation(
    '10 MB of on_conflict',
    insert,
    () =>
      `{"r":${fill('{"title":"a","parent":{"data":{"title":"b"},"on_conflict":{"constraint":"note_key_key","update_columns":["title"]}}}')}}`,
  ),
  operation(
    '10 MB of on_conflict with where',
    insert,
    () =>
      `{"r":${fill('{"parent":{"data":{"title":"b"},"on_conflict":{"constraint":"note_key_key","update_columns":["title"],"where":{"id":{"_eq":1}}}}}')}}`,
  ),
  operation(
    '10 MB of update_columns',
    'mutation ($r: [note_insert_input!]!, $c: note_on_conflict) { insert_note(objects: $r, on_conflict: $c) { affected_rows } }',
    () => `{"r":[{"title":"a"}],"c":{"constraint":"note_key_key","update_columns":${fill('"title"')}}}`,
  ),
  operation(
    '10 MB of update_many',
    updateMany,
    () => `{"u":${fill('{"where":{"id":{"_eq":1}},"_set":{"title":"a"}}')}}`,
  ),
  operation(
    'update_many with large conditions',
    updateMany,
    () => `{"u":${list(`{"where":{"_or":${list('{"id":{"_eq":1}}', 900)}},"_set":{"title":"a"}}`, 500)}}`,
  ),
  operation('one row with a jsonb of 10 MB, wide', insert, () => `{"r":[{"body":${fill('{"a":1}')}}]}`),
  operation('one row with a jsonb of 10 MB, exact numbers', insert, () => `{"r":[{"body":${fill('1e400')}}]}`),
  operation('one row with a jsonb of 10 MB, deep', insert, () => `{"r":[{"body":${deep('[', '1', ']', 4_900_000)}}]}`),
  operation('one row with a jsonb 5,000 deep', insert, () => `{"r":[{"body":${deep('[', '1', ']', 5_000)}}]}`),
  operation('one row with a text of 10 MB', insert, () => `{"r":[{"title":"${'x'.repeat(9.8 * MB)}"}]}`),
  operation('one row with 10 MB of tags', insert, () => `{"r":[{"tags":${fill('"a"')}}]}`),
  operation('one row with 10 MB of numbers', insert, () => `{"r":[{"numbers":${fill('1')}}]}`),
  operation('one row with nested lists of tags', insert, () => `{"r":[{"tags":${deep('[', '"a"', ']', 4_000_000)}}]}`),
  operation('10 MB of jsonb rows', insert, () => `{"r":${fill('{"body":{"a":[1,{"b":2}]}}')}}`),
  operation(
    'one hstore of 10 MB',
    insert,
    () => `{"r":[{"pairs":{${Array.from({ length: 600_000 }, (_, n) => `"n${n}":"1"`).join(',')}}}]}`,
  ),
  operation(
    'an update by primary key of 10 MB',
    'mutation ($s: note_set_input) { update_note_by_pk(pk_columns: { id: 1 }, _set: $s) { id } }',
    () => `{"s":{"body":${fill('{"a":1}')}}}`,
  ),
  operation(
    '_append of 10 MB',
    'mutation ($a: jsonb) { update_note(where: {}, _append: { body: $a }) { affected_rows } }',
    () => `{"a":${fill('1')}}`,
  ),
  operation(
    '_delete_at_path of 10 MB',
    'mutation ($p: [String!]) { update_note(where: {}, _delete_at_path: { body: $p }) { affected_rows } }',
    () => `{"p":${fill('"a"')}}`,
  ),
  operation(
    'a path into jsonb of 10 MB',
    'query ($p: String) { note { body(path: $p) } }',
    () => `{"p":"${'a.'.repeat(4.9 * MB)}"}`,
  ),
  operation(
    'a path into jsonb of 10 MB of brackets',
    'query ($p: String) { note { body(path: $p) } }',
    () => `{"p":"$${'[0]'.repeat(3.2 * MB)}"}`,
  ),
  operation(
    'a path into jsonb of 10 MB of quotes',
    'query ($p: String) { note { body(path: $p) } }',
    () => `{"p":"$[\\"${'a\\\\'.repeat(2 * MB)}"}`,
  ),
  operation('an action with a deep tree', submit, () => `{"t":${deep('{"left":', '{}', '}', 900_000)}}`, [
    'user',
    'anonymous',
  ]),
  operation('an action with a tree of 3,000 levels', submit, () => `{"t":${deep('{"left":', '{}', '}', 3_000)}}`),
  operation('an action with a wide tree', submit, () => `{"t":{"list":${fill('{"text":"a"}')}}}`, [
    'user',
    'anonymous',
  ]),
  operation('an action with 10 MB of empty trees', submit, () => `{"t":{"list":${fill('{}')}}}`),
  operation('an action with 10 MB of numbers', submit, () => `{"t":{"numbers":${fill('1')}}}`),
  operation('an action with 10 MB of wrong numbers', submit, () => `{"t":{"numbers":[${fill('1').slice(1, -1)},"x"]}}`),
  operation('an action with any value of 10 MB', submit, () => `{"t":{"value":${fill('{"a":1}')}}}`),
  operation('an action with a text of 10 MB', submit, () => `{"t":{"text":"${'x'.repeat(9.8 * MB)}"}}`),
  operation('10 MB of variables that are not declared', '{ note { id } }', () => `{"x":${fill('{"a":1}')}}`, readers),
  operation(
    '1,000,000 variables that are not declared',
    '{ note { id } }',
    () => `{${Array.from({ length: 700_000 }, (_, n) => `"v${n}":1`).join(',')}}`,
  ),
  operation(
    'limit of 10 MB of digits',
    'query ($l: Int) { note(limit: $l) { id } }',
    () => `{"l":${'1'.repeat(9.8 * MB)}}`,
  ),
  operation('an enum of 10 MB', order, () => `{"o":[{"id":"${'a'.repeat(9.8 * MB)}"}]}`),
  operation(
    'a stream with 10 MB of cursors',
    'subscription ($c: [note_stream_cursor_input]!) { note_stream(batch_size: 1, cursor: $c) { id } }',
    () => `{"c":${fill('{"initial_value":{"id":1}}')}}`,
  ),
];
