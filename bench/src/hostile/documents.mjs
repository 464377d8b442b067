// Hostile documents of operations.
import { sendHttp } from './send.mjs';

const MB = 1_000_000;
const readers = ['admin', 'user', 'anonymous'];

const document = (name, query, callers = ['user'], more = {}) => ({
  name: `document: ${name}`,
  callers,
  send: (url, headers) => sendHttp(url, headers, { body: JSON.stringify({ query: query(), ...more }) }),
});

const many = (count, text) => Array.from({ length: count }, (_, n) => text(n)).join(' ');
const repeat = (text, length = 9.8 * MB) => text.repeat(Math.floor(length / text.length));

export const hostileDocuments = [
  document('10 MB of aliases', () => `{ note { ${many(700_000, (n) => `a${n}: id`)} } }`, readers),
  document('12,000 aliases', () => `{ note { ${many(12_000, (n) => `a${n}: id`)} } }`, readers),
  document('4,900 aliases', () => `{ note { ${many(4_900, (n) => `a${n}: id`)} } }`, readers),
  document('9,900 aliases', () => `{ note { ${many(9_900, (n) => `a${n}: id`)} } }`, ['admin']),
  document('16,000 fields of one name', () => `{ note { ${repeat('id ', 48_000)} } }`, readers),
  document('12,000 roots', () => `{ ${many(12_000, (n) => `a${n}: note { id }`)} }`),
  document('490 roots', () => `{ ${many(490, (n) => `a${n}: note { id parent { id } children { id } }`)} }`, readers),
  document(
    '490 roots with every column',
    () => `{ ${many(490, (n) => `a${n}: note { id key title amount whole big real flag body tags }`)} }`,
    readers,
  ),
  document(
    '1,600 relationships',
    () => `{ note { ${many(1_600, (n) => `a${n}: children { id parent { id } }`)} } }`,
    readers,
  ),
  document('4,900 relationships', () => `{ note { ${many(2_400, (n) => `a${n}: children { id }`)} } }`, readers),
  document('9,900 nodes of relationships', () => `{ note { ${many(4_900, (n) => `a${n}: children { id }`)} } }`, [
    'admin',
  ]),
  document(
    'aggregates',
    () => `{ note_aggregate { aggregate { ${many(1_000, (n) => `a${n}: sum { id amount }`)} } } }`,
    readers,
  ),
  document('10 MB of one comment', () => `{ note { id } } #${'x'.repeat(9.8 * MB)}`, readers),
  document('10 MB of comments', () => `{ note { id } } ${repeat('#\n')}`),
  document('10 MB of commas', () => `{ note { id } } ${repeat(',')}`),
  document('10 MB of spaces', () => `{ note { id } } ${repeat(' ')}`),
  document('10 MB of newlines', () => `{ note { id } } ${repeat('\n')}`),
  document('10 MB of newlines before an error', () => `${repeat('\n')} {`),
  document('10 MB of braces', () => repeat('{')),
  document('10 MB of nested lists', () => `{ note(where: ${repeat('[')}`),
  document('a name of 10 MB', () => `{ ${repeat('a')} }`, readers),
  document('an alias of 10 MB', () => `{ ${repeat('a')}: note { id } }`, readers),
  document('an alias of 10 MB in rows', () => `{ note { ${repeat('a')}: id } }`),
  document('a string of 10 MB', () => `{ note(where: { title: { _eq: "${repeat('a')}" } }) { id } }`, readers),
  document('a string of 10 MB of escapes', () => `{ note(where: { title: { _eq: "${repeat('\\u0041')}" } }) { id } }`),
  document('a block string of 10 MB', () => `{ note(where: { title: { _eq: """${repeat('a\n')}""" } }) { id } }`),
  document(
    'a block string of 10 MB of quotes',
    () => `{ note(where: { title: { _eq: """${repeat('\\"""')}""" } }) { id } }`,
  ),
  document('a block string without an end', () => `{ note(where: { title: { _eq: """${repeat('a\n')}`),
  document('a number of 10 MB', () => `{ note(limit: ${repeat('1')}) { id } }`, readers),
  document('a bigint of 10 MB', () => `{ note(where: { big: { _eq: ${repeat('1')} } }) { id } }`),
  document('a numeric of 10 MB', () => `{ note(where: { amount: { _eq: ${repeat('1')} } }) { id } }`),
  document('a float of 10 MB', () => `{ note(where: { real: { _eq: 1.${repeat('1')} } }) { id } }`),
  document('an exponent of 10 MB', () => `{ note(where: { amount: { _eq: 1e${repeat('1')} } }) { id } }`),
  document('an integer in an action', () => `mutation { submit(tree: { numbers: [${repeat('1')}] }) { ok } }`),
  document('any value in an action', () => `mutation { submit(tree: { value: ${repeat('1')} }) { ok } }`),
  document('10,000 terms of order_by', () => `{ note(order_by: [${repeat('{id:asc}', 64_000)}]) { id } }`, readers),
  document('6,000 conditions', () => `{ note(where: { _or: [${repeat('{id:{_eq:1}}', 66_000)}] }) { id } }`, readers),
  document('12,000 empty conditions', () => `{ note(where: { _or: [${repeat('{}', 40_000)}] }) { id } }`, readers),
  document('30,000 wrong members', () => `{ note(where: { _or: [${repeat('{x:1}', 45_000)}] }) { id } }`, readers),
  document('40,000 items of _in', () => `{ note(where: { id: { _in: [${repeat('1 ', 80_000)}] } }) { id } }`, readers),
  document(
    '40,000 items of distinct_on',
    () => `{ note(distinct_on: [${repeat('title ', 240_000)}]) { id } }`,
    readers,
  ),
  document(
    '10,000 rows',
    () => `mutation { insert_note(objects: [${repeat('{whole:1}', 80_000)}]) { affected_rows } }`,
  ),
  document(
    'conditions 5,000 deep',
    () => `{ note(where: ${'{_not:'.repeat(5_000)}{}${'}'.repeat(5_000)}) { id } }`,
    readers,
  ),
  document(
    'lists 20,000 deep',
    () => `{ note(where: { body: { _eq: ${'['.repeat(20_000)}${']'.repeat(20_000)} } }) { id } }`,
  ),
  document('selections 9,000 deep', () => `{ ${'a{'.repeat(9_000)} id ${'}'.repeat(9_000)} }`),
  document('selections 19 deep and wide', () => `{ note ${wide(6)} }`, readers),
  document(
    'inline fragments 10,000 deep',
    () => `{ note { ${'... {'.repeat(10_000)} id ${'}'.repeat(10_000)} } }`,
    readers,
  ),
  document('12,000 inline fragments', () => `{ note { ${repeat('...{id}', 84_000)} } }`, readers),
  document('16,000 spreads', () => `{ note { ${repeat('...f ', 80_000)} } } fragment f on note { id }`, readers),
  document(
    'fragments that double in number',
    () =>
      `{ note { ...f0 } } ${many(40, (n) => `fragment f${n} on note { ...f${n + 1} ...f${n + 1} }`)} fragment f40 on note { id }`,
    readers,
  ),
  document(
    'fragments that double in number under aliases',
    () =>
      `{ note { ...f0 } } ${many(12, (n) => `fragment f${n} on note { a${n}: parent { ...f${n + 1} } b${n}: parent { ...f${n + 1} } }`)} fragment f12 on note { id }`,
    readers,
  ),
  document(
    '6,000 fragments in a chain',
    () =>
      `{ note { ...f0 } } ${many(6_000, (n) => `fragment f${n} on note { ...f${n + 1} }`)} fragment f6000 on note { id }`,
    readers,
  ),
  document(
    'a circle of 6,000 fragments',
    () => `{ note { ...f0 } } ${many(6_000, (n) => `fragment f${n} on note { ...f${(n + 1) % 6_000} }`)}`,
    readers,
  ),
  document(
    '200 fragments that spread all others',
    () =>
      `{ note { ...f0 } } ${many(200, (n) => `fragment f${n} on note { id ${many(200 - n, (m) => (m === 0 ? '' : `...f${n + m}`))} }`)}`,
    readers,
  ),
  document(
    '3,000 operations that spread fragments',
    () =>
      `${many(1_500, (n) => `query q${n} { note { ...f0 } }`)} ${many(1_500, (n) => `fragment f${n} on note { ...f${n + 1} }`)} fragment f1500 on note { id }`,
    readers,
  ),
  document('4,000 operations', () => many(7_000, (n) => `query q${n} { note { id } }`), readers, {
    operationName: 'q6999',
  }),
  document('7,000 variables', () => `query (${many(7_000, (n) => `$v${n}: Int = 1`)}) { note { id } }`, readers),
  document(
    '7,000 variables that are used',
    () =>
      `query (${many(4_000, (n) => `$v${n}: Int`)}) { note(where: { whole: { _in: [${many(4_000, (n) => `$v${n}`)}] } }) { id } }`,
    readers,
  ),
  document(
    'one variable used 15,000 times',
    () => `query ($v: Int = 1) { note(where: { whole: { _in: [${repeat('$v ', 45_000)}] } }) { id } }`,
    readers,
  ),
  document(
    '400 operations that use 300 variables of fragments',
    () =>
      `${many(60, (n) => `query q${n}(${many(100, (m) => `$v${m}: Int`)}) { note { ...f } }`)} fragment f on note { ${many(100, (m) => `a${m}: children(limit: $v${m}) { id }`)} }`,
    readers,
    { operationName: 'q1' },
  ),
  document(
    'variables of unknown types',
    () => `query (${many(10_000, (n) => `$v${n}: T${n}`)}) { note { id } }`,
    readers,
  ),
  document('25,000 directives', () => `{ note { id ${repeat('@a ', 75_000)} } }`, readers),
  document('5,000 directives @include', () => `{ note { ${repeat('id @include(if: true) ', 130_000)} } }`, readers),
  document('10,000 arguments', () => `{ note(${repeat('a:1 ', 60_000)}) { id } }`, readers),
  document('10,000 unknown arguments', () => `{ note(${many(12_000, (n) => `a${n}: 1`)}) { id } }`, readers),
  document('12,000 unknown fields', () => `{ ${many(12_000, (n) => `a${n}`)} }`, readers),
  document('conflicts', () => `{ note { ${repeat('children(limit: 1) { id } ', 90_000)} } }`, readers),
  document(
    'conflicts of large arguments',
    () => `{ note { ${many(40, () => `children(where: {_or: [${repeat('{id:{_eq:1}}', 2_400)}]}) { id }`)} } }`,
    readers,
  ),
  document(
    'one field 4,000 times, with one argument of 500 members',
    () =>
      `{ note { children(where: {_or: [${repeat('{id:{_eq:1}}', 6_000)}]}) { id } ${repeat('children(limit: 1) { id }', 40_000)} } }`,
  ),
  document(
    'introspection',
    () => `{ __schema { types { name fields { name type { name } args { name } } } } }`,
    readers,
  ),
  document(
    'introspection under many aliases',
    () => `{ ${many(400, (n) => `a${n}: __schema { types { name fields { name } } }`)} }`,
    readers,
  ),
  document(
    'introspection with 4,000 aliases',
    () => `{ __schema { types { ${many(4_000, (n) => `a${n}: name`)} } } }`,
    readers,
  ),
  document(
    'introspection with 4,000 aliases of fields',
    () => `{ __schema { types { fields { ${many(4_000, (n) => `a${n}: name`)} } } } }`,
    readers,
  ),
  document(
    'nested introspection',
    () => `{ __schema { types { fields { type { fields { type { fields { name type { fields { name } } } } } } } } } }`,
    readers,
  ),
  document(
    'introspection of one type 400 times',
    () =>
      `{ ${many(490, (n) => `a${n}: __type(name: "note_bool_exp") { inputFields { name type { name kind ofType { name } } defaultValue } }`)} }`,
    readers,
  ),
  document('a type system definition of 10 MB', () => many(10_000, (n) => `type T${n} { a: Int }`)),
  document('10 MB without an operation', () => repeat('fragment f on note { id } ', 40_000)),
];

/** Returns nested selections of one relationship, three at each level. */
function wide(levels) {
  return levels === 0 ? '{ id }' : `{ ${many(3, (n) => `a${n}: parent ${wide(levels - 1)}`)} }`;
}
