/** Converts event triggers to the form of exports, with the order of members of Hasura v2. */
import { asItIs, ifGiven, ifTrue, unlessEmpty, type Written, write } from '../document/written-members.ts';
import { cleanupDefaults, defaultRetryConf, type EventTrigger } from './schema.ts';

/** Members that Hasura v2 does not have are written last. */
export function writeEventTrigger(trigger: EventTrigger): Written {
  // Written also where the trigger has none, as Hasura v2 requires it.
  const retry_conf = trigger.retry_conf ?? defaultRetryConf;
  return write(
    { ...trigger, retry_conf },
    {
      name: asItIs,
      definition: (definition: Written) =>
        write(definition, {
          delete: writeOperation,
          enable_manual: ifGiven,
          insert: writeOperation,
          update: writeOperation,
        }),
      retry_conf: writeRetryConf,
      webhook: ifGiven,
      webhook_from_env: ifGiven,
      headers: unlessEmpty,
      request_transform: ifGiven,
      response_transform: ifGiven,
      cleanup_config: writeCleanup,
      trigger_on_replication: ifTrue,
      target: ifGiven,
      when: ifGiven,
      ordering_key: ifGiven,
      batch: ifGiven,
      debounce: ifGiven,
      signing: ifGiven,
      paused: ifTrue,
    },
  );
}

function writeOperation(operation: Written | null): Written | undefined {
  return operation === null ? undefined : write(operation, { columns: asItIs, payload: ifGiven });
}

function writeRetryConf(conf: Written): Written {
  return write(
    { ...conf, timeout_sec: conf.timeout_sec ?? defaultRetryConf.timeout_sec },
    {
      interval_sec: asItIs,
      num_retries: asItIs,
      timeout_sec: asItIs,
      backoff: ifGiven,
      max_retry_interval_seconds: ifGiven,
      jitter: ifGiven,
      retry_delays_seconds: ifGiven,
      final_client_errors: ifGiven,
    },
  );
}

/** Hasura v2 writes all members. */
function writeCleanup(config: Written | null): Written | undefined {
  if (config === null) return undefined;
  const given = Object.entries(config).filter(([, value]) => value !== null && value !== undefined);
  return write(
    { ...cleanupDefaults, ...Object.fromEntries(given) },
    {
      batch_size: asItIs,
      clean_invocation_logs: asItIs,
      clear_older_than: asItIs,
      paused: asItIs,
      schedule: asItIs,
      timeout: asItIs,
    },
  );
}
