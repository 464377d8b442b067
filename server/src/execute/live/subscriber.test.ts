import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../base/errors.ts';
import type { JoinedBody, LiveTarget } from './live-target.ts';
import { LiveSubscriber } from './subscriber.ts';

/** A subscriber whose result is complete when `join` is called. */
function joining(kind: LiveTarget['kind'] = 'live') {
  let join: (body: JoinedBody) => void = () => undefined;
  const joined = new Promise<JoinedBody>((resolve) => {
    join = resolve;
  });
  const body = () => joined;
  const values = {
    source: undefined,
    text: '',
    values: [],
    slots: [],
    tables: [],
    isRepeatable: true,
    known: null,
    path: '$',
  };
  const target: LiveTarget = { kind, ...values, body };
  const sent: string[] = [];
  const sink = {
    ready: () => true,
    result: (text: string) => sent.push(text),
    failed: () => undefined,
    ended: () => undefined,
    target: () => target,
  };
  return { subscriber: new LiveSubscriber(target, sink), join, joined, sent };
}

describe('a subscriber whose result is joined to other sources', () => {
  test('has the current result when the joins end', async () => {
    const { subscriber, join, joined, sent } = joining();
    subscriber.take('[]', 'mark');
    join({ body: 'body', errors: [] });
    await joined;
    expect([sent, subscriber.settled, subscriber.known]).toEqual([['body'], true, 'mark']);
  });

  test('does not have the current result if rows changed during the joins', async () => {
    const { subscriber, join, joined, sent } = joining();
    subscriber.take('[]', 'mark');
    subscriber.settled = false;
    join({ body: 'body', errors: [] });
    await joined;
    expect([sent, subscriber.settled, subscriber.known]).toEqual([['body'], false, 'mark']);
  });

  test('does not receive a result again where other rows are joined to an equal one', async () => {
    const { subscriber, join, joined, sent } = joining();
    join({ body: 'body', errors: [] });
    for (const mark of ['mark', 'other mark']) {
      subscriber.take('[]', mark);
      await joined;
    }
    expect([sent, subscriber.settled, subscriber.known]).toEqual([['body'], true, 'other mark']);
  });

  test('receives an equal result after an error', async () => {
    const { subscriber, join, joined, sent } = joining();
    join({ body: 'body', errors: [] });
    subscriber.take('[]', 'mark');
    await joined;
    subscriber.fail(new ServiceError('busy', 'the database is not reachable'));
    subscriber.take('[]', 'mark');
    await joined;
    expect(sent).toEqual(['body', 'body']);
  });

  test('of a stream receives equal results', async () => {
    const { subscriber, join, joined, sent } = joining('stream');
    join({ body: 'body', errors: [] });
    for (const mark of ['5', '6']) {
      subscriber.take('[]', mark);
      await joined;
    }
    expect(sent).toEqual(['body', 'body']);
  });

  test('of a stream may have further rows', async () => {
    const { subscriber, join, joined } = joining('stream');
    subscriber.take('[]', '5');
    join({ body: 'body', errors: [] });
    await joined;
    expect([subscriber.settled, subscriber.known]).toEqual([false, '5']);
  });
});
