import { expect, test } from 'vitest';
import { createConnection } from './connection.ts';

test('a connection is lost with the first request that is not answered, and found with the first that is', () => {
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
