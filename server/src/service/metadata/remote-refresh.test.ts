import { RemoteSchemaName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import type { Observation } from '../../base/telemetry/observe.ts';
import { createRemoteRefresh } from './remote-refresh.ts';

const one = RemoteSchemaName.parse('one');
const other = RemoteSchemaName.parse('other');

function refreshing(refresh: (names: string) => Promise<void>, suspicionMs?: number) {
  const observations: Observation[] = [];
  const remoteRefresh = createRemoteRefresh({
    refresh: (remotes) => refresh([one, other].filter(remotes).join()),
    observe: (observation) => observations.push(observation),
    intervalMs: 0,
    ...(suspicionMs !== undefined && { suspicionMs }),
  });
  return { remoteRefresh, observations };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('refreshes each remote schema once, however often it is suspected', async () => {
  const refreshed: string[] = [];
  const { remoteRefresh } = refreshing(async (names) => void refreshed.push(names));
  for (const name of [one, one, other, one, other]) remoteRefresh.suspect(name);
  await nextTurn();
  expect(refreshed).toEqual(['one', 'other']);
});

test('refreshes a remote schema again that is suspected later', async () => {
  const refreshed: string[] = [];
  const { remoteRefresh } = refreshing(async (names) => void refreshed.push(names), 0);
  remoteRefresh.suspect(one);
  remoteRefresh.suspect(one);
  await nextTurn();
  expect(refreshed).toEqual(['one', 'one']);
});

test('reports a failure and refreshes the next remote schema', async () => {
  const refreshed: string[] = [];
  const { remoteRefresh, observations } = refreshing(async (names) => {
    refreshed.push(names);
    if (names === 'one') throw new Error('unreachable');
  });
  remoteRefresh.suspect(one);
  remoteRefresh.suspect(other);
  await nextTurn();
  expect(refreshed).toEqual(['one', 'other']);
  expect(observations).toMatchObject([{ kind: 'failure', error: { message: 'unreachable' } }]);
});

test('refreshes nothing after it was stopped', async () => {
  const refreshed: string[] = [];
  const { remoteRefresh } = refreshing(async (names) => void refreshed.push(names));
  remoteRefresh.suspect(one);
  remoteRefresh.stop();
  remoteRefresh.suspect(other);
  await nextTurn();
  expect(refreshed).toEqual([]);
});
