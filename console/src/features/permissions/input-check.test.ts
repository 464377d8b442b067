import { expect, test } from 'vitest';
import { emptyInputCheck, inputCheckOf, timeoutProblem, withInputCheck } from './input-check.ts';

const written = {
  type: 'http',
  definition: {
    url: '{{CHECKS}}/orders',
    headers: [
      { name: 'X-Key', value_from_env: 'CHECKS_KEY' },
      { name: 'X-From', value: 'shop' },
    ],
    forward_client_headers: true,
    timeout: 5,
  },
};

test('an unchanged form preserves a webhook', () => {
  const draft = inputCheckOf({ validate_input: written });
  expect(draft).toMatchObject({ url: '{{CHECKS}}/orders', forwards: true, timeout: '5' });
  expect(withInputCheck(written, draft ?? emptyInputCheck)).toEqual(written);
  expect(inputCheckOf({})).toBeUndefined();
});

test('omits empty fields and preserves unknown members', () => {
  const headers = [{ key: 0, name: '', from: 'value', text: '' } as const];
  const draft = { ...emptyInputCheck, url: ' http://checks ', headers };
  expect(withInputCheck(undefined, draft)).toEqual({ type: 'http', definition: { url: 'http://checks' } });
  const later = { definition: { url: 'x', later: 1 }, more: true };
  expect(withInputCheck(later, draft)).toEqual({ definition: { url: 'http://checks', later: 1 }, more: true });
});

test.each([
  ['', true],
  ['1', true],
  ['1800', true],
  ['0', false],
  ['1801', false],
  ['soon', false],
])('a timeout of %j is valid: %s', (timeout, fits) => {
  expect(timeoutProblem({ ...emptyInputCheck, timeout }) === undefined).toBe(fits);
});
