/** The request limits of all callers. The metadata may set lower limits for a role. */
import { flag, ranges, whole } from './values.ts';

/** A count that takes part in arithmetic without loss. */
const count = whole(1, 999_999_999);

export const limitOptions = {
  maxQueryDepth: {
    name: 'MAX_QUERY_DEPTH',
    meaning: 'maximum depth of selections of one operation',
    fallback: '100',
    parse: count,
  },
  maxQueryNodes: {
    name: 'MAX_QUERY_NODES',
    meaning: 'maximum number of fields of one operation; a fragment counts at each spread',
    fallback: '10000',
    parse: count,
  },
  maxQueryRoots: {
    name: 'MAX_QUERY_ROOTS',
    meaning: 'maximum number of root fields of one operation, aliases included',
    fallback: '500',
    parse: count,
  },
  maxQueryCharacters: {
    name: 'MAX_QUERY_CHARACTERS',
    meaning: 'maximum number of characters of one GraphQL document',
    fallback: '2000000',
    parse: count,
  },
  maxPredicateMembers: {
    name: 'MAX_PREDICATE_MEMBERS',
    meaning:
      'maximum number of members of the conditions and order_by arguments of one operation; a variable counts at each use',
    fallback: '10000',
    parse: count,
  },
  maxOrderBy: {
    name: 'MAX_ORDER_BY',
    meaning: 'maximum number of terms of one order_by',
    fallback: '100',
    parse: count,
  },
  maxDistinctOn: {
    name: 'MAX_DISTINCT_ON',
    meaning: 'maximum number of columns of one distinct_on',
    fallback: '100',
    parse: count,
  },
  maxVariableValues: {
    name: 'MAX_VARIABLE_VALUES',
    meaning: 'maximum number of values in the variables of one operation: members of objects and items of lists',
    fallback: '250000',
    parse: count,
  },
  maxRows: {
    name: 'MAX_ROWS',
    meaning:
      'maximum number of rows of one list in the result of a query or subscription; more is an error; 0 for no limit',
    fallback: '0',
    parse: whole(0, 999_999_999),
  },
  maxResultBytes: {
    name: 'MAX_RESULT_BYTES',
    meaning: 'maximum result size of one SQL statement of a GraphQL operation; more is an error',
    fallback: '134217728',
    parse: count,
  },
  maxBatchSize: {
    name: 'MAX_BATCH_SIZE',
    meaning: 'maximum number of operations of one HTTP request',
    fallback: '100',
    parse: count,
  },
  poolRoleShare: {
    name: 'POOL_ROLE_SHARE',
    meaning:
      'maximum percentage of the connections of a pool that requests of one role use at a time; 100 for no limit',
    fallback: '80',
    parse: whole(1, 100),
  },
  poolPipeline: {
    name: 'POOL_PIPELINE',
    meaning:
      'maximum number of short queries in flight on one connection to a database, where no connection is idle; 1 for one at a time',
    fallback: '8',
    parse: whole(1, 64),
  },
  rateLimitShared: {
    name: 'RATE_LIMIT_SHARED',
    meaning: 'apply rate limits across all nodes, with counters in the database, rather than on each node',
    fallback: 'false',
    parse: flag,
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    meaning: 'addresses of proxies whose X-Forwarded-For is trusted',
    fallback: undefined,
    parse: ranges,
  },
  enforceApiLimits: {
    name: 'ENFORCE_API_LIMITS',
    meaning:
      'reject operations beyond the api_limits of the metadata; false: report them in the log and the metrics alone, as Hasura v2 does not enforce these limits',
    fallback: 'true',
    parse: flag,
  },
  enableAllowlist: {
    name: 'ENABLE_ALLOWLIST',
    meaning: 'restrict callers that are not admin to operations of the allow list',
    fallback: 'false',
    parse: flag,
  },
} as const;
