/** Tests of the progress line. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withProgress } from './print.ts';

const { isTTY } = process.stderr;
let written: string[];

beforeEach(() => {
  written = [];
  vi.useFakeTimers();
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.stderr.isTTY = isTTY;
});

async function work(): Promise<string> {
  const running = withProgress('seeding (1 of 2)', () => new Promise((resolve) => setTimeout(resolve, 2500, 'done')));
  await vi.advanceTimersByTimeAsync(2500);
  return (await running) as string;
}

it('shows the seconds of work on a terminal, and clears the line afterwards', async () => {
  process.stderr.isTTY = true;
  expect(await work()).toBe('done');
  const clear = '\r\u001b[2K';
  const lines = ['seeding (1 of 2), 0 s', 'seeding (1 of 2), 1 s', 'seeding (1 of 2), 2 s', ''];
  expect(written).toEqual(lines.map((line) => clear + line));
});

it('prints nothing elsewhere', async () => {
  process.stderr.isTTY = false;
  await work();
  expect(written).toEqual([]);
});
