/** The tests that reach a database as services do, through PgBouncer in transaction mode. */
import { mergeConfig } from 'vitest/config';
import { poolerTests } from './server/test/support/database/pooler.ts';
import config from './vitest.config.ts';

process.env.JOINERY_TEST_POOLER ??= 'pgbouncer';

const { include: _, ...rest } = config.test ?? {};
export default mergeConfig({ ...config, test: rest }, { test: { include: [...poolerTests()] } });
