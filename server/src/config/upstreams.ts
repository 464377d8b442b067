/** The options of action handlers and remote schemas: how much they may answer, what is kept of it, how often they are asked. */
import { flag, whole } from './values.ts';

export const upstreamOptions = {
  maxActionResponseBytes: {
    name: 'MAX_ACTION_RESPONSE_BYTES',
    meaning: 'largest answer of an action handler',
    fallback: '33554432',
    parse: whole(1_024, 1_073_741_824),
  },
  actionCacheEntries: {
    name: 'ACTION_CACHE_ENTRIES',
    meaning: 'most answers of actions that are kept at once',
    fallback: '10000',
    parse: whole(1, 10_000_000),
  },
  actionCacheBytes: {
    name: 'ACTION_CACHE_BYTES',
    meaning: 'most bytes of the answers of actions that are kept',
    fallback: '50000000',
    parse: whole(1, 10_000_000_000),
  },
  maxRemoteResponseBytes: {
    name: 'MAX_REMOTE_RESPONSE_BYTES',
    meaning: 'largest answer of a remote schema',
    fallback: '67108864',
    parse: whole(1_024, 1_073_741_824),
  },
  enableRemoteSchemaPermissions: {
    name: 'ENABLE_REMOTE_SCHEMA_PERMISSIONS',
    meaning: 'show a role of each remote schema only what a permission names; otherwise every role sees all',
    fallback: 'false',
    parse: flag,
  },
  remoteSchemaPrioritizeData: {
    name: 'REMOTE_SCHEMA_PRIORITIZE_DATA',
    meaning: 'of a remote schema that answers with data and errors, hand on the data alone',
    fallback: 'false',
    parse: flag,
  },
  remoteSchemaRefreshInterval: {
    name: 'REMOTE_SCHEMA_REFRESH_INTERVAL',
    meaning: 'seconds between two questions to each remote schema what it offers; 0 asks on reload alone',
    fallback: '300',
    parse: whole(0, 86_400),
  },
  asyncActionsFetchInterval: {
    name: 'ASYNC_ACTIONS_FETCH_INTERVAL',
    meaning: 'milliseconds between two looks for asynchronous actions that nobody announced; 0 runs none on this node',
    fallback: '1000',
    parse: whole(0, 3_600_000),
  },
  asyncActionsFetchBatchSize: {
    name: 'ASYNC_ACTIONS_FETCH_BATCH_SIZE',
    meaning: 'calls of one asynchronous action that a node makes at once; of all of them it makes ten times as many',
    fallback: '10',
    parse: whole(1, 10_000),
  },
  asyncActionsRetentionDays: {
    name: 'ASYNC_ACTIONS_RETENTION_DAYS',
    meaning: 'days that results of asynchronous actions are kept; 0 keeps them',
    fallback: '0',
    parse: whole(0, 36_500),
  },
} as const;
