/** The options of what operators see: metrics, the log of operations. */
import { z } from 'zod';
import { flag } from './config-limits.ts';

export const operationsOptions = {
  metricsSecret: {
    name: 'METRICS_SECRET',
    meaning: 'bearer token that /metrics asks for; without it everybody may read them',
    fallback: undefined,
    secret: true,
    parse: z.string().min(1, 'must not be empty'),
  },
  queryLog: {
    name: 'QUERY_LOG',
    meaning: 'log every GraphQL operation: role, name, hash, time and size',
    fallback: 'false',
    parse: flag,
  },
  slowQueryMs: {
    name: 'SLOW_QUERY_MS',
    meaning: 'warn of operations and SQL statements that take more milliseconds; 0 for none',
    fallback: '0',
    parse: z
      .string()
      .regex(/^\d{1,9}$/, 'must be a whole number')
      .transform(Number),
  },
} as const;
