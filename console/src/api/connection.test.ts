import { expect, test } from 'vitest';
import { createConnection } from './connection.ts';

test('the connection is lost with the first request without response, and restored with the next response', () => {
  const connection = createConnection();
  const heard: (number | undefined)[] = [];
  const end = connection.subscribe(() => heard.push(connection.lostSince()));
  connection.onResponse();
  connection.onFailure(1);
  connection.onFailure(2);
  connection.onResponse();
  connection.onResponse();
  end();
  connection.onFailure(3);
  expect(heard).toEqual([1, undefined]);
});
