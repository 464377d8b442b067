/** All tests but those in a browser, of failovers and with software of other projects, which have their own configurations. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './server/test/support/longest-first.ts';

const metadata = fileURLToPath(new URL('./metadata/src/', import.meta.url));

/** Tests that replace modules or clocks, or count timers, which those of other tests in their process would add to. */
const isolated = [
  'server/test/simulation/simulation.test.ts',
  'server/test/security/secret-comparison.test.ts',
  'server/src/base/second-ticker.test.ts',
  'server/src/execute/live/poll-clock.test.ts',
  'server/src/http/websocket/keep-alive.test.ts',
];

const elsewhere = ['**/node_modules/**', 'server/test/failover/**', 'compatibility/**'];

export default defineConfig({
  // Without warnings of packages whose source maps name files that they do not contain.
  logLevel: 'error',
  resolve: { alias: [{ find: /^@joinery\/metadata\/(.*)$/, replacement: `${metadata}$1.ts` }] },
  test: {
    globalSetup: ['server/test/support/database/global-setup.ts'],
    // Time-outs end tests that hang; they are long enough for a machine that is shared with other work.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Before the time-out of the test, so that the report shows the last value.
    expect: { poll: { timeout: 45_000, interval: 20 } },
    pool: 'forks',
    // Loading the modules anew for every file would take half of the processor time. A test must not change global state.
    isolate: false,
    // Its modules import JSON in a form that Node.js 20 rejects.
    server: { deps: { inline: [/@actions\/workflow-parser/] } },
    // Tests mostly wait for databases, processes and leases. The upper limit keeps within the server's connections.
    maxWorkers: Math.min(2 * availableParallelism(), 10),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['*/src/**/*.test.ts', '*/test/**/*.test.ts'],
          exclude: [...elsewhere, ...isolated],
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated, isolate: true } },
    ],
  },
});
