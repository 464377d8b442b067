/** Which tests run through the pooler: all that reach a database as services do, but for the listed ones. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { poolerTests, withoutPooler } from './pooler.ts';

test('a test that starts a service runs through the pooler, by whatever fixtures it does so', () => {
  expect(poolerTests()).toEqual(
    expect.arrayContaining([
      'server/test/subscriptions/subscriptions.test.ts',
      'server/test/metadata-api/nodes.test.ts',
      'server/test/security/hostile.test.ts',
      'cli/test/metadata/commands.test.ts',
    ]),
  );
  expect(poolerTests()).not.toContain('server/test/repository/errors.test.ts');
});

test('what is left out is there, and left out', () => {
  const listed = Object.keys(withoutPooler);
  expect(listed.filter((path) => !existsSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url))))).toEqual(
    [],
  );
  expect(poolerTests().filter((path) => listed.includes(path))).toEqual([]);
});
