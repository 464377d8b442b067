/** Failovers of a Patroni cluster under load; takes minutes, and needs Debian's patroni, etcd-server and haproxy. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['server/test/failover/*.test.ts'],
    pool: 'forks',
    disableConsoleIntercept: true,
  },
});
