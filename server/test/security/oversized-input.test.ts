/** Requests that are too deep or have too many parts, with raised limits and with the default limits. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestService } from '../support/service/test-service.ts';
import { errorOf, expectUnchanged, type Failure, inputService } from './input-service.ts';

/** Limits that are high enough for the limits without a setting to apply. */
const raised = {
  JOINERY_MAX_QUERY_DEPTH: '100000',
  JOINERY_MAX_QUERY_NODES: '100000',
  JOINERY_MAX_QUERY_ROOTS: '10000',
};

let service: TestService;
beforeAll(async () => {
  service = await inputService(raised);
});
afterAll(() => service?.stop());
afterEach(() => expectUnchanged(service));

const errorFor = (query: string, variables?: unknown) => errorOf(service, query, variables);

describe('a service with raised limits', () => {
  test('returns the result of a query of 200 levels', async () => {
    const levels = 100;
    const query = `{ parent(where: { id: { _eq: 1 } }) ${'{ children { parent '.repeat(levels)}{ id }${' } }'.repeat(levels)} }`;
    const { data, errors } = (await service.graphql(query)) as { data?: unknown } & Failure;
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toContain('"id":1');
  });

  test('accepts a condition of 150 levels and rejects one of 300', async () => {
    const nested = (levels: number) => `${'{ _not: '.repeat(levels)}{ id: { _eq: 1 } }${' }'.repeat(levels)}`;
    expect(await service.graphql(`{ parent(where: ${nested(150)}) { id } }`)).toEqual({
      data: { parent: [{ id: 1 }] },
    });
    expect(await errorFor(`{ parent(where: ${nested(300)}) { id } }`)).toEqual([
      'validation-failed',
      expect.stringMatching(/^\$\.selectionSet\.parent\.args\.where\._not/),
    ]);
  });

  test('rejects a query of 3,000 levels', async () => {
    const half = 1_500;
    const query = `{ parent ${'{ children { parent '.repeat(half)}{ id }${' } }'.repeat(half)} }`;
    expect(await errorFor(query)).toEqual(['validation-failed', '$']);
  });

  test.each([
    [10_000, 'validation-failed'],
    [400_000, 'invalid-json'],
  ])('rejects a condition of %s levels in a variable with %s', async (levels, expected) => {
    const where = `${'{"_not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const body = `{"query":"query ($w: parent_bool_exp) { parent(where: $w) { id } }","variables":{"w":${where}}}`;
    const { body: response } = await service.post('/v1/graphql', body);
    expect((response as Failure).errors?.[0]?.extensions.code).toBe(expected);
  });

  const deep = (levels: number) => '{"a":'.repeat(levels) + '1'.concat('}'.repeat(levels));
  const documents = [
    [
      'an inserted jsonb value',
      'mutation ($d: jsonb) { insert_kinds(objects: { id: 1, docs: $d }) { affected_rows } }',
    ],
    ['an inserted json value', 'mutation ($d: json) { insert_kinds(objects: { id: 1, plain: $d }) { affected_rows } }'],
    ['a jsonb condition', 'query ($d: jsonb) { kinds(where: { docs: { _contains: $d } }) { id } }'],
    ['an appended value', 'mutation ($d: jsonb) { update_kinds(where: {}, _append: { docs: $d }) { affected_rows } }'],
  ] as const;
  test.each(
    documents.flatMap(([value, query]) => [
      [value, 8_000, 'validation-failed', query] as const,
      [value, 50_000, 'invalid-json', query] as const,
      [value, 300_000, 'invalid-json', query] as const,
    ]),
  )('rejects %s of %s levels with %s', async (_value, levels, expected, query) => {
    const body = `{"query":"${query}","variables":{"d":${deep(levels)}}}`;
    const { body: response } = await service.post('/v1/graphql', body);
    expect((response as Failure).errors?.[0]?.extensions.code).toBe(expected);
  });

  test.each([50_000, 300_000])('rejects an event payload of %s levels', async (levels) => {
    const args = `{"webhook":"http://127.0.0.1:9/","schedule_at":"2099-01-01T00:00:00Z","payload":${deep(levels)}}`;
    const { status, body } = await service.post('/v1/query', `{"type":"create_scheduled_event","args":${args}}`);
    expect([status, (body as { code?: string }).code]).toEqual([400, 'invalid-json']);
  });

  test('returns 5,000 aliases of one field', async () => {
    const fields = Array.from({ length: 5_000 }, (_, index) => `a${index}: id`).join(' ');
    const response = (await service.graphql(`{ parent(where: { id: { _eq: 1 } }) { ${fields} } }`)) as {
      data: { parent: object[] };
    };
    expect(Object.keys(response.data.parent[0] ?? {})).toHaveLength(5_000);
  });

  test('rejects 2,000 root fields, which exceed the limit of one statement', async () => {
    const fields = Array.from({ length: 2_000 }, (_, index) => `a${index}: parent_by_pk(id: ${index}) { id }`).join(
      ' ',
    );
    expect(await errorFor(`{ ${fields} }`)).toEqual(['not-supported', '$']);
  });

  test('rejects fragments that double at each level', async () => {
    const fragments = Array.from(
      { length: 40 },
      (_, index) => `fragment f${index} on parent { ...f${index + 1} ...f${index + 1} }`,
    );
    const query = `{ parent { ...f0 } } ${fragments.join(' ')} fragment f40 on parent { id }`;
    expect(await errorFor(query)).toEqual(['node-limit-exceeded', '$.query']);
  });

  test('rejects a list of 10,000 objects if its last one is invalid', async () => {
    const query = 'mutation ($rows: [parent_insert_input!]!) { insert_parent(objects: $rows) { affected_rows } }';
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ id: 100 + index, size: 1 }));
    const invalid = [...rows, { id: 'x' }];
    expect(await errorFor(query, { rows: invalid })).toEqual(['data-exception', '$.variables.rows[10000].id']);
    expect(await errorFor(query, { rows: [...rows, { id: 100, size: 1 }] })).toEqual([
      'constraint-violation',
      '$.selectionSet.insert_parent.args.objects',
    ]);
  });

  test('rejects a body that is larger than the limit', async () => {
    const { status, body } = await service.post('/v1/graphql', { query: 'x'.repeat(5_000_000) });
    expect(JSON.stringify(body)).toContain('payload-too-large');
    expect(status).toBe(413);
  });
});

test('the default limits reject deep and large requests before they are planned', async () => {
  const standard = await inputService({});
  const code = async (query: string) => (await errorOf(standard, query))[0];
  expect(await code(`{ parent ${'{ children { parent '.repeat(100)}{ id }${' } }'.repeat(100)} }`)).toBe(
    'depth-limit-exceeded',
  );
  const fields = (count: number, field: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
  expect(await code(`{ parent { ${fields(10_000, 'id')} } }`)).toBe('node-limit-exceeded');
  expect(await code(`{ ${fields(501, 'parent { id }')} }`)).toBe('node-limit-exceeded');
  await standard.stop();
});
