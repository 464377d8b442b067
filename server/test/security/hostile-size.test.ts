/** Requests that are too deep or too many, by themselves and against the walls for everybody. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestService } from '../support/service/test-service.ts';
import { type Failure, hostileService, refusalBy, stillAnswers } from './hostile-service.ts';

/** So far that the walls behind those of the settings are met. */
const raised = {
  JOINERY_MAX_QUERY_DEPTH: '100000',
  JOINERY_MAX_QUERY_NODES: '100000',
  JOINERY_MAX_QUERY_ROOTS: '10000',
};

let service: TestService;
beforeAll(async () => {
  service = await hostileService(raised);
});
afterAll(() => service?.stop());
afterEach(() => stillAnswers(service));

const refusal = (query: string, variables?: unknown) => refusalBy(service, query, variables);

describe('deep and many', () => {
  test('a query of 200 levels is answered', async () => {
    const levels = 100;
    const query = `{ parent(where: { id: { _eq: 1 } }) ${'{ children { parent '.repeat(levels)}{ id }${' } }'.repeat(levels)} }`;
    const { data, errors } = (await service.graphql(query)) as { data?: unknown } & Failure;
    if (errors === undefined) expect(JSON.stringify(data)).toContain('"id":1');
    else expect(['validation-failed', 'not-supported', 'timeout']).toContain(errors[0]?.extensions.code);
  });

  test('a condition of 150 levels is answered, one of 300 refused', async () => {
    const nested = (levels: number) => `${'{ _not: '.repeat(levels)}{ id: { _eq: 1 } }${' }'.repeat(levels)}`;
    expect(await service.graphql(`{ parent(where: ${nested(150)}) { id } }`)).toEqual({
      data: { parent: [{ id: 1 }] },
    });
    expect(await refusal(`{ parent(where: ${nested(300)}) { id } }`)).toEqual([
      'validation-failed',
      expect.stringMatching(/^\$\.selectionSet\.parent\.args\.where\._not/),
    ]);
  });

  test.each([600, 3_000])('a query of %s levels is answered or told to ask for less', async (levels) => {
    const half = levels / 2;
    const query = `{ parent ${'{ children { parent '.repeat(half)}{ id }${' } }'.repeat(half)} }`;
    const { data, errors } = (await service.graphql(query)) as { data?: unknown } & Failure;
    if (data === undefined)
      expect(['validation-failed', 'not-supported', 'timeout']).toContain(errors?.[0]?.extensions.code);
  });

  test.each([10_000, 400_000])('a condition of %s levels in a variable', async (levels) => {
    const where = `${'{"_not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const body = `{"query":"query ($w: parent_bool_exp) { parent(where: $w) { id } }","variables":{"w":${where}}}`;
    const { body: answer } = await service.post('/v1/graphql', body);
    const code = (answer as Failure).errors?.[0]?.extensions.code;
    expect(['validation-failed', 'parse-failed', 'invalid-json', 'not-supported']).toContain(code);
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
    documents.flatMap(([what, query]) => [8_000, 50_000, 300_000].map((levels) => [what, levels, query] as const)),
  )('%s of %s levels is stored or the error of the caller', async (_what, levels, query) => {
    const body = `{"query":"${query}","variables":{"d":${deep(levels)}}}`;
    const { body: answer } = await service.post('/v1/graphql', body);
    const code = (answer as Failure).errors?.[0]?.extensions.code;
    expect([
      undefined,
      'validation-failed',
      'data-exception',
      'not-supported',
      'invalid-json',
      'parse-failed',
    ]).toContain(code);
    await service.graphql('mutation { delete_kinds(where: {}) { affected_rows } }');
  });

  test.each([50_000, 300_000])('a payload of %s levels is scheduled or the error of the caller', async (levels) => {
    const args = `{"webhook":"http://127.0.0.1:9/","schedule_at":"2099-01-01T00:00:00Z","payload":${deep(levels)}}`;
    const { status } = await service.post('/v1/query', `{"type":"create_scheduled_event","args":${args}}`);
    expect([200, 400]).toContain(status);
  });

  test('thousands of aliases', async () => {
    const fields = Array.from({ length: 5_000 }, (_, index) => `a${index}: id`).join(' ');
    const answer = (await service.graphql(`{ parent(where: { id: { _eq: 1 } }) { ${fields} } }`)) as {
      data: { parent: object[] };
    };
    expect(Object.keys(answer.data.parent[0] ?? {})).toHaveLength(5_000);
  });

  test('thousands of root fields', async () => {
    const fields = Array.from({ length: 2_000 }, (_, index) => `a${index}: parent_by_pk(id: ${index}) { id }`).join(
      ' ',
    );
    const answer = (await service.graphql(`{ ${fields} }`)) as { data?: object } & Failure;
    if (answer.errors === undefined) expect(Object.keys(answer.data ?? {})).toHaveLength(2_000);
    else expect(['validation-failed', 'not-supported']).toContain(answer.errors[0]?.extensions.code);
  });

  test('fragments that double at each level', async () => {
    const fragments = Array.from(
      { length: 40 },
      (_, index) => `fragment f${index} on parent { ...f${index + 1} ...f${index + 1} }`,
    );
    const query = `{ parent { ...f0 } } ${fragments.join(' ')} fragment f40 on parent { id }`;
    const { data, errors } = (await service.graphql(query)) as { data?: unknown } & Failure;
    expect(errors?.[0]?.extensions.code ?? data).toSatisfy(
      (found: unknown) => found === 'node-limit-exceeded' || JSON.stringify(found) === '{"parent":[{"id":1},{"id":2}]}',
    );
  });

  test('10,000 objects of which the last is refused', async () => {
    const query = 'mutation ($rows: [parent_insert_input!]!) { insert_parent(objects: $rows) { affected_rows } }';
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ id: 100 + index, size: 1 }));
    const unfit = [...rows, { id: 'x' }];
    expect(await refusal(query, { rows: unfit })).toEqual(['data-exception', '$.variables.rows[10000].id']);
    expect(await refusal(query, { rows: [...rows, { id: 100, size: 1 }] })).toEqual([
      'constraint-violation',
      '$.selectionSet.insert_parent.args.objects',
    ]);
  });

  test('more than a body may hold', async () => {
    const { status, body } = await service.post('/v1/graphql', { query: 'x'.repeat(5_000_000) });
    expect(JSON.stringify(body)).toContain('payload-too-large');
    expect([200, 413]).toContain(status);
  });
});

test('the walls for everybody refuse the same before it costs anything', async () => {
  const standard = await hostileService({});
  const code = async (query: string) => (await refusalBy(standard, query))[0];
  expect(await code(`{ parent ${'{ children { parent '.repeat(100)}{ id }${' } }'.repeat(100)} }`)).toBe(
    'depth-limit-exceeded',
  );
  const fields = (count: number, text: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${text}`).join(' ');
  expect(await code(`{ parent { ${fields(10_000, 'id')} } }`)).toBe('node-limit-exceeded');
  expect(await code(`{ ${fields(501, 'parent { id }')} }`)).toBe('node-limit-exceeded');
  await standard.stop();
});
