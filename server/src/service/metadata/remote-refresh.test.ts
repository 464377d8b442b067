import { RemoteSchemaName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import type { Observation } from '../../base/telemetry/observe.ts';
import { watchRemotes } from './remote-refresh.ts';

const one = RemoteSchemaName.parse('one');
const other = RemoteSchemaName.parse('other');

function watched(refresh: (asked: string) => Promise<void>, doubtMs?: number) {
  const told: Observation[] = [];
  const watch = watchRemotes({
    refresh: (remotes) => refresh([one, other].filter(remotes).join()),
    observe: (observation) => told.push(observation),
    intervalMs: 0,
    ...(doubtMs !== undefined && { doubtMs }),
  });
  return { watch, told };
}

/** Lets everything run that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a remote schema that is doubted again and again is asked once, and each for itself', async () => {
  const asked: string[] = [];
  const { watch } = watched(async (names) => void asked.push(names));
  for (const name of [one, one, other, one, other]) watch.doubt(name);
  await settle();
  expect(asked).toEqual(['one', 'other']);
});

test('after a while it is asked again', async () => {
  const asked: string[] = [];
  const { watch } = watched(async (names) => void asked.push(names), 0);
  watch.doubt(one);
  watch.doubt(one);
  await settle();
  expect(asked).toEqual(['one', 'one']);
});

test('a failure is told, and the next question is asked', async () => {
  const asked: string[] = [];
  const { watch, told } = watched(async (names) => {
    asked.push(names);
    if (names === 'one') throw new Error('away');
  });
  watch.doubt(one);
  watch.doubt(other);
  await settle();
  expect(asked).toEqual(['one', 'other']);
  expect(told).toMatchObject([{ kind: 'failure', error: { message: 'away' } }]);
});

test('nothing is asked after the stop', async () => {
  const asked: string[] = [];
  const { watch } = watched(async (names) => void asked.push(names));
  watch.doubt(one);
  watch.stop();
  watch.doubt(other);
  await settle();
  expect(asked).toEqual([]);
});
