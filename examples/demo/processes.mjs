// Starting and stopping the processes of the demo.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { say } from './client.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Starts one of the shop's servers; resolves with its address once it listens. */
export async function startShopServer(file) {
  const child = fork(here(`../shop/${file}`), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  child.stdout.setEncoding('utf8');
  const [line] = await once(child.stdout, 'data');
  return { child, url: line.trim().replace('listening ', '') };
}

/** Starts `joinery serve` and resolves with its address when it is ready; rejects with its last words if it ends. */
export async function startService({ dataDir, port, environment }) {
  const child = spawn(
    process.execPath,
    [here('../../cli/bin/joinery.mjs'), 'serve', '--port', String(port), '--data-dir', dataDir],
    {
      env: { ...environment, JOINERY_LOG_FORMAT: 'json' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const said = [];
  const url = await new Promise((resolve, reject) => {
    const listen = (text) => {
      said.push(...text.split('\n').filter((line) => line !== ''));
      const started = said.map(parse).find((entry) => entry?.kind === 'started');
      if (started) resolve(started.url);
    };
    child.stdout.setEncoding('utf8').on('data', listen);
    child.stderr.setEncoding('utf8').on('data', listen);
    child.once('exit', (code) =>
      reject(new Error(`the service ended with code ${code}:\n${said.slice(-5).join('\n')}`)),
    );
  });
  return { child, url };
}

/** Runs a command of `joinery` in the root of the repository, printed as it is; resolves with its exit code. */
export async function runCommand(args) {
  say(`    $ joinery ${args.join(' ')}`);
  const child = spawn(process.execPath, [here('../../cli/bin/joinery.mjs'), ...args], {
    cwd: here('../..'),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code;
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Ends the process and waits until it is gone. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
