/** A service core and its database for a test file, with empty metadata for each test. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type TestDatabase, testDatabase } from '../database/test-database.ts';
import { startServiceCore, type TestServiceCore } from './service-core.ts';

export interface ServiceScene {
  readonly database: TestDatabase;
  readonly node: TestServiceCore;
}

/** Registers the hooks of a test file. The members of the result can be read in tests. */
export function serviceScene(sql: string): ServiceScene {
  let database: TestDatabase;
  let node: TestServiceCore;
  beforeAll(async () => {
    database = await testDatabase({ migrated: true, sql });
    node = await startServiceCore(database);
  });
  afterAll(async () => {
    await node.stop();
    await database.drop();
  });
  beforeEach(() => node.run('clear_metadata'));
  return {
    get database() {
      return database;
    },
    get node() {
      return node;
    },
  };
}
