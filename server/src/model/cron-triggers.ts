/** The stage of resolve for cron triggers: what keeps one from working is listed. Their runs are planned elsewhere. */
import type { Steps } from '../base/steps.ts';
import { validateTrigger } from '../events/cron/trigger.ts';
import type { Draft } from './types/draft.ts';

export function* resolveCronTriggers({ input, report }: Draft): Steps<void> {
  for (const [index, trigger] of (input.metadata.cron_triggers ?? []).entries()) {
    yield;
    const fault = validateTrigger(trigger, input.environment);
    if (fault === undefined) continue;
    report({
      type: 'cron_trigger',
      name: `cron_trigger ${trigger.name}`,
      path: `$.cron_triggers[${index}]${fault.path}`,
      code: fault.code,
      reason: fault.reason,
      definition: trigger,
    });
  }
}
