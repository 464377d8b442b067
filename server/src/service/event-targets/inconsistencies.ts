/** Inconsistencies of cron triggers and event triggers whose target cannot be run. */
import type { CallTarget } from '@joinery/metadata/schema/events/targets';
import { ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import { reportEventTrigger, writtenTables } from '../../model/inconsistencies/metadata-entries.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Inconsistency } from '../../model/types/inconsistency.ts';
import { checkTarget, type TargetScope } from './check.ts';

/** Returns the inconsistencies, and removes such event triggers from `eventTriggers`, by source: their events stay pending. */
export function* targetInconsistencies(
  scope: TargetScope,
  eventTriggers: ReadonlyMap<string, Map<string, EventTrigger>>,
): Steps<readonly Inconsistency[]> {
  return [...(yield* ofCronTriggers(scope)), ...(yield* ofEventTriggers(scope, eventTriggers))];
}

/** Returns the error of a target; undefined for a valid one. */
function errorOf(target: CallTarget, scope: TargetScope): ServiceError | undefined {
  try {
    checkTarget(target, scope);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function* ofCronTriggers(scope: TargetScope): Steps<readonly Inconsistency[]> {
  const found: Inconsistency[] = [];
  for (const [index, trigger] of (scope.metadata.cron_triggers ?? []).entries()) {
    if (!trigger.target) continue;
    yield;
    const error = errorOf(trigger.target, scope);
    if (error === undefined) continue;
    found.push({
      type: 'cron_trigger',
      name: `cron_trigger ${trigger.name}`,
      path: `$.cron_triggers[${index}].target${error.path.slice(1)}`,
      code: error.code,
      reason: `in its target: ${error.message}`,
      definition: trigger,
    });
  }
  return found;
}

function* ofEventTriggers(
  scope: TargetScope,
  eventTriggers: ReadonlyMap<string, Map<string, EventTrigger>>,
): Steps<readonly Inconsistency[]> {
  const found: Inconsistency[] = [];
  const report = (one: Inconsistency): unknown => found.push(one);
  for (const [index, source] of scope.metadata.sources.entries()) {
    const accepted = eventTriggers.get(source.name);
    for (const written of writtenTables({ source, path: `$.sources[${index}]` })) {
      for (const [place, trigger] of (written.entry.event_triggers ?? []).entries()) {
        if (!trigger.target || accepted?.has(trigger.name) !== true) continue;
        yield;
        const error = errorOf(trigger.target, scope);
        if (error === undefined) continue;
        accepted.delete(trigger.name);
        const inside = `.target${error.path.slice(1)}`;
        reportEventTrigger({ report }, written, place, trigger, error.code, `in its target: ${error.message}`, inside);
      }
    }
  }
  return found;
}
