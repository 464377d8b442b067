/** Reduces a scenario that breaks a rule to few events, failures and nodes that still break one. */
import type { Scenario } from './engine/scenario.ts';
import type { SimulationResult } from './engine/simulation.ts';

export interface Reduced {
  readonly scenario: Scenario;
  readonly result: SimulationResult;
}

/** Leaves out parts, the largest first, as long as a rule of the same kind is broken. `run` must be deterministic. */
export async function reduce(
  scenario: Scenario,
  run: (scenario: Scenario) => Promise<SimulationResult>,
): Promise<Reduced> {
  let best: Reduced = { scenario, result: await run(scenario) };
  const kind = kindOf(best.result);

  async function attempt(smaller: Scenario): Promise<boolean> {
    const result = await run(smaller);
    if (kindOf(result) !== kind) return false;
    best = { scenario: smaller, result };
    return true;
  }

  async function shorten(part: 'events' | 'failures'): Promise<void> {
    for (let size = Math.ceil(best.scenario[part].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < best.scenario[part].length; ) {
        const { scenario: present } = best;
        const rest = [...present[part].slice(0, from), ...present[part].slice(from + size)];
        if (!(await attempt({ ...present, [part]: rest }))) from += size;
      }
    }
  }

  if (kind === undefined) return best;
  await shorten('failures');
  await shorten('events');
  await shorten('failures');
  while (best.scenario.nodes > 1 && (await attempt({ ...best.scenario, nodes: best.scenario.nodes - 1 })));
  if (best.scenario.failingWebhooks > 0) await attempt({ ...best.scenario, failingWebhooks: 0 });
  return best;
}

/** The rule of the first violation, which its message begins with. */
function kindOf({ violations }: SimulationResult): string | undefined {
  return violations[0]?.split(':')[0];
}
