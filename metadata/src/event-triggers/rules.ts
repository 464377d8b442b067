/** The rules of an event trigger that need neither the database nor the environment. */
import { targetRules } from '../schema/events/targets.ts';
import { type CleanupConfig, type EventTrigger, type OperationSpec, operationNames } from './schema.ts';

export interface RuleError {
  /** The path in the trigger. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The longest name, in bytes: that of an identifier of PostgreSQL. */
const LONGEST_NAME = 63;
/** PostgreSQL's largest integer. */
const LARGEST = 2_147_483_647;
const MOST_BATCHED = 1_000;
const LONGEST_WAIT_MS = 60_000;
const LONGEST_WINDOW_MS = 86_400_000;
const LONGEST_WEBHOOK = 8_000;
const MOST_HEADERS = 100;

const noColumn = 'must have at least one column';

/** Returns the violated rules of a trigger, the rule of its name first. */
export function rulesOf(trigger: EventTrigger): readonly RuleError[] {
  if (trigger.unread !== undefined) {
    return [{ path: ['unread'], message: 'is not a valid event trigger; delete this trigger and create it again' }];
  }
  return [
    ...nameRules(trigger.name),
    ...operationRules(trigger),
    ...webhookRules(trigger),
    ...retryRules(trigger),
    ...cleanupRules(trigger.cleanup_config),
    ...deliveryRules(trigger),
  ];
}

function nameRules(name: string): readonly RuleError[] {
  const path = ['name'];
  if (name === '') return [{ path, message: 'empty string not allowed' }];
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
    const message =
      'only alphanumeric and underscore and hyphens allowed for name; its first character must be a letter';
    return [{ path, message }];
  }
  if (name.length <= LONGEST_NAME) return [];
  return [{ path, message: `event trigger name can be at most ${LONGEST_NAME} characters` }];
}

/** Whether a change of a row causes events. */
export function hasRowEvents({ definition }: Pick<EventTrigger, 'definition'>): boolean {
  return operationNames.some((name) => isGiven(definition[name]));
}

function isGiven<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

function operationRules({ definition }: EventTrigger): readonly RuleError[] {
  if (!hasRowEvents({ definition }) && definition.enable_manual !== true) {
    const message = 'at least one of insert, update, delete and enable_manual must be given';
    return [{ path: ['definition'], message }];
  }
  return operationNames.flatMap((name) => listRules(definition[name], ['definition', name]));
}

function listRules(operation: OperationSpec | null | undefined, path: RuleError['path']): readonly RuleError[] {
  const errors: RuleError[] = [];
  if (operation?.columns.length === 0) {
    errors.push({ path: [...path, 'columns'], message: 'found empty column specification' });
  }
  if (operation?.payload?.length === 0) {
    errors.push({ path: [...path, 'payload'], message: 'found empty payload specification' });
  }
  return errors;
}

function webhookRules(trigger: EventTrigger): readonly RuleError[] {
  const { webhook, webhook_from_env: variable, headers, target } = trigger;
  const errors: RuleError[] = [...targetRules(trigger, ['webhook', 'webhook_from_env'])];
  if (isGiven(webhook) && isGiven(variable)) {
    errors.push({ path: [], message: 'only one of webhook or webhook_from_env should be given' });
  } else if (!isGiven(webhook) && !isGiven(variable) && !isGiven(target)) {
    errors.push({ path: [], message: 'must provide webhook or webhook_from_env' });
  }
  if (webhook === '') errors.push({ path: ['webhook'], message: 'must not be empty' });
  if (variable === '') errors.push({ path: ['webhook_from_env'], message: 'must not be empty' });
  if ((webhook?.length ?? 0) > LONGEST_WEBHOOK) {
    errors.push({ path: ['webhook'], message: `must have at most ${LONGEST_WEBHOOK} characters` });
  }
  if ((headers?.length ?? 0) > MOST_HEADERS) {
    errors.push({ path: ['headers'], message: `must have at most ${MOST_HEADERS} elements` });
  }
  return errors;
}

function retryRules({ retry_conf: conf }: EventTrigger): readonly RuleError[] {
  return [
    ...within(conf?.num_retries, ['retry_conf', 'num_retries'], 0),
    ...within(conf?.interval_sec, ['retry_conf', 'interval_sec'], 0),
    ...within(conf?.timeout_sec, ['retry_conf', 'timeout_sec'], 1),
  ];
}

function cleanupRules(config: CleanupConfig | null | undefined): readonly RuleError[] {
  return within(config?.clear_older_than, ['cleanup_config', 'clear_older_than'], 0);
}

/** The rules of members that Hasura v2 does not have. */
function deliveryRules(trigger: EventTrigger): readonly RuleError[] {
  const { batch, debounce, ordering_key: key } = trigger;
  const needRows = (['when', 'ordering_key', 'debounce'] as const).filter((name) => isGiven(trigger[name]));
  return [
    ...(hasRowEvents(trigger)
      ? []
      : needRows.map((name) => ({
          path: [name],
          message: 'has no effect on events that are created manually; leave it out, or add insert, update or delete',
        }))),
    ...within(batch?.max_events, ['batch', 'max_events'], 1, MOST_BATCHED),
    ...within(batch?.max_wait_ms, ['batch', 'max_wait_ms'], 0, LONGEST_WAIT_MS),
    ...within(debounce?.window_ms, ['debounce', 'window_ms'], 1, LONGEST_WINDOW_MS),
    ...(debounce?.key.length === 0 ? [{ path: ['debounce', 'key'], message: noColumn }] : []),
    ...(key?.length === 0 ? [{ path: ['ordering_key'], message: noColumn }] : []),
    ...(isGiven(key) && isGiven(debounce) && String([...key].sort()) !== String([...debounce.key].sort())
      ? [
          {
            path: ['ordering_key'],
            message: 'must have the columns of debounce.key, whose events are delivered in order, or be left out',
          },
        ]
      : []),
  ];
}

function within(
  number: number | null | undefined,
  path: RuleError['path'],
  least: number,
  most = LARGEST,
): readonly RuleError[] {
  if (!isGiven(number) || (number >= least && number <= most)) return [];
  return [{ path, message: number < least ? `must be at least ${least}` : `must be at most ${most}` }];
}
