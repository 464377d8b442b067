/** The options of compression, persisted queries, metrics and the log of operations. */
import { z } from 'zod';
import { flag, text, whole } from './values.ts';

const count = whole(0, 999_999_999);

export const operationsOptions = {
  compression: {
    name: 'COMPRESSION',
    meaning: 'content codings of responses in order of preference: gzip, br; or none',
    fallback: 'gzip,br',
    parse: z
      .string()
      .transform((written) => (written === 'none' ? [] : written.split(',').map((one) => one.trim())))
      .pipe(z.array(z.enum(['gzip', 'br'], 'must be none, or a list of gzip and br'))),
  },
  compressionMinBytes: {
    name: 'COMPRESSION_MIN_BYTES',
    meaning: 'smallest response that is compressed',
    fallback: '4096',
    parse: count,
  },
  persistedQueries: {
    name: 'PERSISTED_QUERIES',
    meaning:
      'maximum number of cached operations that clients have sent with their hash; 0 for those of query collections only',
    fallback: '10000',
    parse: count,
  },
  metricsSecret: {
    name: 'METRICS_SECRET',
    meaning: 'bearer token that /metrics requires; without it /metrics is public',
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
    meaning: 'log a warning for operations and SQL statements that take more milliseconds; 0 for none',
    fallback: '0',
    parse: count,
  },
} as const;
