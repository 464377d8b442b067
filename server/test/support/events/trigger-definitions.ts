/** Definitions of event triggers for delivery. */
import {
  readRequestTransform,
  readResponseTransform,
  type WrittenRequestTransform,
  type WrittenResponseTransform,
} from '../../../src/base/templates/transform.ts';
import type { TriggerDefinition } from '../../../src/events/triggers/trigger.ts';

type Call = TriggerDefinition['webhook'];

export interface SceneDefinition
  extends Partial<Omit<TriggerDefinition, 'webhook'>>,
    Partial<Pick<Call, 'headers' | 'signing' | 'url'>> {
  /** Default: no retries. */
  readonly retry?: Partial<Call['retry']>;
  readonly requestTransform?: WrittenRequestTransform;
  readonly responseTransform?: WrittenResponseTransform;
}

/** Returns the definition of a trigger `placed` of the table `order` without the members that are not given. */
export function triggerDefinition(given: SceneDefinition = {}): TriggerDefinition {
  const { headers = [], signing, url = { template: '{{HOOKS}}/placed' }, retry, ...rest } = given;
  const { requestTransform: request, responseTransform: response, ...members } = rest;
  return {
    name: 'placed',
    table: { schema: 'public', name: 'order' },
    operations: new Map(),
    batch: undefined,
    ...members,
    webhook: {
      target: undefined,
      url,
      headers,
      signing,
      retry: { num_retries: 0, interval_sec: 10, timeout_sec: 60, ...retry },
      requestTransform: request && readRequestTransform(request),
      responseTransform: response && readResponseTransform(response),
    },
  };
}
