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
  pgDump: {
    name: 'PG_DUMP',
    meaning: 'name or path of the program that /v1alpha1/pg_dump runs',
    fallback: 'pg_dump',
    parse: text,
  },
  pgDumpTimeout: {
    name: 'PG_DUMP_TIMEOUT',
    meaning: 'maximum seconds of one run of pg_dump',
    fallback: '300',
    parse: whole(1, 86_400),
  },
  maxPgDumpBytes: {
    name: 'MAX_PG_DUMP_BYTES',
    meaning: 'maximum bytes of the output of pg_dump',
    fallback: '67108864',
    parse: whole(1_024, 268_435_456),
  },
  maxImportBytes: {
    name: 'MAX_IMPORT_BYTES',
    meaning: 'maximum bytes of the request body of /v1/import_rows, which is kept in memory',
    fallback: '268435456',
    parse: whole(1_024, 1_073_741_824),
  },
  reportVersion: {
    name: 'REPORT_VERSION',
    meaning: 'version of Hasura v2 that /v1/version returns, for tools that depend on it',
    fallback: undefined,
    parse: z.string().regex(/^v2\.\d+\.\d+$/, 'must be a version of Hasura v2 such as v2.48.0'),
  },
  auditLogRetentionDays: {
    name: 'AUDIT_LOG_RETENTION_DAYS',
    meaning: 'days that the audit log of admin commands is retained; 0 disables the log',
    fallback: '90',
    parse: whole(0, 36_500),
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
