/** Scenarios of asynchronous actions: when clients call them. */
import { randomOf } from '../engine/random.ts';
import { DESTINATIONS, type Failure, type Scenario, scenarioWith } from '../engine/scenario.ts';

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
  const scenario = scenarioWith(seed, requests);
  return {
    ...scenario,
    failures: [...scenario.failures, ...outlivedCalls(seed, scenario)],
    // Handlers have limits of their own.
    concurrency: undefined,
    circuitFailures: 0,
    retries: random.integer(0, 4),
    retryIntervalSeconds: random.integer(0, 2),
    timeoutSeconds: random.pick([1, 1, 3]),
  };
}

/** A third of the scenarios with failures and several nodes has calls whose outcomes are stored when other nodes have called again. */
function outlivedCalls(seed: number, { failures, nodes }: Scenario): readonly Failure[] {
  const random = randomOf(seed, 'outlived');
  if (failures.length === 0 || nodes < 2 || !random.chance(0.33)) return [];
  return Array.from({ length: random.integer(1, 2) }, (): Failure => {
    return { kind: 'outlived', node: random.integer(0, nodes - 1), call: random.integer(0, 5) };
  });
}
