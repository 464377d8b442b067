/** The connection of a node to the database, with the failures of the scenario: each statement is executed at once, or at a failure. */
import { ServiceError } from '../../../src/base/errors.ts';
import type { Database } from '../../../src/postgres/client/pool.ts';
import type { QueryResult, QueryRun } from '../../../src/postgres/client/statement-run.ts';
import type { NodeProcess } from './node-process.ts';
import { type Random, randomOf } from './random.ts';
import type { StatementFailure } from './scenario.ts';
import type { World } from './world.ts';

export interface DatabaseLink {
  readonly database: Database;
  /** The leases that the node has deleted. */
  readonly removedLeases: ReadonlySet<string>;
  /** When the clock was read whose result the node has received; negative infinity if never. */
  clockReadAt(of: ClockUser): number;
  /** Results that the node has received of reads of the limits of destinations, the last at the end. */
  readonly limitReads: readonly ReceivedResult[];
  /** Whether a statement that was sent until `sentBy` is open, or has ended within the last milliseconds. */
  hasWaited(sentBy: number, withinMs: number): boolean;
  /** When the node was permitted to probe a destination with an open circuit. */
  readonly probes: readonly { readonly destination: string; readonly at: number }[];
}

/** Delivery of scheduled events, and that of event triggers. */
export type ClockUser = 'events' | 'triggers';

interface ReceivedResult {
  readonly executedAt: number;
  readonly receivedAt: number;
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
  const clockReads = { events: Number.NEGATIVE_INFINITY, triggers: Number.NEGATIVE_INFINITY };
  const limitReads: ReceivedResult[] = [];
  const statements: { readonly sentAt: number; endedAt: number | undefined }[] = [];
  const probes: { destination: string; at: number }[] = [];

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
    if (/delete from joinery\.(event|source)_leases/.test(run.text)) removedLeases.add(String(run.values[0]));
    if (isProbe(run.text) && result.rowCount > 0) probes.push({ destination: probedOf(run), at: time.now() });
    // In an order of their own: that of PostgreSQL depends on where rows are stored. A row without a first value is the last one: the next
    // window of a debounce.
    const order = (row: QueryResult['rows'][number]): string => `${row[0] === null ? 1 : 0} ${row.join()}`;
    return { ...result, rows: [...result.rows].sort((a, b) => (order(a) < order(b) ? -1 : 1)) };
  }

  function received(text: string, executedAt: number): void {
    if (text.includes('joinery.event_ahead()')) clockReads.events = executedAt;
    else if (/^select extract\(epoch from clock_timestamp\(\)\) \* 1000 as/.test(text))
      clockReads.triggers = executedAt;
    else if (text.includes('from joinery.event_destinations order by')) {
      limitReads.push({ executedAt, receivedAt: time.now() });
    }
  }

  function rejectedBy(error: unknown, run: QueryRun | string): void {
    const statement = typeof run === 'string' ? run : `${run.text} ${JSON.stringify(run.values)}`;
    world.violate(`the database rejects a statement of ${process.name}: ${String(error)}: ${statement}`);
  }

  /** Runs `work` at the server, unless the failure of this statement or transaction prevents it. */
  function send<T>(what: string, settings: Sent<T>): Promise<T> {
    const number = nextNumber();
    const random = randomOf(scenario.seed, 'statement', node, number);
    const failure = failureOf(number);
    const sentAt = time.now();
    const statement: (typeof statements)[number] = { sentAt, endedAt: undefined };
    statements.push(statement);
    const settled = new Promise<T>((resolve, reject) => {
      const lose = (): void => {
        world.log(process.name, `${what} fails${failure === undefined ? '' : `: ${failure}`}`);
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
          if (world.isDatabaseUp() && world.failedOverAt() < sentAt) await settings.late?.();
        });
        return;
      }
      const toServer = latencyOf(random) + (failure === 'slow' ? random.between(100, 3_000) : 0);
      time.after(toServer, async () => {
        if (process.isDead() && random.chance(0.5)) return;
        if (world.brokeSince(node, sentAt)) return lose();
        const executedAt = time.now();
        try {
          const result = await settings.execute();
          if (failure === 'result lost') return lose();
          process.after(latencyOf(random), () => {
            if (world.brokeSince(node, sentAt)) return reject(connectionLost());
            settings.received?.(executedAt);
            resolve(result);
          });
        } catch (error) {
          settings.failed(error);
        }
      });
    });
    return settled.finally(() => {
      statement.endedAt = time.now();
    });
  }

  function query(run: QueryRun): Promise<QueryResult> {
    return send(labelOf(run.text), {
      execute: () => execute(run, ''),
      late: async () => {
        await execute(run, ' (late)');
      },
      received: (executedAt) => received(run.text, executedAt),
      failed: (error) => rejectedBy(error, run),
    });
  }

  /** Runs the whole transaction at one time, as under a lock. It is lost as a whole, or only its result is. */
  function transaction<T>(work: (query: Database['query']) => Promise<T>): Promise<T> {
    const statement = (text: string): Promise<QueryResult> => world.execute({ text, values: [] });
    return send('a transaction', {
      async execute() {
        await statement('begin');
        const result = await process.enter(() => work((run) => execute(run, ' (in a transaction)')));
        await statement('commit');
        return result;
      },
      failed: (error) => rejectedBy(error, 'a transaction'),
    });
  }

  const unused = (): never => {
    throw new Error('the simulation does not support sessions');
  };
  return {
    removedLeases,
    clockReadAt: (of) => clockReads[of],
    limitReads,
    hasWaited: (sentBy, withinMs) => {
      return statements.some(({ sentAt, endedAt }) => {
        return sentAt <= sentBy && (endedAt === undefined || endedAt > time.now() - withinMs);
      });
    },
    probes,
    database: {
      query,
      transaction,
      session: unused,
      prepared: () => undefined,
      stats: unused,
      close: async () => undefined,
    },
  };
}

interface Sent<T> {
  /** Executes it at the server. */
  readonly execute: () => Promise<T>;
  /** Executes it at the server after its node has seen a failure. */
  readonly late?: () => Promise<void>;
  readonly received?: (executedAt: number) => void;
  readonly failed: (error: unknown) => void;
}

/** Whether the statement acquires a probe: see `createCircuitBreakers`. */
function isProbe(text: string): boolean {
  return text.includes('update joinery.event_destinations set probe_at') && text.includes('returning 1');
}

function probedOf({ values }: QueryRun): string {
  return String(values.find((one) => typeof one === 'string' && one.includes('://')));
}

function latencyOf(random: Random): number {
  return random.chance(0.03) ? random.between(5, 200) : random.between(0.1, 2);
}

/** Returns the first words of a statement, for the trace. */
function labelOf(text: string): string {
  const called = /joinery\.(\w+)\(/.exec(text)?.[1];
  return called ?? text.replace(/\s+/g, ' ').slice(0, 45);
}
