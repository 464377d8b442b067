/** Requests with actions over HTTP and websockets: concurrency, order, number of calls, headers and errors. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table person (id int primary key, name text not null);
  insert into person values (1, 'Ada'), (2, 'Bea'), (3, 'Cleo');
`;

let handlers: HandlerServer;
let remote: GraphQLServer;
let service: TestService;

/** A barrier that opens when all parties have arrived. */
let barrier: Barrier | undefined;

interface Barrier {
  readonly arrive: () => Promise<void>;
}

function createBarrier(parties: number): Barrier {
  const waiting: (() => void)[] = [];
  return {
    arrive: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === parties) for (const release of waiting) release();
      }),
  };
}

const steps: string[] = [];
const ports = new Set<number | undefined>();

beforeAll(async () => {
  handlers = await startHandlerServer({
    '/meet': async ({ body }) => {
      await barrier?.arrive();
      return (body.input as { name: string }).name;
    },
    '/step': async ({ body }) => {
      const { name } = body.input as { name: string };
      steps.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      steps.push(`${name} ends`);
      return name;
    },
    '/near': (_call, outgoing) => {
      ports.add(outgoing.req.socket.remotePort);
      outgoing.setHeader('X-Total', '42');
      outgoing.setHeader('X-Secret', 'inner');
      return 'here';
    },
    '/link': ({ body }, outgoing) => {
      const { id } = body.input as { id: number };
      if (id !== 2) return { id, personId: id, next: (id % 3) + 1 };
      outgoing.writeHead(400, { 'content-type': 'application/json' }).end('{"message":"not for Bea"}');
      return undefined;
    },
  });
  remote = await startGraphQLServer('type Query { met: String tag(of: Int!): String }', {
    met: async () => {
      await barrier?.arrive();
      return 'remote';
    },
    tag: ({ of }: { of: number }) => {
      if (of === 3) throw new Error('no tag');
      return `tag ${of}`;
    },
  });
  service = await startService({ HANDLERS: handlers.url, JOINERY_MAX_QUERY_DEPTH: '20' }, { sql });
  const person = { schema: 'public', name: 'person' };
  const named = { arguments: [{ name: 'name', type: 'String!' }], output_type: 'String!' };
  const action = (name: string, path: string, definition: object) => ({
    type: 'create_action',
    args: { name, definition: { handler: `{{HANDLERS}}/${path}`, type: 'query', ...definition } },
  });
  const toLink = (key: string) => ({ to_action: { action: 'link', arguments: { id: `$${key}` } } });
  const link = {
    name: 'Link',
    fields: ['id', 'personId', 'next'].map((name) => ({ name, type: 'Int' })),
    relationships: [
      { name: 'person', type: 'object', remote_table: person, field_mapping: { personId: 'id' } },
      { name: 'after', definition: toLink('next') },
    ],
  };
  const relationship = (name: string, definition: object) => ({
    type: 'create_remote_relationship',
    args: { table: person, name, definition },
  });
  await service.command('bulk', [
    { type: 'track_table', args: person },
    { type: 'add_remote_schema', args: { name: 'tags', definition: { url: remote.url } } },
    { type: 'set_custom_types', args: { objects: [{ ...link, relationships: [link.relationships[0]] }] } },
    action('meet', 'meet', named),
    action('step', 'step', { ...named, type: 'mutation' }),
    action('near', 'near', { output_type: 'String', forward_response_headers: ['x-total'] }),
    action('nearer', 'near', { output_type: 'String' }),
    action('link', 'link', { arguments: [{ name: 'id', type: 'Int!' }], output_type: 'Link' }),
    relationship('link', toLink('id')),
    relationship('tag', {
      to_remote_schema: {
        remote_schema: 'tags',
        lhs_fields: ['id'],
        remote_field: { tag: { arguments: { of: '$id' } } },
      },
    }),
    // The action has relationships to itself, directly and through the table: a cycle in the metadata.
    { type: 'set_custom_types', args: { objects: [link] } },
  ]);
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await Promise.all([handlers?.close(), remote?.close()]);
});

afterEach(() => {
  handlers.reset();
  steps.length = 0;
  barrier = undefined;
});

