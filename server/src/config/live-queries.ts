/** The options of subscriptions and websockets. */
import { flag, whole } from './values.ts';

export const liveOptions = {
  liveQueriesInterval: {
    name: 'LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    meaning: 'milliseconds within which a live query receives a change',
    fallback: '1000',
    parse: whole(10, 3_600_000),
  },
  liveQueriesBatchSize: {
    name: 'LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE',
    meaning: 'maximum number of subscribers of a live query per statement',
    fallback: '100',
    parse: whole(1, 10_000),
  },
  streamingQueriesInterval: {
    name: 'STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    meaning: 'milliseconds within which a stream receives a change',
    fallback: '1000',
    parse: whole(10, 3_600_000),
  },
  streamingQueriesBatchSize: {
    name: 'STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE',
    meaning: 'maximum number of subscribers of a stream per statement',
    fallback: '100',
    parse: whole(1, 10_000),
  },
  liveQueriesSkipUnchanged: {
    name: 'LIVE_QUERIES_SKIP_UNCHANGED',
    meaning: 'skip polls of live queries and streams of ordinary tables while no transaction of the database has ended',
    fallback: 'true',
    parse: flag,
  },
  websocketKeepalive: {
    name: 'WEBSOCKET_KEEPALIVE',
    meaning: 'seconds between keep-alive messages on a websocket',
    fallback: '5',
    parse: whole(1, 3_600),
  },
  websocketConnectionInitTimeout: {
    name: 'WEBSOCKET_CONNECTION_INIT_TIMEOUT',
    meaning: 'seconds within which a websocket client must authenticate',
    fallback: '3',
    parse: whole(1, 3_600),
  },
  websocketMaxOperations: {
    name: 'WEBSOCKET_MAX_OPERATIONS',
    meaning: 'maximum number of concurrent operations of one websocket',
    fallback: '1000',
    parse: whole(1, 100_000),
  },
} as const;
