import { expect, test } from 'vitest';
import { createConnection } from './connection.ts';

test('a connection is lost with the first request that is not answered, and found with the first that is', () => {
  const connection = createConnection();
  const heard: (number | undefined)[] = [];
  const end = connection.subscribe(() => heard.push(connection.lostSince()));
  connection.answered();
  connection.unanswered(1);
  connection.unanswered(2);
  connection.answered();
  connection.answered();
  end();
  connection.unanswered(3);
  expect(heard).toEqual([1, undefined]);
});
