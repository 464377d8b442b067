import { expect, test } from 'vitest';
import { describeFailure, isConnectionFailure, targetOf } from './connection-failure.ts';

const target = targetOf('postgres://app@db:5432/shop');
const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

test('an unknown user of a server that does not check passwords is a permanent failure', () => {
  const error = failure('28000', 'role "app" does not exist');
  expect(isConnectionFailure(error)).toBe(true);
  expect(describeFailure(error, target)).toEqual({
    cause: 'role "app" does not exist (28000)',
    advice: 'Create the user "app", or add an entry for this user, database and address to pg_hba.conf.',
    temporary: false,
  });
});

test('an unreachable server behind a pooler is a temporary failure', () => {
  const error = failure('08P01', 'server login has been failing, cached error: connect failed');
  expect(isConnectionFailure(error)).toBe(true);
  expect(describeFailure(error, target).temporary).toBe(true);
});

test('a failed statement is no failure of the connection', () => {
  expect(isConnectionFailure(failure('42P01', 'relation "item" does not exist'))).toBe(false);
});
