/** The lock of a data folder: one service holds it, and a stale lock is replaced. */
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

test('locks a folder until the lock is released, and leaves no other file in the folder', () => {
  const lock = lockDirectory(folder);
  expect(lockHolder(folder)).toEqual(identifyProcess(process.pid));
  expect(() => lockDirectory(folder)).toThrow(`in use by another service (process ${process.pid})`);
  expect(readdirSync(folder)).toEqual(['lock']);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
  lockDirectory(folder).release();
});

test.each([
  ['a process that has ended', JSON.stringify({ pid: 2 ** 22 + 1, started: 'x' })],
  ['a process whose ID another process has now', JSON.stringify({ pid: process.pid, started: 'before' })],
  ['a write that was interrupted', '{"pid":'],
])('replaces a stale lock of %s', (_owner, text) => {
  writeFileSync(join(folder, 'lock'), text);
  expect(lockHolder(folder)).toBeUndefined();
  const lock = lockDirectory(folder);
  expect(lockHolder(folder)?.pid).toBe(process.pid);
  lock.release();
});

test('gives a stale lock to one of several processes that request it at the same time', async () => {
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, started: 'before' }));
  const built = fileURLToPath(new URL('../../dist/postgres/embedded/lock.js', import.meta.url));
  const at = Date.now() + 1500;
  const code = `
    const { lockDirectory } = await import(${JSON.stringify(built)});
    while (Date.now() < ${at});
    try { lockDirectory(${JSON.stringify(folder)}); console.log('locked'); } catch { console.log('rejected'); }
    process.stdin.resume();`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const outputs = await Promise.all(
    children.map(
      (child) => new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim()))),
    ),
  );
  for (const child of children) child.stdin.end();
  expect(outputs.sort()).toEqual(['locked', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected']);
});

test('distinguishes a process from a later one with the same ID, and recognizes that a process has ended', async () => {
  const child = spawn('sleep', ['30']);
  const identity = identifyProcess(child.pid ?? 0);
  if (identity === undefined) throw new Error('the process does not run');
  expect(isRunning(identity)).toBe(true);
  expect(isRunning({ ...identity, started: 'at another time' })).toBe(false);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await exited;
  expect(isRunning(identity)).toBe(false);
  expect(identifyProcess(Number.NaN)).toBeUndefined();
});
