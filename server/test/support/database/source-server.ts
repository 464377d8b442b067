/** A PostgreSQL server of its own for a source, which tests can crash, restart and make unreachable. Its URL does not change. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { identifyProcess } from '../../../src/postgres/embedded/process-identity.ts';
import { until } from '../until.ts';
import { startProxy } from './postgres-proxy.ts';

export interface SourceServer {
  /** Through a proxy. */
  readonly url: string;
  /** Ends the server as `pg_ctl stop -m immediate` does, and starts it again. */
  crash(): Promise<void>;
  /** Ends the server, and closes the port. */
  end(): Promise<void>;
  start(): Promise<void>;
  /** Keeps connections open without forwarding anything, as a server that is paused. */
  stall(): void;
  /** Cuts the connections that stalled and forwards new ones. */
  restore(): void;
  stop(): Promise<void>;
}

/** Commits are written to files, which survive the end of the process. */
const usual = { fsync: 'off', full_page_writes: 'off', max_connections: '100' };

export async function startSourceServer(settings: Readonly<Record<string, string>> = {}): Promise<SourceServer> {
  const directory = mkdtempSync(join(tmpdir(), 'joinery-source-'));
  const launch = () => startEmbedded({ directory, settings: { ...usual, ...settings } });
  let server = await launch();
  let proxy = await startProxy(server.url);
  const { url } = proxy;

  async function end(): Promise<void> {
    await proxy.close();
    process.kill(server.pid, 'SIGQUIT');
    await until('the server has ended', () => identifyProcess(server.pid) === undefined);
    await server.stop();
  }
  async function start(): Promise<void> {
    server = await launch();
    proxy = await startProxy(server.url, {}, Number(new URL(url).port));
  }
  return {
    url,
    end,
    start,
    crash: async () => {
      await end();
      await start();
    },
    stall: () => proxy.stall('silent'),
    restore: () => {
      proxy.restore();
      proxy.cut();
    },
    stop: async () => {
      await proxy.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
