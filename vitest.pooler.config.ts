/** The tests that reach a database as services do, through PgBouncer in transaction mode. */
import { poolerTests } from './server/test/support/database/pooler.ts';
import config from './vitest.config.ts';

process.env.JOINERY_TEST_POOLER ??= 'pgbouncer';

export default {
  ...config,
  test: {
    ...config.test,
    include: [...poolerTests()],
    exclude: ['**/node_modules/**'],
    projects: undefined,
  },
};
