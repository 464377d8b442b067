/** Requests with exactly the headers of the test; `fetch` adds headers. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export async function sendRaw(
  url: string,
  { method = 'POST', headers = {}, body = '' }: RawRequest,
): Promise<RawResponse> {
  const sent = request(url, { method, headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

/** Creates REST endpoints for table `note`: `write` (a mutation, POST), `change` (a mutation, GET) and `read` (a query). */
export async function prepareNotes(command: (type: string, args: unknown) => Promise<unknown>): Promise<void> {
  await command('track_table', 'note');
  const permission = { columns: '*', filter: {} };
  await command('create_select_permission', { table: 'note', role: 'user', permission });
  await command('create_update_permission', { table: 'note', role: 'user', permission });
  const write = 'mutation ($body: String) { update_note(where: {}, _set: {body: $body}) { affected_rows } }';
  const queries = [
    { name: 'write', query: write },
    { name: 'read', query: '{ note { id } }' },
  ];
  await command('create_query_collection', { name: 'all', definition: { queries } });
  for (const [name, query_name, method, more] of [
    ['write', 'write', 'POST', {}],
    ['change', 'write', 'GET', { allow_get_mutation: true }],
    ['read', 'read', 'GET', {}],
  ] as const) {
    const definition = { query: { collection_name: 'all', query_name } };
    await command('create_rest_endpoint', { name, url: name, methods: [method], definition, ...more });
  }
}
