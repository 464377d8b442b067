/** The connection of a node to the database, with the failures of the scenario: each statement is executed at once, or at a failure. */
import { ServiceError } from '../../src/base/errors.ts';
import type { Database } from '../../src/postgres/client/pool.ts';
import type { QueryResult, QueryRun } from '../../src/postgres/client/statement-run.ts';
import type { NodeProcess } from './node-process.ts';
import { type Random, randomOf } from './random.ts';
import type { StatementFailure } from './scenario.ts';
import type { World } from './world.ts';

export interface DatabaseLink {
  readonly database: Database;
  /** The leases that the node has deleted. */
  readonly removedLeases: ReadonlySet<string>;
  /** When the clock was read whose result the node has received; negative infinity if never. */
  clockReadAt(): number;
}

export interface DatabaseLinkSettings {
  readonly world: World;
  readonly process: NodeProcess;
  readonly node: number;
  /** Returns the number of the next statement of the node, from 0, counted over all its processes. */
  readonly nextNumber: () => number;
  /** Errors that are part of the scenario. */
  readonly expected: WeakSet<object>;
}

export function createDatabaseLink({ world, process, node, nextNumber, expected }: DatabaseLinkSettings): DatabaseLink {
  const { scenario, time } = world;
  const removedLeases = new Set<string>();
  let clockReadAt = Number.NEGATIVE_INFINITY;

  function failureOf(number: number): StatementFailure | undefined {
    for (const one of scenario.failures) {
      if (one.kind === 'statement' && one.node === node && one.number === number) return one.failure;
    }
    return undefined;
  }

  function connectionLost(): Error {
    const error = new ServiceError('busy', 'the database is not reachable; try again');
    expected.add(error);
    return error;
  }

  function canceled(): Error {
    const error = Object.assign(new Error('canceling statement due to user request'), {
      severity: 'ERROR',
      code: '57014',
    });
    expected.add(error);
    return error;
  }

  async function execute(run: QueryRun, note: string): Promise<QueryResult> {
    const result = await world.execute(run);
    const rows = result.rows.map((row) => row.join()).sort();
    world.log(process.name, `${labelOf(run.text)}${note} ${JSON.stringify(run.values)} -> ${rows.join('; ')}`);
    if (run.text.includes('delete from joinery.event_leases')) removedLeases.add(String(run.values[0]));
    // In an order of their own: that of PostgreSQL depends on where rows are stored.
    return { ...result, rows: [...result.rows].sort((a, b) => (a.join() < b.join() ? -1 : 1)) };
  }

  function query(run: QueryRun): Promise<QueryResult> {
    const number = nextNumber();
    const random = randomOf(scenario.seed, 'statement', node, number);
    const failure = failureOf(number);
    const sentAt = time.now();
    return new Promise((resolve, reject) => {
      const lose = (): void => {
        world.log(process.name, `${labelOf(run.text)} fails${failure === undefined ? '' : `: ${failure}`}`);
        process.after(random.chance(0.3) ? random.between(500, 3_000) : random.between(0.1, 50), () => {
          reject(connectionLost());
        });
      };
      if (failure === 'not sent' || !world.isReachable(node)) return lose();
      if (failure === 'canceled') {
        process.after(random.between(1, 1_000), () => reject(canceled()));
        return;
      }
      if (failure === 'executed later') {
        lose();
        time.after(random.between(50, 5_000), async () => {
          if (world.isDatabaseUp()) await execute(run, ' (late)');
        });
        return;
      }
      const toServer = latencyOf(random) + (failure === 'slow' ? random.between(100, 3_000) : 0);
      time.after(toServer, async () => {
        if (process.isDead() && random.chance(0.5)) return;
        if (world.brokeSince(node, sentAt)) return lose();
        const executedAt = time.now();
        try {
          const result = await execute(run, '');
          if (failure === 'result lost') return lose();
          process.after(latencyOf(random), () => {
            if (world.brokeSince(node, sentAt)) return reject(connectionLost());
            if (run.text.includes('joinery.event_ahead()')) clockReadAt = executedAt;
            resolve(result);
          });
        } catch (error) {
          world.violate(
            `the database rejects a statement of ${process.name}: ${String(error)}: ${run.text} ${JSON.stringify(run.values)}`,
          );
        }
      });
    });
  }

  const unused = (): never => {
    throw new Error('the simulation supports single statements only');
  };
  return {
    removedLeases,
    clockReadAt: () => clockReadAt,
    database: {
      query,
      transaction: unused,
      session: unused,
      prepared: () => undefined,
      stats: unused,
      close: async () => undefined,
    },
  };
}

function latencyOf(random: Random): number {
  return random.chance(0.03) ? random.between(5, 200) : random.between(0.1, 2);
}

/** Returns the first words of a statement, for the trace. */
function labelOf(text: string): string {
  const called = /joinery\.(\w+)\(/.exec(text)?.[1];
  return called ?? text.replace(/\s+/g, ' ').slice(0, 45);
}
