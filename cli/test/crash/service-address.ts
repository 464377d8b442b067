/** The address of a service that runs as a process, from its log. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../../../server/test/support/until.ts';

/** Returns the URL when the process listens. Throws an error with its log if it ends before. */
export async function addressOf(child: ChildProcess): Promise<string> {
  let log = '';
  let hasEnded = false;
  const hear = (chunk: string): void => {
    log += chunk;
  };
  child.stdout?.setEncoding('utf8').on('data', hear);
  child.stderr?.setEncoding('utf8').on('data', hear);
  once(child, 'close').then(([code, signal]) => {
    hasEnded = true;
    log += `ended with ${code ?? signal}`;
  });
  const url = await until(
    () => `the service listens; it has logged:\n${log}\n`,
    () => {
      const found = /"url":"(http:[^"]+)"/.exec(log)?.[1];
      if (found === undefined && hasEnded) throw new Error(`the service ended before it listened:\n${log}`);
      return found;
    },
  );
  child.stdout?.off('data', hear).resume();
  child.stderr?.off('data', hear).resume();
  return url;
}
