/** All ways to run a read. */
import { expect } from 'vitest';
import { connectedClient } from '../../support/http/websocket-clients.ts';
import type { TestService } from '../../support/service/test-service.ts';
import type { Read } from './requests/reads.ts';

/** The session of a user, and the data of the read for it. */
export interface Result {
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
}

/**
 * Asserts that a batch, requests at the same time, a query and a subscription over a websocket, and a REST endpoint have the
 * results of these sessions, which have the same role. `number` is another one for each read of the same metadata.
 */
export async function expectSameResults(
  service: TestService,
  { query, variables, subscription }: Read,
  results: readonly Result[],
  number: number,
): Promise<void> {
  const one = { query, variables };
  const repeated = [...results, ...results];
  // Reads with the same plan that run at the same time may be one statement.
  const responses = await Promise.all(repeated.map(({ headers }) => service.post('/v1/graphql', [one, one], headers)));
  expect(
    responses.map(({ body }) => body),
    'in batches at the same time',
  ).toEqual(repeated.map(({ data }) => [{ data }, { data }]));
  for (const document of subscription === undefined ? [query] : [query, subscription]) {
    await Promise.all(
      results.map(async ({ headers, data }) => {
        const client = await connectedClient(service.url, headers);
        const ids = ['1', '2', '3'];
        for (const id of ids) client.send({ id, type: 'subscribe', payload: { query: document, variables } });
        const found = new Map<unknown, unknown>();
        while (found.size < ids.length) {
          const { id, type, payload } = await client.next();
          if (type !== 'complete') found.set(id, payload);
        }
        expect(found, 'over a websocket').toEqual(new Map(ids.map((id) => [id, { data }])));
        await client.close();
      }),
    );
  }
  await expectSameByRest(service, query, variables, results, number);
}

/** The endpoint stays until the metadata is replaced. */
async function expectSameByRest(
  service: TestService,
  query: string,
  variables: unknown,
  results: readonly Result[],
  number: number,
): Promise<void> {
  const collection = `c_${number}`;
  const definition = { query: { collection_name: collection, query_name: 'q' } };
  await service.command('bulk', [
    { type: 'create_query_collection', args: { name: collection, definition: { queries: [{ name: 'q', query }] } } },
    { type: 'create_rest_endpoint', args: { name: collection, url: collection, methods: ['POST'], definition } },
  ]);
  for (const { headers, data } of results) {
    expect((await service.post(`/api/rest/${collection}`, variables, headers)).body, 'by REST').toEqual(data);
  }
}
