/** The options of how answers travel, and of what operators see: metrics, the log of operations. */
import { z } from 'zod';
import { flag, text, whole } from './values.ts';

const count = whole(0, 999_999_999);

export const operationsOptions = {
  compression: {
    name: 'COMPRESSION',
    meaning: 'how answers are compressed for clients that take it, the best first: gzip, br; or none',
    fallback: 'gzip,br',
    parse: z
      .string()
      .transform((written) => (written === 'none' ? [] : written.split(',').map((one) => one.trim())))
      .pipe(z.array(z.enum(['gzip', 'br'], 'must be none, or a list of gzip and br'))),
  },
  compressionMinBytes: {
    name: 'COMPRESSION_MIN_BYTES',
    meaning: 'answers that are smaller are not compressed',
    fallback: '4096',
    parse: count,
  },
  persistedQueries: {
    name: 'PERSISTED_QUERIES',
    meaning:
      'most texts of operations kept that clients have sent with their hash; 0 knows those of query collections alone',
    fallback: '10000',
    parse: count,
  },
  metricsSecret: {
    name: 'METRICS_SECRET',
    meaning: 'bearer token that /metrics asks for; without it everybody may read them',
    fallback: undefined,
    secret: true,
    parse: text,
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
    parse: count,
  },
} as const;
