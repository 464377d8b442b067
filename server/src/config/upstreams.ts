/** The options of action handlers and remote schemas: response limits, caching, polling and permissions. */
import { flag, whole } from './values.ts';

export const upstreamOptions = {
  maxActionResponseBytes: {
    name: 'MAX_ACTION_RESPONSE_BYTES',
    meaning: 'maximum response size of an action handler',
    fallback: '33554432',
    parse: whole(1_024, 1_073_741_824),
  },
  actionCacheEntries: {
    name: 'ACTION_CACHE_ENTRIES',
    meaning: 'maximum number of cached action responses',
    fallback: '10000',
    parse: whole(1, 10_000_000),
  },
  actionCacheBytes: {
    name: 'ACTION_CACHE_BYTES',
    meaning: 'maximum bytes of cached action responses',
    fallback: '50000000',
    parse: whole(1, 10_000_000_000),
  },
  maxRemoteResponseBytes: {
    name: 'MAX_REMOTE_RESPONSE_BYTES',
    meaning: 'maximum response size of a remote schema',
    fallback: '67108864',
    parse: whole(1_024, 1_073_741_824),
  },
  enableRemoteSchemaPermissions: {
    name: 'ENABLE_REMOTE_SCHEMA_PERMISSIONS',
    meaning:
      'restrict each role to the part of a remote schema that a permission names; otherwise every role sees all of it',
    fallback: 'false',
    parse: flag,
  },
  remoteSchemaPrioritizeData: {
    name: 'REMOTE_SCHEMA_PRIORITIZE_DATA',
    meaning: 'when a remote schema returns data and errors, return the data only',
    fallback: 'false',
    parse: flag,
  },
  remoteSchemaRefreshInterval: {
    name: 'REMOTE_SCHEMA_REFRESH_INTERVAL',
    meaning: 'seconds between introspections of each remote schema; 0 for on reload only',
    fallback: '300',
    parse: whole(0, 86_400),
  },
  asyncActionsFetchInterval: {
    name: 'ASYNC_ACTIONS_FETCH_INTERVAL',
    meaning: 'milliseconds between polls for asynchronous actions; 0 runs none on this node',
    fallback: '1000',
    parse: whole(0, 3_600_000),
  },
  asyncActionsFetchBatchSize: {
    name: 'ASYNC_ACTIONS_FETCH_BATCH_SIZE',
    meaning: 'concurrent calls of one asynchronous action per node; of all of them ten times as many',
    fallback: '10',
    parse: whole(1, 10_000),
  },
  asyncActionsRetentionDays: {
    name: 'ASYNC_ACTIONS_RETENTION_DAYS',
    meaning: 'days that results of asynchronous actions are retained; 0 for no limit',
    fallback: '0',
    parse: whole(0, 36_500),
  },
} as const;
