/** Tests that click through the console in a real browser; they need Chromium, see CONTRIBUTING.md. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['e2e/**/*.e2e.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Files share no state: each has its services, data folders, ports and browser. `--maxWorkers=2` runs two at a time.
    maxWorkers: 1,
  },
});
