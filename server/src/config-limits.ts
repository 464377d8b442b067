/** The options that say what a caller may cost: walls for everybody; the metadata may draw them closer for a role. */
import { flag, ranges, whole } from './config-values.ts';

/** Of what is counted; beyond it a wall would not be one. */
const count = whole(1, 999_999_999);

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
  maxRows: {
    name: 'MAX_ROWS',
    meaning:
      'most rows of one list in the answer of a query or a live query; more is an error, never cut; 0 for no limit',
    fallback: '0',
    parse: whole(0, 999_999_999),
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
