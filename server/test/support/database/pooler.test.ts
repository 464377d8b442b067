/** The selection of tests that run through the pooler. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { poolerTests, withoutPooler } from './pooler.ts';

test('a test whose fixtures start a service runs through the pooler', () => {
  expect(poolerTests()).toEqual(
    expect.arrayContaining([
      'server/test/subscriptions/subscriptions.test.ts',
      'server/test/metadata-api/nodes.test.ts',
      'server/test/security/malformed-input.test.ts',
      'cli/test/metadata/commands.test.ts',
    ]),
  );
  expect(poolerTests()).not.toContain('server/test/repository/errors.test.ts');
});

test('each excluded test exists and is excluded', () => {
  const listed = Object.keys(withoutPooler);
  expect(listed.filter((path) => !existsSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url))))).toEqual(
    [],
  );
  expect(poolerTests().filter((path) => listed.includes(path))).toEqual([]);
});
