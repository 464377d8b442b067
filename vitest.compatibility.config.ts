/** The tests with clients and servers of other projects; `npm --prefix compatibility ci` installs these. */
import config from './vitest.config.ts';

export default {
  ...config,
  test: {
    ...config.test,
    include: ['compatibility/test/*.test.ts'],
    exclude: ['**/node_modules/**'],
    projects: undefined,
  },
};
