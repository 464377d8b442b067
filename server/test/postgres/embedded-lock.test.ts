/** One folder, one service: whoever comes second is told so, and a lock that was left behind stops nobody. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDirectory, lockHolder } from '../../src/postgres/embedded/lock.ts';
import { identifyProcess, isRunning } from '../../src/postgres/embedded/process-identity.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('it is held until it is released, and nothing else stays in the folder', () => {
  const lock = lockDirectory(folder);
  expect(lockHolder(folder)).toEqual(identifyProcess(process.pid));
  expect(() => lockDirectory(folder)).toThrow(`in use by another service (process ${process.pid})`);
  expect(readdirSync(folder)).toEqual(['lock']);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
  lockDirectory(folder).release();
});

test.each([
  ['of a process that has ended', JSON.stringify({ pid: 2 ** 22 + 1, started: 'x' })],
  ['of a process whose number went to another', JSON.stringify({ pid: process.pid, started: 'before' })],
  ['that was cut off while it was written', '{"pid":'],
])('a lock %s is taken over', (_whose, text) => {
  writeFileSync(join(folder, 'lock'), text);
  expect(lockHolder(folder)).toBeUndefined();
  const lock = lockDirectory(folder);
  expect(lockHolder(folder)?.pid).toBe(process.pid);
  lock.release();
});

test('of many that find a lock left behind at the same moment, one gets it', async () => {
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, started: 'before' }));
  const built = fileURLToPath(new URL('../../dist/postgres/embedded/lock.js', import.meta.url));
  const at = Date.now() + 1500;
  const code = `
    const { lockDirectory } = await import(${JSON.stringify(built)});
    while (Date.now() < ${at});
    try { lockDirectory(${JSON.stringify(folder)}); console.log('got it'); } catch { console.log('refused'); }
    process.stdin.resume();`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const said = await Promise.all(
    children.map(
      (child) => new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim()))),
    ),
  );
  for (const child of children) child.stdin.end();
  expect(said.sort()).toEqual(['got it', 'refused', 'refused', 'refused', 'refused', 'refused']);
});

test('a process is told from a later one of its number, and an ended one is no process', async () => {
  const child = spawn('sleep', ['30']);
  const identity = identifyProcess(child.pid ?? 0);
  if (identity === undefined) throw new Error('the process is not seen');
  expect(isRunning(identity)).toBe(true);
  expect(isRunning({ ...identity, started: 'at another time' })).toBe(false);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await gone;
  expect(isRunning(identity)).toBe(false);
  expect(identifyProcess(Number.NaN)).toBeUndefined();
});
