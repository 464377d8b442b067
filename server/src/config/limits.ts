/** The options that say what a caller may cost: walls for everybody; the metadata may draw them closer for a role. */
import { flag, ranges, whole } from './values.ts';

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
  maxQueryCharacters: {
    name: 'MAX_QUERY_CHARACTERS',
    meaning: 'most characters in the text of one GraphQL document',
    fallback: '2000000',
    parse: count,
  },
  maxPredicateMembers: {
    name: 'MAX_PREDICATE_MEMBERS',
    meaning: 'most members of the conditions and order_by arguments of one operation, a variable counted at each use',
    fallback: '10000',
    parse: count,
  },
  maxOrderBy: {
    name: 'MAX_ORDER_BY',
    meaning: 'most terms of one order_by',
    fallback: '100',
    parse: count,
  },
  maxDistinctOn: {
    name: 'MAX_DISTINCT_ON',
    meaning: 'most columns of one distinct_on',
    fallback: '100',
    parse: count,
  },
  maxVariableValues: {
    name: 'MAX_VARIABLE_VALUES',
    meaning: 'most values in the variables of one operation: members of objects and items of lists',
    fallback: '250000',
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
  poolRoleShare: {
    name: 'POOL_ROLE_SHARE',
    meaning: 'most percent of the connections of a pool that requests of one role use at once; 100 for no limit',
    fallback: '80',
    parse: whole(1, 100),
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
