/** GraphQL over HTTP: every audit of the package `graphql-http`, required and recommended, but one. */
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

/** Recommends a rejection without a content type, but clients of Hasura v2 call `fetch` without headers. */
const withoutContentType = '9ABE';

const all = serverAudits({ url: () => `${service.url}/v1/graphql`, fetchFn: fetch });
const audits = all.filter(({ id }) => id !== withoutContentType);

test('accepts a POST without a JSON content type, against one recommendation', async () => {
  const audit = all.find(({ id }) => id === withoutContentType);
  expect(await audit?.fn()).toMatchObject({ status: 'warn' });
});

test('the package has more than 50 audits', () => {
  expect(audits.length).toBeGreaterThan(50);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
  'passes the audit %s: %s',
  async (_id, _name, audit) => {
    const result = await audit.fn();
    if (result.status === 'ok') return;
    throw new Error(`${result.status}: ${result.reason}`);
  },
);
