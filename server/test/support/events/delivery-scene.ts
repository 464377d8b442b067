/** A database for each test, with nodes and webhooks that are closed when the test ends. */
import { afterEach, beforeEach } from 'vitest';
import { type TestDatabase, testDatabase } from '../database/test-database.ts';
import { type NodeOptions, type Sink, startNode, startSink, type TestNode } from './delivery-node.ts';

export interface DeliveryScene {
  /** The database of the current test. */
  readonly db: TestDatabase;
  sinkFor(...args: Parameters<typeof startSink>): Promise<Sink>;
  nodeFor(options?: NodeOptions): Promise<TestNode>;
  /** Runs `cleanup` when the test ends, in reverse order of registration. */
  onCleanup(cleanup: () => Promise<unknown>): void;
}

/** Registers the hooks of a test file. */
export function deliveryScene(): DeliveryScene {
  let db: TestDatabase;
  const cleanups: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    db = await testDatabase({ migrated: true });
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    await db.drop();
  });
  return {
    get db() {
      return db;
    },
    sinkFor: async (...args) => {
      const sink = await startSink(...args);
      cleanups.push(sink.close);
      return sink;
    },
    nodeFor: async (options = {}) => {
      const node = await startNode(db, options);
      cleanups.push(node.close);
      return node;
    },
    onCleanup: (cleanup) => cleanups.push(cleanup),
  };
}
