import { expect, test } from 'vitest';
import { createConnection } from './connection.ts';

test('the connection is lost after a request without a response, and restored after the next response', () => {
  const connection = createConnection();
  const states: (number | undefined)[] = [];
  const end = connection.subscribe(() => states.push(connection.lostSince()));
  connection.onResponse();
  connection.onFailure(1);
  connection.onFailure(2);
  connection.onResponse();
  connection.onResponse();
  end();
  connection.onFailure(3);
  expect(states).toEqual([1, undefined]);
});
