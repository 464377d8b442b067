/** The service of another version in its own process, from a folder with its source and its dependencies. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/http/free-port.ts';
import { until } from '../support/until.ts';

export interface UpgradeNode {
  readonly url: string;
  /** Sends SIGTERM, and resolves when the node has ended. */
  stop(): Promise<void>;
}

/** Starts the service. Resolves when `/healthz` has the status 200. Rejects if its process ends. */
export async function startCheckout(
  checkout: string,
  environment: Readonly<Record<string, string>>,
): Promise<UpgradeNode> {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-checkout-'));
  // The module runner resolves dynamic imports only until its module has ended.
  const entry = join(folder, 'entry.ts');
  writeFileSync(
    entry,
    `import { start } from '${checkout}/server/src/main.ts';
    const service = await start({ environment: process.env });
    process.on('SIGTERM', async () => {
      await service.stop('SIGTERM');
      process.exit(0);
    });
    await new Promise(() => undefined);`,
  );
  const runner = `import { runnerImport } from 'vite';
    await runnerImport('${entry}', {
      root: '${checkout}', configFile: false, logLevel: 'error',
      resolve: { alias: [{ find: /^@joinery\\/metadata\\/(.*)$/, replacement: '${checkout}/metadata/src/$1.ts' }] },
    });`;
  const port = await freePort();
  const child = spawn(process.execPath, ['--input-type=module', '-e', runner], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { PATH: process.env.PATH, JOINERY_PORT: String(port), JOINERY_HOST: '127.0.0.1', ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await until('the service is healthy', async () => {
    if (child.exitCode !== null) throw new Error('the service has ended');
    return (await fetch(`${url}/healthz`).catch(() => undefined))?.ok;
  });
  return {
    url,
    stop: async () => {
      if (child.exitCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
