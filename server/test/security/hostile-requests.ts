/** Generates random hostile requests of every kind, reproducible by a seed. */
import { createHash } from 'node:crypto';
import { oddName, payloads } from './payloads.ts';

export interface Hostile {
  readonly kind: string;
  readonly path: string;
  readonly init: RequestInit;
}

/** Returns a generator of pseudo-random numbers from 0 to 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Headers = Readonly<Record<string, string>>;

/** Yields requests without end. `admin` contains the headers of an admin; most requests are sent without them. */
export function* hostileRequests(seed: number, admin: Headers): Generator<Hostile, never> {
  const next = random(seed);
  const whole = (below: number): number => Math.floor(next() * below);
  const pick = <T>(from: readonly T[]): T => from[whole(from.length)] as T;
  const word = (): string => `w${whole(1e9).toString(36)}`;
  const text = (): string => pick(payloads) + word();
  const json = (path: string, body: unknown, headers: Headers = {}): Omit<Hostile, 'kind'> => ({
    path,
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
  });
  const graphql = (query: string, variables?: unknown, headers?: Headers) =>
    json('/v1/graphql', { query, variables }, headers);
  const polluting = (): string =>
    pick([
      '{"__proto__":{"admin":true,"role":"admin","x-service-role":"admin"}}',
      '{"constructor":{"prototype":{"polluted":true}}}',
      `{"a":{"__proto__":{"${word()}":1}},"__proto__":null}`,
      '{"prototype":{"polluted":1},"toString":1,"valueOf":{},"hasOwnProperty":[]}',
    ]);
  const generators: Readonly<Record<string, () => Omit<Hostile, 'kind'>>> = {
    values: () => graphql('query ($t: String) { note(where: {text: {_ilike: $t}}) { id } }', { t: text() }),
    literals: () => graphql(`{ note(where: {text: {_eq: ${JSON.stringify(text())}}}) { ${word()}: id } }`),
    names: () => graphql(`query ${word()} { ${word()} { ${word()} } note(order_by: {${word()}: asc}) { id } }`),
    variables: () => graphql(`query ($${word()}: ${word()}) { note { id } }`, JSON.parse(polluting())),
    depth: () => graphql(`${'{ note { up '.repeat(50 + whole(400))}{ id }${' } }'.repeat(450)}`),
    deepCondition: () => graphql(`{ note(where: ${'{_not: '.repeat(whole(2_000))}{}`),
    deepVariable: () =>
      json(
        '/v1/graphql',
        `{"query":"query ($w: note_bool_exp) { note(where: $w) { id } }","variables":{"w":${'{"_not":'.repeat(500 + whole(3_000))}`,
      ),
    aliases: () =>
      graphql(`{ ${Array.from({ length: 200 + whole(2_000) }, (_, n) => `a${n}: note { id }`).join(' ')} }`),
    fragments: () => {
      const levels = 10 + whole(30);
      const spread = (level: number) => `fragment f${level} on note { ...f${level + 1} ...f${level + 1} }`;
      return graphql(
        `{ note { ...f0 } } ${Array.from({ length: levels }, (_, n) => spread(n)).join(' ')} fragment f${levels} on note { id }`,
      );
    },
    cycles: () => graphql('{ note { ...a } } fragment a on note { ...b } fragment b on note { up { ...a } ...a }'),
    directives: () =>
      graphql(`{ note { id ${pick(['@skip(if: false) ', '@include(if: true) ', '@nosuch ']).repeat(whole(2_000))} } }`),
    introspection: () =>
      graphql(`{ __schema { types ${'{ fields { type '.repeat(whole(12))}{ name }${' } }'.repeat(12)} } }`),
    tokens: () => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = {
        'https://hasura.io/jwt/claims': { 'x-service-allowed-roles': ['admin'], 'x-service-default-role': 'admin' },
      };
      const forged = `${part({ alg: pick(['none', 'HS256', 'RS256']), kid: word() })}.${part(claims)}.${word()}`;
      return graphql('{ note { id } }', {}, { authorization: `Bearer ${forged}` });
    },
    roles: () =>
      graphql(
        '{ note { id } }',
        {},
        {
          'x-service-role': pick(['admin', '__proto__', word()]),
          'x-service-user-id': word().repeat(whole(500)),
          [`x-service-${word()}`]: word(),
        },
      ),
    secrets: () => graphql('{ note { id } }', {}, { 'x-service-admin-secret': word() }),
    roleOfAdmin: () => graphql('{ note { id } }', {}, { ...admin, 'x-service-role': word() }),
    hashes: () => {
      const query = `query ${word()} { note(limit: ${whole(1e6)}) { id } }`;
      const sha256Hash = createHash('sha256').update(query).digest('hex');
      return json('/v1/graphql', { query, extensions: { persistedQuery: { version: 1, sha256Hash } } });
    },
    unknownHashes: () => {
      const extensions = {
        persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(word()).digest('hex') },
      };
      return { path: `/v1/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`, init: {} };
    },
    batches: () =>
      json(
        '/v1/graphql',
        Array.from({ length: whole(200) }, () => ({ query: `{ note { ${word()}: id } }` })),
      ),
    pollutedCommands: () =>
      json(
        '/v1/metadata',
        `{"type":"${pick(['export_metadata', 'pg_track_table', '__proto__', word()])}","args":${polluting()}}`,
        pick([{}, admin]),
      ),
    pollutedEvents: () =>
      json(
        '/v1/metadata',
        `{"type":"create_scheduled_event","args":{"webhook":"http://127.0.0.1:9","schedule_at":"${text().slice(0, 5)}x","payload":${polluting()},"__proto__":{}}}`.replaceAll(
          '\n',
          '',
        ),
        admin,
      ),
    pollutedRest: () => json('/api/rest/named', polluting()),
    restPaths: () => ({
      path: `/api/rest/${pick(['named/', '', '../', '%2e%2e/', '%00/'])}${encodeURIComponent(text())}`,
      init: {},
    }),
    restValues: () => ({ path: `/api/rest/named?text=${encodeURIComponent(text())}&${word()}=1`, init: {} }),
    explain: () =>
      json(
        '/v1/graphql/explain',
        {
          query: { query: '{ note { id } }' },
          user: pick([null, 5, [], word(), { 'x-service-role': 5 }, JSON.parse(polluting())]),
        },
        pick([{}, admin]),
      ),
    garbage: () =>
      json(
        pick(['/v1/graphql', '/v1/metadata', '/v2/query', '/v1/query']),
        pick(['', '{', 'null', '5', '"x"', '[[', '['.repeat(50_000), '{"a":'.repeat(20_000), '\u0000', word()]),
      ),
    search: () =>
      json(
        '/v1/metadata',
        {
          type: 'get_scheduled_events',
          args: { type: 'one_off', [pick(['comment', 'after', 'key', 'from', 'destination', word()])]: text() },
        },
        admin,
      ),
    oddTables: () =>
      json('/v1/metadata', { type: 'pg_track_table', args: { table: { schema: oddName, name: text() } } }, admin),
    unknownPaths: () => ({
      path: `/${word()}/${encodeURIComponent(text())}?${word()}`,
      init: {
        method: pick(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']),
        headers: { origin: `https://${word()}.example`, 'x-request-id': word() },
      },
    }),
    contentTypes: () => ({
      path: '/v1/graphql',
      init: {
        method: 'POST',
        headers: { 'content-type': pick(['text/plain', 'multipart/form-data; boundary=x', 'application/xml', word()]) },
        body: word(),
      },
    }),
    subscriptions: () => graphql(`subscription { note { ${word()}: id } }`),
  };
  const kinds = Object.keys(generators);
  for (;;) {
    const kind = pick(kinds);
    const generate = generators[kind];
    if (generate !== undefined) yield { kind, ...generate() };
  }
}