test('query actions and roots of remote schemas and tables run concurrently', async () => {
  barrier = createBarrier(3);
  expect(await service.graphql('{ a: meet(name: "a") person_by_pk(id: 1) { name } met b: meet(name: "b") }')).toEqual({
    data: { a: 'a', person_by_pk: { name: 'Ada' }, met: 'remote', b: 'b' },
  });
});

test('mutations run one after the other, in the order of the request', async () => {
  await service.graphql('mutation { c: step(name: "c") a: step(name: "a") b: step(name: "b") }');
  expect(steps).toEqual(['c begins', 'c ends', 'a begins', 'a ends', 'b begins', 'b ends']);
});

test('actions whose handlers have the same origin share connections', async () => {
  for (const query of ['{ near }', '{ nearer }', '{ near }', '{ nearer }']) await service.graphql(query);
  expect(handlers.calls).toHaveLength(4);
  expect(ports.size).toBe(1);
});

test('equal calls of a request are made once', async () => {
  const query = '{ x: meet(name: "x") again: meet(name: "x") other: meet(name: "o") }';
  expect(await service.graphql(query)).toEqual({ data: { x: 'x', again: 'x', other: 'o' } });
  expect(handlers.calls).toHaveLength(2);
});

test('only listed response headers are forwarded to the client', async () => {
  const { headers } = await service.post('/v1/graphql', { query: '{ near }' });
  expect([headers.get('x-total'), headers.get('x-secret')]).toEqual(['42', null]);
  expect((await service.post('/v1/graphql', { query: '{ nearer }' })).headers.get('x-total')).toBeNull();
});

describe('errors of joins are listed next to the data', () => {
  const query = '{ person(order_by: { id: asc }) { name link { id } tag } }';
  const expected = {
    data: {
      person: [
        { name: 'Ada', link: { id: 1 }, tag: 'tag 1' },
        { name: 'Bea', link: null, tag: 'tag 2' },
        { name: 'Cleo', link: { id: 3 }, tag: null },
      ],
    },
    errors: expect.arrayContaining([
      expect.objectContaining({ message: 'not for Bea', path: ['person', 1, 'link'] }),
      expect.objectContaining({ message: 'no tag', path: ['person', 2, 'tag'] }),
    ]),
  };

  test('over HTTP', async () => {
    expect(await service.graphql(query)).toEqual(expected);
  });

  test.each(['graphql-transport-ws', 'graphql-ws'])('over %s', async (protocol) => {
    const client = await connectedClient(service.url, {}, { protocol });
    try {
      client.send({ id: '1', type: protocol === 'graphql-ws' ? 'start' : 'subscribe', payload: { query } });
      expect((await client.next()).payload).toEqual(expected);
    } finally {
      await client.close();
    }
  });
});

describe('a cycle of relationships', () => {
  test('in the metadata is consistent', async () => {
    expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true });
  });

  test('is followed to the depth of the request, with one call for each input', async () => {
    const query = '{ link(id: 3) { id after { id person { name link { id after { person { name } } } } } } }';
    expect(await service.graphql(query)).toMatchObject({
      data: { link: { id: 3, after: { id: 1, person: { name: 'Ada', link: { id: 1, after: null } } } } },
      errors: [{ message: 'not for Bea', path: ['link', 'after', 'person', 'link', 'after'] }],
    });
    const inputs = handlers.calls.map(({ body }) => (body.input as { id: number }).id);
    expect(inputs).toEqual([3, 1, 2]);
  });

  test('beyond the depth limit is rejected before a call', async () => {
    const deep = `{ link(id: 3) ${'{ id after '.repeat(30)}{ id }${' }'.repeat(30)} }`;
    expect(await service.graphql(deep)).toMatchObject({
      errors: [{ extensions: { code: 'depth-limit-exceeded' } }],
    });
    expect(handlers.calls).toEqual([]);
  });

  test('among the fragments of a request is rejected', async () => {
    const query = '{ link(id: 1) { ...L } } fragment L on Link { id after { ...L } }';
    expect(await service.graphql(query)).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
    expect(handlers.calls).toEqual([]);
  });
});
