/** Scenarios of asynchronous actions: when clients call them. */
import { randomOf } from '../engine/random.ts';
import { DESTINATIONS, type Scenario, scenarioWith } from '../engine/scenario.ts';

export interface ActionRequest {
  /** The argument of the action. */
  readonly number: number;
  readonly at: number;
  /** The number of the action. */
  readonly action: number;
}

export interface ActionScenario extends Scenario<ActionRequest> {
  readonly retries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
}

/** Returns the scenario of a seed. */
export function actionScenarioOf(seed: number): ActionScenario {
  const random = randomOf(seed, 'actions');
  const requests = Array.from({ length: random.integer(5, 25) }, (_unused, number): ActionRequest => {
    return { number, at: random.between(0, 9_000), action: random.integer(0, DESTINATIONS - 1) };
  });
  return {
    ...scenarioWith(seed, requests),
    // Handlers have limits of their own.
    concurrency: undefined,
    circuitFailures: 0,
    retries: random.integer(0, 4),
    retryIntervalSeconds: random.integer(0, 2),
    timeoutSeconds: random.pick([1, 1, 3]),
  };
}
