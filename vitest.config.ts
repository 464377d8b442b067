/** All tests but those in a browser, those of failovers and those of client libraries, which have their own configurations. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './server/test/support/longest-first.ts';

const metadata = fileURLToPath(new URL('./metadata/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@joinery\/metadata\/(.*)$/, replacement: `${metadata}$1.ts` }] },
  test: {
    include: ['*/src/**/*.test.ts', '*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'server/test/failover/**'],
    globalSetup: ['server/test/support/database/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Loading the modules anew for every file would take half of the processor time. A test must not change global state.
    isolate: false,
    // Tests mostly wait for databases, processes and leases. The upper limit keeps within the server's connections.
    maxWorkers: Math.min(2 * availableParallelism(), 10),
    sequence: { sequencer: LongestFirst },
  },
});
