// Starts and stops the processes of the demo.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { print } from './client.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Starts one of the shop's servers on a free port; resolves with its address once it listens, rejects if it ends. */
export async function startShopServer(file, running) {
  // PORT is the port of the service. The servers of the shop use free ports.
  const { PORT: _, ...environment } = process.env;
  const child = fork(here(`../shop/${file}`), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env: environment });
  running.push(child);
  child.stdout.setEncoding('utf8');
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', (code) => reject(new Error(`${file} ended with code ${code} before it listened`)));
  });
  return line.trim().replace('listening ', '');
}

/** Starts `joinery serve` and resolves with its address when it is ready; rejects with the end of its log if it exits. */
export async function startService({ dataDir, port, environment }, running) {
  const child = spawn(
    process.execPath,
    [here('../../cli/bin/joinery.mjs'), 'serve', '--port', String(port), '--data-dir', dataDir],
    {
      env: { ...environment, JOINERY_LOG_FORMAT: 'json' },
      // In a process group of its own. Otherwise Ctrl-C would send a second signal, which ends it before its database
      // is stopped.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  running.push(child);
  const lines = [];
  const url = await new Promise((resolve, reject) => {
    const listen = (text) => {
      lines.push(...text.split('\n').filter((line) => line !== ''));
      lines.splice(0, Math.max(0, lines.length - 100));
      const started = lines.map(parse).find((entry) => entry?.kind === 'started');
      if (started) resolve(started.url);
    };
    child.stdout.setEncoding('utf8').on('data', listen);
    child.stderr.setEncoding('utf8').on('data', listen);
    child.once('exit', (code) =>
      reject(new Error(`the service ended with code ${code}:\n${lines.slice(-5).join('\n')}`)),
    );
  });
  return url;
}

/** Prints a command of `joinery`, runs it in the root of the repository, and resolves with its exit code. */
export async function runCommand(args) {
  print(`    $ joinery ${args.join(' ')}`);
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

/** Ends the process and waits for its exit. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
