import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const metadata = fileURLToPath(new URL('./metadata/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@joinery\/metadata\/(.*)$/, replacement: `${metadata}$1.ts` }] },
  test: {
    include: ['*/src/**/*.test.ts', '*/test/**/*.test.ts'],
    // They have a configuration of their own: vitest.failover.config.ts.
    exclude: ['**/node_modules/**', 'server/test/failover/**'],
    globalSetup: ['server/test/support/database/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
