/** The kinds of simulations. */
import { actionScenarioOf } from './actions/scenario.ts';
import { createActionWorkload } from './actions/workload.ts';
import { installBatches } from './batches/install.ts';
import { batchScenarioOf } from './batches/scenario.ts';
import { createBatchWorkload } from './batches/workload.ts';
import { cronScenarioOf } from './cron/scenario.ts';
import { createCronWorkload } from './cron/workload.ts';
import type { Scenario } from './engine/scenario.ts';
import { type SimulationResult, simulate } from './engine/simulation.ts';
import { createVirtualDatabase, type VirtualDatabase } from './engine/virtual-database.ts';
import type { Workload, WorkloadContext } from './engine/workload.ts';
import { scheduledScenarioOf } from './scheduled/scenario.ts';
import { createScheduledWorkload } from './scheduled/workload.ts';
import { installTriggers } from './triggers/install.ts';
import { triggerScenarioOf } from './triggers/scenario.ts';
import { createTriggerWorkload } from './triggers/workload.ts';

/** A scenario that can be run, and reduced. */
export interface Simulation {
  readonly scenario: Scenario;
  /** Runs the scenario of this simulation, or a part of it. */
  run(database: VirtualDatabase, scenario?: Scenario): Promise<SimulationResult>;
}

function simulationOf<Whole extends Scenario>(
  scenarioOf: (seed: number) => Whole,
  createWorkload: (context: WorkloadContext, scenario: Whole) => Workload,
): (seed: number) => Simulation {
  return (seed) => {
    const whole = scenarioOf(seed);
    return {
      scenario: whole,
      run: (database, part = whole) => {
        const scenario: Whole = { ...whole, ...part };
        return simulate(scenario, (context) => createWorkload(context, scenario), database);
      },
    };
  };
}

export const kinds = {
  scheduled: simulationOf(scheduledScenarioOf, createScheduledWorkload),
  cron: simulationOf(cronScenarioOf, createCronWorkload),
  triggers: simulationOf(triggerScenarioOf, createTriggerWorkload),
  actions: simulationOf(actionScenarioOf, createActionWorkload),
  batches: simulationOf(batchScenarioOf, createBatchWorkload),
} satisfies Readonly<Record<string, (seed: number) => Simulation>>;

export type Kind = keyof typeof kinds;

export function isKind(name: string): name is Kind {
  return Object.hasOwn(kinds, name);
}

/** Creates a database for simulations of all kinds. */
export function createSimulationDatabase(): Promise<VirtualDatabase> {
  return createVirtualDatabase(async (database) => {
    await installTriggers(database);
    await installBatches(database);
  });
}
