import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../base/cancellation.ts';
import { Gate } from './handler-slots.ts';

const long = 60_000;

describe('a gate', () => {
  test('lets in as many as there are places, the others in the order they came', async () => {
    const gate = new Gate();
    const entered: string[] = [];
    const enter = async (name: string) => {
      const leave = await gate.enter(2, long);
      entered.push(name);
      return leave;
    };
    const [a, b, c, d] = [enter('a'), enter('b'), enter('c'), enter('d')];
    await Promise.all([a, b]);
    expect(entered).toEqual(['a', 'b']);
    const leaveB = await b;
    leaveB();
    leaveB();
    await c;
    expect(entered).toEqual(['a', 'b', 'c']);
    (await a)();
    await d;
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  test('gives up on those that wait too long, or that nobody waits for', async () => {
    const gate = new Gate();
    const leave = await gate.enter(1, long);
    const cancellation = new Cancellation();
    const given = gate.enter(1, long, cancellation);
    cancellation.abort();
    await expect(given).rejects.toMatchObject({ kind: 'aborted' });
    await expect(gate.enter(1, long, cancellation)).rejects.toMatchObject({ kind: 'aborted' });
    await expect(gate.enter(1, 5)).rejects.toMatchObject({
      kind: 'timeout',
      message: 'all 1 places for calls of this action were taken for 5 ms',
    });
    const last = gate.enter(1, long);
    leave();
    (await last)();
  });
});
