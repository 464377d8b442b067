import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createClient } from './client.ts';
import { Failure } from './failure.ts';
import { type CommandEffects, commandMutation } from './use-command.ts';

const client = createClient({
  settings: { headerPrefix: 'x-service-', version: '1', secretRequired: false },
  secret: undefined,
  onDenied: () => undefined,
});

/** Runs `work` as a command; returns the notifications and the keys of the invalidated queries. */
async function runCommand(work: () => Promise<string>, effects: CommandEffects<string, string>) {
  const queries = new QueryClient();
  for (const queryKey of [
    ['metadata', 'export'],
    ['events', 'list'],
  ])
    queries.setQueryData(queryKey, {});
  const notifications: string[] = [];
  const options = commandMutation<string, string>(work, effects, {
    client,
    queries,
    notify: ({ title }) => notifications.push(title),
  });
  const error = await new MutationObserver(queries, options).mutate('one').then(
    () => undefined,
    (failure: Failure) => failure,
  );
  const invalidated = queries
    .getQueryCache()
    .getAll()
    .filter((query) => query.state.isInvalidated)
    .map(({ queryKey }) => queryKey[0]);
  return { error, notifications, invalidated };
}

test('notifies about success with the result and the input, and reads the metadata again', async () => {
  const seen: string[] = [];
  const outcome = await runCommand(async () => 'saved', {
    notice: (result, input) => ({ title: `${input} ${result}` }),
    onDone: (result) => seen.push(result),
  });
  expect(outcome).toEqual({ error: undefined, notifications: ['one saved'], invalidated: ['metadata'] });
  expect(seen).toEqual(['saved']);
});

test('reads the changed queries again after a failure too, without a notification', async () => {
  const conflict = new Failure({ code: 'conflict', message: 'The metadata changed.', status: 409 });
  const seen: Failure[] = [];
  const outcome = await runCommand(() => Promise.reject(conflict), {
    notice: () => ({ title: 'saved' }),
    onFailure: (failure) => seen.push(failure),
    changes: [['events']],
  });
  expect(outcome).toEqual({ error: conflict, notifications: [], invalidated: ['events'] });
  expect(seen).toEqual([conflict]);
});

test('converts a thrown error to a failure', async () => {
  const { error } = await runCommand(() => Promise.reject(new TypeError('no such member')), {});
  expect(error).toBeInstanceOf(Failure);
  expect(error).toMatchObject({ code: 'unexpected', message: 'no such member' });
});
