/** The tools for developers: confirmation, dry runs, read-only SQL, events, documentation, and the audit log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpScopes } from '../../src/auth/scopes.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { connectMcp, type TestClient } from './mcp-client.ts';

const sql = `
  create table author (id int primary key, name text not null);
  create table book (id int primary key, title text not null);
  insert into author values (1, 'Ada'), (2, 'Bea');
`;

let service: TestService;
let admin: TestClient;

beforeAll(async () => {
  service = await startService({ JOINERY_ENABLE_MCP: 'true', JOINERY_MCP_SCOPES: mcpScopes.join(',') }, { sql });
  await service.command('track_table', 'author');
  await service.command('create_select_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['id'], filter: { id: { _eq: 'X-Service-User-Id' } } },
  });
  admin = await connectMcp(`${service.url}/mcp/admin`);
});

afterAll(() => service?.stop());

async function call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const { isError, json } = await admin.call(name, args);
  return { isError, ...(json() as object) };
}

async function rowsOf(table: string): Promise<number> {
  const { rows } = await service.database.database.query({ text: `select id from ${table}`, values: [] });
  return rows.length;
}

describe('the metadata', () => {
  const track = { commands: [{ type: 'pg_track_table', args: { source: 'default', table: 'book' } }] };

  it('is exported with its version, or in part', async () => {
    expect(await call('export_metadata', { path: '$.sources[0].tables[0].table' })).toMatchObject({
      resource_version: expect.any(Number),
      metadata: { name: 'author', schema: 'public' },
    });
  });

  it('has nothing at an unknown path, and the error names the members that exist', async () => {
    expect(await call('export_metadata', { path: '$.source' })).toMatchObject({
      isError: true,
      errors: [{ message: expect.stringContaining('version, sources'), extensions: { path: '$.arguments.path' } }],
    });
  });

  it('is not changed without confirmation; the result is the difference and the changed schemas', async () => {
    const before = await service.command('export_metadata', {});
    expect(await call('apply_metadata', track)).toMatchObject({
      isError: false,
      done: false,
      differences: [{ at: 'sources[default].tables[public.book]', change: 'added' }],
      schema_changes: [{ role: 'admin', changes: expect.arrayContaining([expect.objectContaining({ at: 'book' })]) }],
      is_consistent: true,
    });
    expect(await service.command('export_metadata', {})).toEqual(before);
  });

  it('is compared with other metadata without a change', async () => {
    const before = await service.command('export_metadata', {});
    const metadata = { version: 3, sources: [] };
    expect(await call('diff_metadata', { metadata })).toMatchObject({
      differences: [{ at: 'sources[default]', change: 'removed' }],
    });
    expect(await service.command('export_metadata', {})).toEqual(before);
  });

  it('returns the error of an edit that is not valid', async () => {
    const commands = [{ type: 'pg_track_table', args: { source: 'default', table: 'absent' } }];
    expect(await call('diff_metadata', { commands })).toMatchObject({
      isError: true,
      errors: [{ extensions: { code: 'invalid-configuration', path: '$.arguments.commands' } }],
    });
  });

  it('suggests the name of a misspelled edit', async () => {
    const commands = [{ type: 'pg_track_tabel', args: {} }];
    expect(await call('apply_metadata', { commands })).toMatchObject({
      isError: true,
      errors: [
        {
          message: expect.stringContaining('did you mean "pg_track_table"?'),
          extensions: { path: '$.arguments.commands[0].type' },
        },
      ],
    });
  });

  it('is not changed with a version that is not the present one', async () => {
    const args = { ...track, resource_version: 0, confirm: true };
    expect(await call('apply_metadata', args)).toMatchObject({
      isError: true,
      errors: [{ extensions: { code: 'conflict' } }],
    });
  });

  it('is changed with confirmation', async () => {
    expect(await call('apply_metadata', { ...track, confirm: true })).toMatchObject({ done: true });
    expect(await service.graphql('{ book { id } }')).toEqual({ data: { book: [] } });
  });
});

describe('SQL', () => {
  it('that reads returns its rows', async () => {
    expect(await call('query_sql', { sql: 'select name from author order by id' })).toMatchObject({
      results: [{ columns: [{ name: 'name', type: 'text' }], rows: [['Ada'], ['Bea']] }],
    });
  });

  it.each([
    "insert into author values (3, 'Cy')",
    "commit; insert into author values (3, 'Cy')",
    "rollback; begin; insert into author values (3, 'Cy')",
    "set transaction read write; insert into author values (3, 'Cy')",
    "with added as (insert into author values (3, 'Cy') returning id) select id from added",
    "do $$ begin insert into author values (3, 'Cy'); end $$",
    'create table other (id int)',
  ])('of query_sql cannot write: %s', async (text) => {
    expect(await call('query_sql', { sql: text })).toMatchObject({ isError: true });
    expect(await rowsOf('author')).toBe(2);
  });

  it('of run_sql does nothing without confirmation', async () => {
    const text = "insert into author values (3, 'Cy'); select 1";
    expect(await call('run_sql', { sql: text })).toMatchObject({
      done: false,
      statements: ["insert into author values (3, 'Cy')", 'select 1'],
    });
    expect(await rowsOf('author')).toBe(2);
  });

  it('of run_sql writes with confirmation', async () => {
    await call('run_sql', { sql: "insert into book values (1, 'A')", confirm: true });
    expect(await rowsOf('book')).toBe(1);
  });
});

describe('an operation', () => {
  const acting = { role: 'user', session_variables: { 'X-Service-User-Id': '2' } };

  it('runs as a role with session variables', async () => {
    expect(await call('run_query', { query: '{ author { id } }', ...acting })).toMatchObject({
      data: { author: [{ id: 2 }] },
    });
  });

  it('that is a mutation is rejected by run_query', async () => {
    const query = 'mutation { delete_author(where: {}) { affected_rows } }';
    expect(await call('run_query', { query })).toMatchObject({
      isError: true,
      errors: [{ extensions: { code: 'method-not-allowed' } }],
    });
  });

  it('that is a mutation is only validated without confirmation', async () => {
    const query = 'mutation { delete_author(where: {}) { affected_rows } }';
    expect(await call('run_mutation', { query })).toMatchObject({ done: false, valid: true, kind: 'mutation' });
    expect(await rowsOf('author')).toBe(2);
  });

  it('that is a mutation runs with confirmation', async () => {
    const query = 'mutation { update_author(where: {id: {_eq: 1}}, _set: {name: "A"}) { affected_rows } }';
    expect(await call('run_mutation', { query, confirm: true })).toMatchObject({
      done: true,
      result: { data: { update_author: { affected_rows: 1 } } },
    });
  });

  it('is explained as a role', async () => {
    expect(await call('explain_operation', { query: '{ author { id } }', ...acting })).toMatchObject({
      role: 'user',
      steps: [expect.objectContaining({ sql: expect.stringContaining('"author"') })],
    });
  });

  it('is searched in the schema of a role', async () => {
    const { text } = await admin.call('search_schema', { type: 'author', role: 'user' });
    expect(text).not.toContain('name');
  });
});

describe('events', () => {
  it('are scheduled, found, shown, and redelivered with confirmation only', async () => {
    const { event_id } = (await call('schedule_event', {
      webhook: `${service.url}/absent`,
      schedule_at: new Date().toISOString(),
      payload: { order: 1 },
      comment: 'of the agent',
    })) as { readonly event_id: string };
    const search = { kinds: ['one_off'], status: ['error'], text: 'of the agent' };
    const found = await until('the failed event', async () => {
      const { events } = (await call('search_events', search)) as {
        readonly events: readonly { readonly id: string }[];
      };
      return events[0];
    });
    expect(found.id).toBe(event_id);
    expect(await call('get_event', { kind: 'one_off', event_id })).toMatchObject({
      event: { payload: { order: 1 } },
      invocations: [{ status: 404 }],
    });
    const redeliver = { action: 'redeliver', events: [{ event_id }] };
    expect(await call('change_events', redeliver)).toMatchObject({ done: false, events: [{ event_id }] });
    expect(await call('get_event', { kind: 'one_off', event_id })).toMatchObject({ event: { status: 'error' } });
    expect(await call('change_events', { ...redeliver, confirm: true })).toMatchObject({
      done: true,
      result: { changed: [{ event_id }] },
    });
  });
});

describe('the documentation', () => {
  it('is searched by words', async () => {
    const { json } = await admin.call('search_docs', { words: 'cron time zone' });
    expect(json()).toContainEqual(expect.objectContaining({ page: 'cron-triggers' }));
  });

  it('is read by page', async () => {
    expect((await admin.call('read_docs', { page: 'cron-triggers' })).text).toContain('# Cron triggers');
  });

  it('has no page outside of its folder', async () => {
    expect(await call('read_docs', { page: '../package' })).toMatchObject({ isError: true });
  });
});

it('the audit log has each call with its arguments and its error', async () => {
  await call('query_sql', { sql: 'select 40 + 2' });
  await call('query_sql', { sql: 'select nothing' });
  expect(await service.command('get_audit_log', { command: 'mcp:query_sql', limit: 2 })).toMatchObject({
    entries: [
      { command: 'mcp:query_sql', arguments: '{"sql":"select nothing"}', outcome: 'error', author: 'anonymous' },
      { command: 'mcp:query_sql', arguments: '{"sql":"select 40 + 2"}', outcome: 'success' },
    ],
  });
});

it('the audit log has a call whose operation fails as an error', async () => {
  await call('run_query', { query: '{ absent }' });
  expect(await service.command('get_audit_log', { command: 'mcp:run_query', limit: 1 })).toMatchObject({
    entries: [{ outcome: 'error', code: 'validation-failed' }],
  });
});
