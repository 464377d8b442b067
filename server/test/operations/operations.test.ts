/** Metrics and their documentation, request IDs, and the list of rejected requests. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
const admin = { 'x-service-role': 'admin', 'x-service-admin-secret': 'top-secret' };
const bearer = { authorization: 'Bearer scrape-me' };

let service: TestService;
let handler: HandlerServer;

beforeAll(async () => {
  handler = await startHandlerServer({ '/greet': () => ({ text: 'hello' }) });
  service = await startService(
    { JOINERY_ADMIN_SECRET: 'top-secret', JOINERY_METRICS_SECRET: 'scrape-me', HANDLER: handler.url },
    { sql: 'create table author (id int primary key); insert into author values (1)' },
  );
  const metadata = (type: string, args: unknown) => service.post('/v1/query', { type, args }, admin);
  await metadata('track_table', { schema: 'public', name: 'author' });
  await metadata('set_custom_types', { objects: [{ name: 'Greeting', fields: [{ name: 'text', type: 'String!' }] }] });
  await metadata('create_action', {
    name: 'greet',
    definition: { handler: '{{HANDLER}}/greet', type: 'query', output_type: 'Greeting!', arguments: [] },
  });
});

afterAll(async () => {
  await service?.stop();
  await handler?.close();
});

async function metrics(): Promise<string[]> {
  return (await (await fetch(`${service.url}/metrics`, { headers: bearer })).text()).split('\n');
}

describe('metrics', () => {
  it('are documented in docs/metrics.md with type, labels and meaning', async () => {
    await service.graphql('{ author { id } greet { text } nothing }', admin);
    const lines = await metrics();
    const rows = page.split('\n').filter((line) => line.startsWith('| `joinery_'));
    const documented = rows.map((row) => row.split(/\s*\|\s*/).slice(1, -1));
    const helps = lines.filter((line) => line.startsWith('# HELP joinery_')).sort();
    expect(helps).toEqual(documented.map(([name = '', , , help]) => `# HELP ${plain(name)} ${help}`).sort());
    for (const [name = '', type, labels = ''] of documented) {
      expect(lines).toContain(`# TYPE ${plain(name)} ${type}`);
      const sample = lines.find(
        (line) => line.startsWith(`${plain(name)}{`) || line.startsWith(`${plain(name)}_count{`),
      );
      if (sample !== undefined) expect(labelsOf(sample)).toEqual(plain(labels).split(', '));
    }
  });

  it('count operations, statements and calls', async () => {
    await service.graphql('query { author { id } greet { text } }', admin);
    const lines = await metrics();
    expect(lines).toContainEqual(
      expect.stringMatching(/^joinery_operation_duration_seconds_count\{type="query",code="ok"\} [1-9]/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^joinery_statement_duration_seconds_count\{pool="default"\} [1-9]/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^joinery_outbound_calls_total\{kind="action",name="greet",outcome="2xx"\} [1-9]/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^joinery_pool_size\{pool="default"\} 10$/));
  });

  it('require the metrics secret if one is configured', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      expect((await fetch(`${service.url}/metrics`, { headers })).status).toBe(401);
    }
  });
});

describe('a request ID', () => {
  it('is returned as it was sent', async () => {
    const response = await service.post(
      '/v1/graphql',
      { query: '{ author { id } }' },
      { ...admin, 'x-request-id': 'abc-1' },
    );
    expect(response.headers.get('x-request-id')).toBe('abc-1');
  });

  it('is generated if none was sent or the sent one is invalid', async () => {
    for (const sent of [undefined, 'a b', 'x'.repeat(129)]) {
      const headers = sent === undefined ? admin : { ...admin, 'x-request-id': sent };
      const response = await service.post('/v1/graphql', { query: '{ author { id } }' }, headers);
      expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    }
  });
});

describe('get_refused_requests', () => {
  it('returns rejected requests with code and role, latest first', async () => {
    await service.post('/v1/graphql', { query: '{ missing }' }, { ...admin, 'x-request-id': 'rejected-1' });
    await service.post('/v1/graphql', { query: '{ author { id } }' }, { 'x-request-id': 'rejected-2' });
    const response = await service.post('/v1/metadata', { type: 'get_refused_requests', args: { limit: 2 } }, admin);
    expect(response.body).toMatchObject({
      counts: { 'access-denied': expect.anything(), 'validation-failed': expect.anything() },
      requests: [
        { request_id: 'rejected-2', role: null, code: 'access-denied' },
        { request_id: 'rejected-1', role: 'admin', code: 'validation-failed', path: '$.selectionSet.missing' },
      ],
    });
  });

  it('filters by code', async () => {
    const command = { type: 'get_refused_requests', args: { code: 'validation-failed', limit: 1 } };
    const response = await service.post('/v1/metadata', command, admin);
    expect(response.body).toMatchObject({ requests: [{ code: 'validation-failed' }] });
  });
});

function plain(cell: string): string {
  return cell.replaceAll('`', '').trim();
}

function labelsOf(line: string): string[] {
  return [...line.matchAll(/(\w+)="/g)].map(([, name = '']) => name).filter((name) => name !== 'le');
}
