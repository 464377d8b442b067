import { expect, test } from 'vitest';
import type { Log } from '../base/telemetry/log.ts';
import { ShutdownHooks } from './shutdown-hooks.ts';

test('runs the hooks in reverse order, without those that were removed', async () => {
  const ran: string[] = [];
  const log: Pick<Log, 'flush'> = { flush: () => ran.push('flush') };
  const hooks = new ShutdownHooks(log, () => undefined);
  const hook = (name: string) => async (): Promise<void> => {
    ran.push(name);
  };
  hooks.add(hook('first'));
  const remove = hooks.add(hook('second'));
  hooks.add(hook('third'));
  remove();
  await hooks.close('a test');
  expect(ran).toEqual(['third', 'first', 'flush']);
});
