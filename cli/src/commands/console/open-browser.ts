/** Opens a page in the browser of the user, and waits for the end of a command that serves it. */
import { spawn } from 'node:child_process';
import { outputClosed, warn } from '../../print.ts';

export function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', url]
        : ['xdg-open', url];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  child.on('error', () => warn(`${url} could not be opened in a browser; open it manually`));
  child.unref();
}

/** Resolves when the process is to end. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    outputClosed.addEventListener('abort', () => resolve());
  });
}
