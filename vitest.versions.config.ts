/** The core tests, which run on other versions of Node.js, and of PostgreSQL: JOINERY_TEST_POSTGRES_PROGRAMS names the folder of its programs. */
import config from './vitest.config.ts';

export default {
  ...config,
  test: {
    ...config.test,
    include: [
      'server/test/cases/*.test.ts',
      'server/test/graphql/*.test.ts',
      'server/test/http/*.test.ts',
      'server/test/permissions/*.test.ts',
      'server/test/relationships/*.test.ts',
      'server/test/subscriptions/*.test.ts',
      'server/test/postgres/{catalog,catalog-views,canceled-commit,listen,migrate,pool,prepared-statements,transaction}.test.ts',
      'server/test/events/delivery/{delivery,order,outcomes,requests}.test.ts',
      'server/test/events/triggers/{capture,claims,commands,delivery,order}.test.ts',
    ],
    exclude: ['**/node_modules/**'],
    projects: undefined,
    // MERGE is SQL of PostgreSQL 15 and later.
    testNamePattern: /^(?!.*\bmerge has an event for each action)/,
  },
};
