/** Tests of the demo as a process: its port, and the processes after its end. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { identifyProcess } from '../../server/src/postgres/embedded/process-identity.ts';
import { freePort } from '../../server/test/support/http/free-port.ts';

const script = fileURLToPath(new URL('../demo/run.mjs', import.meta.url));

/** Returns the process ids of the children of `parent`. */
function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, parentPid]) => (parentPid === parent ? [pid] : []));
}

function isAlive(pid: number): boolean {
  return identifyProcess(pid) !== undefined;
}

it('the demo listens on PORT, and ends all its processes on a signal', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'joinery-demo-test-'));
  const port = await freePort();
  const demo = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: `${port}`, JOINERY_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(demo, 'exit');
  let printed = '';
  demo.stdout.on('data', (chunk: Buffer) => (printed += chunk));
  demo.stderr.on('data', (chunk: Buffer) => (printed += chunk));
  try {
    await expect
      .poll(() => (demo.exitCode === null ? printed : `${printed} [ended]`), { timeout: 120_000 })
      .toMatch(/Stop with Ctrl-C|\[ended\]/);
    expect(printed).toContain(`http://127.0.0.1:${port}/console`);
    const children = childrenOf(demo.pid ?? 0);
    expect(children).toHaveLength(3);
    demo.kill('SIGTERM');
    await ended;
    await expect.poll(() => children.filter(isAlive), { timeout: 30_000 }).toEqual([]);
  } finally {
    demo.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
}, 180_000);
