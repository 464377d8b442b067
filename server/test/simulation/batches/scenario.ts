/** Scenarios of batches and debounces: statements on few and on many rows, and replacements of segments. */
import { randomOf } from '../engine/random.ts';
import { type Scenario, scenarioWith } from '../engine/scenario.ts';
import { CLIENTS } from '../engine/virtual-database.ts';
import { BATCHED, DEBOUNCED } from './install.ts';

/** A statement that inserts rows, or updates those of an earlier one. Its version is in each row. */
export interface BulkStatement {
  readonly kind: 'insert' | 'update';
  readonly version: number;
  readonly key: string;
  /** The ids of its rows are those from `from` on. */
  readonly from: number;
  readonly rows: number;
}

export interface BulkTransaction {
  readonly kind: 'transaction';
  readonly client: number;
  readonly at: number;
  readonly statements: readonly BulkStatement[];
  /** Milliseconds between two of its statements. */
  readonly gapMs: number;
  readonly commits: boolean;
}

/** Replaces the segment of a trigger, and advances those that were replaced. */
export interface Rotation {
  readonly kind: 'rotation';
  readonly at: number;
  readonly trigger: number;
}

export interface BatchScenario extends Scenario<BulkTransaction | Rotation> {
  readonly maxEvents: number;
  readonly maxWaitMs: number;
  readonly retries: number;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
}

/** More than the number above which a statement is stored packed. */
const MANY = 120;

/** Returns the scenario of a seed. */
export function batchScenarioOf(seed: number): BatchScenario {
  const random = randomOf(seed, 'batches');
  const base = scenarioWith(seed, [...transactionsOf(seed), ...rotationsOf(seed)]);
  // A failover does not restore tables: segments that were created in the lost time would remain.
  const failures = base.failures.map((one) => (one.kind === 'failover' ? { ...one, lossMs: 0 } : one));
  return {
    ...base,
    failures,
    maxEvents: random.pick([2, 5, 20]),
    maxWaitMs: random.pick([0, 200, 2_000]),
    retries: random.integer(0, 3),
    intervalSeconds: random.integer(0, 2),
    timeoutSeconds: random.pick([1, 1, 3]),
  };
}

function transactionsOf(seed: number): BulkTransaction[] {
  const random = randomOf(seed, 'bulk transactions');
  const end = random.between(2_000, 8_000);
  const keys = random.integer(1, 4);
  let version = 0;
  let nextId = 1;
  let packed = random.pick([0, 1, 1, 2]);
  return Array.from({ length: CLIENTS }, (_unused, client) => client).flatMap((client) => {
    const transactions: BulkTransaction[] = [];
    const inserted: BulkStatement[] = [];
    const statement = (): BulkStatement => {
      version += 1;
      const known = inserted.length > 0 && random.chance(0.4) ? random.pick(inserted) : undefined;
      if (known !== undefined) return { ...known, kind: 'update', version };
      const isPacked = packed > 0 && random.chance(0.3);
      if (isPacked) packed -= 1;
      const rows = isPacked ? MANY : random.integer(1, 4);
      const made = { kind: 'insert', version, key: `key ${random.integer(1, keys)}`, from: nextId, rows } as const;
      nextId += rows;
      inserted.push(made);
      return made;
    };
    for (let at = random.between(0, 1_500); at < end; ) {
      const statements = Array.from({ length: random.pick([1, 1, 2, 3]) }, statement);
      const gapMs = random.chance(0.3) ? random.between(1, 1_500) : random.between(0.1, 20);
      transactions.push({ kind: 'transaction', client, at, statements, gapMs, commits: random.chance(0.85) });
      at += gapMs * (statements.length + 1) + random.between(50, 2_500);
    }
    return transactions;
  });
}

function rotationsOf(seed: number): Rotation[] {
  const random = randomOf(seed, 'rotations');
  return Array.from({ length: random.pick([0, 1, 2, 4]) }, () => ({
    kind: 'rotation',
    at: random.between(500, 9_000),
    trigger: random.pick([BATCHED, DEBOUNCED]),
  }));
}
