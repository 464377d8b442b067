/** The tests of one area; JOINERY_MUTATION_TESTS has their patterns as JSON. */
import config from '../vitest.config.ts';

export default {
  ...config,
  root: process.cwd(),
  test: {
    ...config.test,
    include: JSON.parse(process.env.JOINERY_MUTATION_TESTS ?? '[]') as string[],
    exclude: ['**/node_modules/**'],
    projects: undefined,
    // Many changes need a new process. The folder is removed with the copy of the sources.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.vitest-cache' },
  },
};
