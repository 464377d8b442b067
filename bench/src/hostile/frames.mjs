// Hostile messages of websockets, before and after the acknowledgment, in both protocols.
import { sendFrames } from './send.mjs';

const MB = 1_000_000;
const TRANSPORT = 'graphql-transport-ws';
const LEGACY = 'graphql-ws';

const list = (item, count) => `[${`${item},`.repeat(count - 1)}${item}]`;
const fill = (item) => list(item, Math.floor((9.8 * MB) / (item.length + 1)));

const init = '{"type":"connection_init"}';
const first = [
  ['connection_init with a list of 10 MB', () => `{"type":"connection_init","payload":{"a":${fill('{"a":1}')}}}`],
  [
    'connection_init with 700,000 headers',
    () =>
      `{"type":"connection_init","payload":{"headers":{${Array.from({ length: 700_000 }, (_, n) => `"h${n}":1`).join(',')}}}}`,
  ],
  ['connection_init with exact numbers', () => `{"type":"connection_init","payload":{"a":${fill('1e400')}}}`],
  [
    'connection_init with a token of 10 MB',
    () => `{"type":"connection_init","payload":{"headers":{"authorization":"Bearer ${'a.'.repeat(4.9 * MB)}"}}}`,
  ],
  ['10 MB of brackets', () => '['.repeat(9.8 * MB)],
  ['an unknown message of 10 MB', () => `{"type":"x","payload":${fill('{"a":1}')}}`],
];

const operations = [
  [
    'a where of 10 MB',
    '"query ($w: note_bool_exp) { note(where: $w) { id } }"',
    () => `{"w":{"_or":${fill('{"id":{"_eq":1}}')}}}`,
  ],
  [
    '10 MB of order_by',
    '"subscription ($o: [note_order_by!]) { note(order_by: $o) { id } }"',
    () => `{"o":${fill('{"id":"asc"}')}}`,
  ],
  [
    'a live query with _in of 10 MB',
    '"subscription ($i: [bigint!]) { note(where: { id: { _in: $i } }) { id } }"',
    () => `{"i":${fill('12')}}`,
  ],
  [
    '10 MB of rows',
    '"mutation ($r: [note_insert_input!]!) { insert_note(objects: $r) { affected_rows } }"',
    () => `{"r":${fill('{"title":"a"}')}}`,
  ],
  ['variables that are not declared', '"{ note { id } }"', () => `{"x":${fill('{"a":1}')}}`],
];

const frames = (name, protocol, steps, callers) => ({
  name: `${protocol}: ${name}`,
  callers,
  send: (url, headers) => sendFrames(url, headers, protocol, steps()),
});

export const hostileFrames = [
  [TRANSPORT, 'subscribe'],
  [LEGACY, 'start'],
].flatMap(([protocol, type]) => [
  ...first.map(([name, text]) => frames(name, protocol, () => [text()], ['user', 'anonymous', 'impostor'])),
  ...operations.map(([name, query, variables]) =>
    frames(
      name,
      protocol,
      () => [init, `{"id":"1","type":"${type}","payload":{"query":${query},"variables":${variables()}}}`],
      ['user', 'anonymous'],
    ),
  ),
  frames(
    'an id of 10 MB',
    protocol,
    () => [init, `{"id":"${'x'.repeat(9.8 * MB)}","type":"${type}","payload":{"query":"{ note { id } }"}}`],
    ['user'],
  ),
  frames('10 MB of nonsense after the acknowledgment', protocol, () => [init, fill('{"a":1}')], ['user']),
]);
