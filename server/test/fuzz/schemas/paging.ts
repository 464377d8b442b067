/** Lists that clients read in parts: streams, and connections of the Relay schema. */
import { expect } from 'vitest';
import { connectedClient } from '../../support/http/websocket-clients.ts';
import type { TestService } from '../../support/service/test-service.ts';
import { difference } from '../compare.ts';
import { Unordered } from '../oracle.ts';
import type { Connection } from './requests/connections.ts';
import { batchesOf, type Stream } from './requests/streams.ts';

type Headers = Readonly<Record<string, string>>;

interface Payload {
  readonly data?: unknown;
  readonly errors?: unknown;
}

/** Returns the member at the path. */
function at(data: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], data);
}

/** Longest time of a stream in milliseconds. Then its socket is closed, and a test that waits for rows fails. */
const LONGEST_STREAM_MS = 60_000;

/** Asserts that the stream sends all rows in batches of the expected sizes, without a repeated row until the last one. */
export async function expectStream(
  service: TestService,
  { query, variables, path, batchSize }: Stream,
  rows: readonly (readonly [value: unknown, row: unknown])[],
  headers: Headers,
): Promise<void> {
  const client = await connectedClient(service.url, headers);
  client.send({ id: '1', type: 'subscribe', payload: { query, variables } });
  const deadline = setTimeout(() => client.socket.terminate(), LONGEST_STREAM_MS).unref();
  let start = 0;
  for (const size of batchesOf(rows, batchSize)) {
    const frame = await client.next();
    expect(frame.type, JSON.stringify(frame)).toBe('next');
    const { data, errors } = frame.payload as Payload;
    expect(errors, JSON.stringify(frame)).toBeUndefined();
    // Rows with the same value of the cursor have any order.
    const expected = new Unordered(rows.slice(start, start + size).map(([, row]) => row));
    expect(difference(expected, at(data, path))).toBeUndefined();
    start += size;
  }
  clearTimeout(deadline);
  await client.close();
  // A stream may begin with an empty batch.
  expect(client.unread.filter(({ payload }) => JSON.stringify(at((payload as Payload).data, path)) !== '[]')).toEqual(
    [],
  );
}

interface Page {
  readonly pageInfo: {
    readonly startCursor: string;
    readonly endCursor: string;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
  readonly edges: readonly { readonly cursor: string; readonly node: Readonly<Record<string, unknown>> }[];
}

/** Asserts that the pages in both directions have the nodes, and that the last one is found by its id. */
export async function expectConnection(
  service: TestService,
  { page, node, variables, path }: Connection,
  nodes: readonly unknown[],
  size: number,
  headers: Headers,
): Promise<void> {
  const read = async (query: string, given: unknown): Promise<unknown> => {
    const { body } = await service.post('/v1beta1/relay', { query, variables: given }, headers);
    expect((body as Payload).errors, query).toBeUndefined();
    return (body as Payload).data;
  };
  const found: Page['edges'][number][] = [];
  for (const isForward of [true, false]) {
    const pages: Page[] = [];
    let cursor = '';
    do {
      const bound = cursor === '' ? '' : `, ${isForward ? 'after' : 'before'}: "${cursor}"`;
      const one = at(await read(page(`${isForward ? 'first' : 'last'}: ${size}${bound}`), variables), path) as Page;
      const { pageInfo, edges } = one;
      const ends = [edges[0]?.cursor ?? '', edges.at(-1)?.cursor ?? ''] as const;
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual(ends);
      // Each page but the first has one before it.
      expect(isForward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage).toBe(pages.length > 0);
      if (isForward) pages.push(one);
      else pages.unshift(one);
      cursor = (isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage) ? ends[isForward ? 1 : 0] : '';
    } while (cursor !== '' && pages.length <= nodes.length);
    const edges = pages.flatMap((one) => one.edges);
    const actual = edges.map((edge) => withoutKey(edge.node));
    expect(difference(nodes, actual), isForward ? 'forward' : 'backward').toBeUndefined();
    found.push(...edges);
  }
  const last = found.at(-1);
  if (last !== undefined) expect(await read(node, { id: last.node.key })).toEqual({ node: last.node });
}

/** Returns the node without its global id. */
function withoutKey({ key: _, ...fields }: Readonly<Record<string, unknown>>): unknown {
  return fields;
}
