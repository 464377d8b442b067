// Hostile commands of the metadata API, by admins and by callers without permission.
import { sendHttp } from './send.mjs';

const MB = 1_000_000;

const command = (name, bodyOf, callers = ['admin'], path = '/v1/metadata') => ({
  name: `${path}: ${name}`,
  callers,
  send: (url, headers) => sendHttp(url, headers, { path, body: bodyOf() }),
});

const list = (item, count) => `[${`${item},`.repeat(count - 1)}${item}]`;
const fill = (item) => list(item, Math.floor((9.8 * MB) / (item.length + 1)));
const items = (count, text) => `[${Array.from({ length: count }, (_, n) => text(n)).join(',')}]`;
const replace = (metadata) => `{"type":"replace_metadata","args":{"version":3,"sources":[],${metadata}}}`;

export const hostileMetadata = [
  command('a bulk of 10 MB', () => `{"type":"bulk","args":${fill('{"type":"get_inconsistent_metadata","args":{}}')}}`, [
    'admin',
    'user',
    'impostor',
  ]),
  command('a bulk of 10 MB that fails', () => `{"type":"bulk","args":${fill('{"type":"x"}')}}`),
  command('a bulk of bulks, deep', () => `${'{"type":"bulk","args":['.repeat(400_000)}${']}'.repeat(400_000)}`),
  command(
    'a bulk of 20,000 permissions',
    () =>
      `{"type":"bulk","args":${items(20_000, (n) => `{"type":"create_select_permission","args":{"table":"note","role":"r${n}","permission":{"columns":["id"],"filter":{}}}}`)}}`,
  ),
  command('replace_metadata with 100,000 custom types', () =>
    replace(
      `"custom_types":{"objects":${items(100_000, (n) => `{"name":"T${n}","fields":[{"name":"a","type":"Int"}]}`)}}`,
    ),
  ),
  command('replace_metadata with 20,000 actions', () =>
    replace(
      `"actions":${items(20_000, (n) => `{"name":"a${n}","definition":{"kind":"synchronous","type":"query","handler":"http://127.0.0.1:1","output_type":"Int"}}`)}`,
    ),
  ),
  command(
    'replace_metadata with 100,000 unknown tables',
    () =>
      `{"type":"replace_metadata","args":{"version":3,"sources":[{"name":"default","kind":"postgres","configuration":{"connection_info":{"database_url":{"from_env":"X"}}},"tables":${items(100_000, (n) => `{"table":{"schema":"public","name":"t${n}"}}`)}}]}}`,
  ),
  command('replace_metadata with 10 MB of query collections', () =>
    replace(
      `"query_collections":[{"name":"a","definition":{"queries":${items(100_000, (n) => `{"name":"q${n}","query":"{ note { id } }"}`)}}}]`,
    ),
  ),
  command('replace_metadata with a query of 10 MB', () =>
    replace(
      `"query_collections":[{"name":"a","definition":{"queries":[{"name":"q","query":"{ note { ${'id '.repeat(3 * MB)} } }"}]}}]`,
    ),
  ),
  command('replace_metadata with 100,000 inherited roles', () =>
    replace(`"inherited_roles":${items(100_000, (n) => `{"role_name":"r${n}","role_set":["user","anonymous"]}`)}`),
  ),
  command('replace_metadata with a chain of 20,000 inherited roles', () =>
    replace(`"inherited_roles":${items(20_000, (n) => `{"role_name":"r${n}","role_set":["r${n + 1}","user"]}`)}`),
  ),
  command('replace_metadata with 10 MB of unknown members', () =>
    replace(Array.from({ length: 600_000 }, (_, n) => `"x${n}":1`).join(',')),
  ),
  command(
    'set_custom_types with 100,000 types',
    () =>
      `{"type":"set_custom_types","args":{"objects":${items(100_000, (n) => `{"name":"T${n}","fields":[{"name":"a","type":"Int"}]}`)}}}`,
  ),
  command(
    'set_custom_types with a type of 200,000 fields',
    () =>
      `{"type":"set_custom_types","args":{"objects":[{"name":"T","fields":${items(200_000, (n) => `{"name":"f${n}","type":"Int"}`)}}]}}`,
  ),
  command(
    'set_custom_types with an enum of 200,000 values',
    () =>
      `{"type":"set_custom_types","args":{"enums":[{"name":"T","values":${items(200_000, (n) => `{"value":"V${n}"}`)}}]}}`,
  ),
  command(
    'a row rule of 10 MB',
    () =>
      `{"type":"create_select_permission","args":{"table":"note","role":"x","permission":{"columns":["id"],"filter":{"_or":${fill('{"id":{"_eq":1}}')}}}}}`,
  ),
  command(
    'a row rule 400,000 deep',
    () =>
      `{"type":"create_select_permission","args":{"table":"note","role":"x","permission":{"columns":["id"],"filter":${'{"_not":'.repeat(400_000)}{}${'}'.repeat(400_000)}}}}`,
  ),
  command(
    'columns of 10 MB',
    () =>
      `{"type":"create_select_permission","args":{"table":"note","role":"x","permission":{"columns":${fill('"id"')},"filter":{}}}}`,
  ),
  command(
    'an allow list of 10 MB',
    () =>
      `{"type":"create_query_collection","args":{"name":"x","definition":{"queries":${items(150_000, (n) => `{"name":"q${n}","query":"{ note { id } }"}`)}}}}`,
  ),
  command(
    'create_scheduled_event of 10 MB',
    () =>
      `{"type":"create_scheduled_event","args":{"webhook":"http://127.0.0.1:1","schedule_at":"2099-01-01T00:00:00Z","payload":${fill('{"a":1}')}}}`,
  ),
  command(
    'create_scheduled_events of 10 MB',
    () =>
      `{"type":"create_scheduled_events","args":{"events":${fill('{"webhook":"http://127.0.0.1:1","schedule_at":"2099-01-01T00:00:00Z"}')}}}`,
  ),
  command(
    'a transform of 10 MB',
    () =>
      `{"type":"test_webhook_transform","args":{"webhook_url":"http://127.0.0.1:1","body":{"a":1},"request_transform":{"version":2,"body":{"action":"transform","template":"${'{{$body.a}}'.repeat(800_000)}"}}}}`,
  ),
  command(
    'a transform of 10 MB of braces',
    () =>
      `{"type":"test_webhook_transform","args":{"webhook_url":"http://127.0.0.1:1","body":{"a":1},"request_transform":{"version":2,"body":{"action":"transform","template":"${'{'.repeat(9.8 * MB)}"}}}}`,
  ),
  command(
    'a transform with a body of 10 MB',
    () =>
      `{"type":"test_webhook_transform","args":{"webhook_url":"http://127.0.0.1:1","body":${fill('{"a":1}')},"request_transform":{"version":2,"body":{"action":"transform","template":"{{$body}}"}}}}`,
  ),
  command('an unknown command name of 10 MB', () => `{"type":"${'x'.repeat(9.8 * MB)}","args":{}}`),
  command(
    'run_sql of 10 MB',
    () => `{"type":"run_sql","args":{"sql":"${'select 1;'.repeat(MB)}"}}`,
    ['admin', 'user'],
    '/v2/query',
  ),
  command(
    'run_sql of 10 MB of quotes',
    () => `{"type":"run_sql","args":{"sql":"select '${"''".repeat(4.8 * MB)}'"}}`,
    ['admin'],
    '/v2/query',
  ),
  command(
    'run_sql of 10 MB of dollars',
    () => `{"type":"run_sql","args":{"sql":"select ${'$a'.repeat(4.8 * MB)}"}}`,
    ['admin'],
    '/v2/query',
  ),
  command(
    'run_sql of 10 MB of comments',
    () => `{"type":"run_sql","args":{"sql":"${'/*'.repeat(4.8 * MB)}"}}`,
    ['admin'],
    '/v2/query',
  ),
  command(
    'run_sql that returns 500,000 rows',
    () => `{"type":"run_sql","args":{"sql":"select n, 'a text' from generate_series(1, 500000) n"}}`,
    ['admin'],
    '/v2/query',
  ),
];
