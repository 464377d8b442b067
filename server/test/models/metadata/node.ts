/** A node behind a proxy to the database: in the process of the test, or as a process of its own. */
import { type Proxy as DatabaseProxy, startProxy } from '../../support/database/postgres-proxy.ts';
import type { TestDatabase } from '../../support/database/test-database.ts';
import { startBuiltService } from '../../support/service/built-service.ts';
import { startService } from '../../support/service/test-service.ts';

/** Where a connection is cut: before a statement that matches reaches the database, or after the database has run it. */
export interface Cut {
  readonly when: 'before' | 'after';
  readonly statement: RegExp;
  /** How many statements that match are passed before. */
  readonly skip?: number;
}

export interface Node {
  readonly url: string;
  /** Cuts all connections to the database. */
  cut(): void;
  /** Runs `work`; the connections of the node are cut where a statement matches. */
  whileCut<Result>(cut: Cut, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work`; the process is killed where a statement matches, or after `work`. Resolves when it is started again. */
  whileKilled<Result>(cut: Cut, work: () => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** Starts a node in the process of the test. */
export async function startNode(database: TestDatabase, environment: Environment): Promise<Node> {
  const link = await startLink(database);
  const service = await startService({ ...environment, JOINERY_DATABASE_URL: link.proxy.url }, database);
  return {
    url: service.url,
    cut: () => link.proxy.cut(),
    whileCut: link.whileCut,
    whileKilled: () => Promise.reject(new Error('the node is in the process of the test')),
    stop: async () => {
      await service.stop();
      await link.proxy.close();
    },
  };
}

/** Starts the built service as a process. */
export async function startNodeProcess(database: TestDatabase, environment: Environment): Promise<Node> {
  const link = await startLink(database);
  const service = await startBuiltService({ ...environment, JOINERY_DATABASE_URL: link.proxy.url });
  return {
    url: service.url,
    cut: () => link.proxy.cut(),
    whileCut: link.whileCut,
    whileKilled: async (cut, work) => {
      const result = await link.whileCut(cut, work, () => service.signal('SIGKILL'));
      await service.kill();
      link.proxy.cut();
      await service.start();
      return result;
    },
    stop: async () => {
      await service.stop();
      await link.proxy.close();
    },
  };
}

interface Link {
  readonly proxy: DatabaseProxy;
  /** Calls `strike` immediately before the connections are cut. */
  whileCut<Result>(cut: Cut, work: () => Promise<Result>, strike?: () => void): Promise<Result>;
}

/** Time for the database to run a statement whose response is lost, in milliseconds. */
const RUN_MS = 20;

async function startLink(database: TestDatabase): Promise<Link> {
  let present: { readonly cut: Cut; readonly strike: () => void; skipped: number } | undefined;
  /** Whether the connections are cut at these data. */
  const isReached = (when: Cut['when'], data: string): boolean => {
    if (present?.cut.when !== when || !present.cut.statement.test(data)) return false;
    present.skipped += 1;
    return present.skipped > (present.cut.skip ?? 0);
  };
  const proxy = await startProxy(database.url, {
    cuts: (data) => {
      if (!isReached('before', data)) return false;
      present?.strike();
      return true;
    },
    mutes: (data) => {
      if (!isReached('after', data)) return false;
      // The statement reaches the database; its response is lost with the connection.
      const { strike } = present ?? {};
      present = undefined;
      setImmediate(() =>
        setTimeout(() => {
          strike?.();
          proxy.cut();
        }, RUN_MS),
      );
      return true;
    },
  });
  return {
    proxy,
    whileCut: async (cut, work, strike = () => undefined) => {
      present = { cut, strike, skipped: 0 };
      try {
        return await work();
      } finally {
        present = undefined;
      }
    },
  };
}
