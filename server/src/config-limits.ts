/** The options that say what a caller may cost: walls for everybody; the metadata may draw them closer for a role. */
import { isIP } from 'node:net';
import { z } from 'zod';

const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a whole number from 1')
  .transform(Number);

export const flag = z
  .string()
  .regex(/^(true|false)$/i, 'must be true or false')
  .transform((written) => written.toLowerCase() === 'true');

/** `10.0.0.0/8`, `127.0.0.1`, `::1/128`. */
function isRange(written: string): boolean {
  const [address = '', bits, more] = written.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more === undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  );
}

export const ranges = z
  .string()
  .transform((written) =>
    written
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .refine((parts) => parts.every(isRange), 'must be addresses or ranges such as 10.0.0.0/8, separated by commas');

export const limitOptions = {
  maxQueryDepth: {
    name: 'MAX_QUERY_DEPTH',
    meaning: 'most levels of selections in one operation',
    fallback: '100',
    parse: count,
  },
  maxQueryNodes: {
    name: 'MAX_QUERY_NODES',
    meaning: 'most fields in one operation, fragments counted wherever they are spread',
    fallback: '10000',
    parse: count,
  },
  maxQueryRoots: {
    name: 'MAX_QUERY_ROOTS',
    meaning: 'most fields at the root of one operation, under whatever aliases',
    fallback: '500',
    parse: count,
  },
  maxResultBytes: {
    name: 'MAX_RESULT_BYTES',
    meaning: 'largest result of one SQL statement of a GraphQL operation; more is an error, never cut',
    fallback: '134217728',
    parse: count,
  },
  maxBatchSize: {
    name: 'MAX_BATCH_SIZE',
    meaning: 'most operations in one HTTP request',
    fallback: '100',
    parse: count,
  },
  rateLimitShared: {
    name: 'RATE_LIMIT_SHARED',
    meaning: 'count the rates of callers over all nodes, in the database, rather than on each node',
    fallback: 'false',
    parse: flag,
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    meaning: 'addresses of proxies whose X-Forwarded-For is believed',
    fallback: undefined,
    parse: ranges,
  },
  enableAllowlist: {
    name: 'ENABLE_ALLOWLIST',
    meaning: 'let callers that are not admin send only operations of the allow list',
    fallback: 'false',
    parse: flag,
  },
} as const;
