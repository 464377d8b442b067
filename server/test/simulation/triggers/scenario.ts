/** Scenarios of event triggers: what transactions of clients change, and which events are redelivered. */
import { randomOf } from '../engine/random.ts';
import { type Scenario, scenarioWith } from '../engine/scenario.ts';
import { CLIENTS } from '../engine/virtual-database.ts';

export interface WrittenRow {
  readonly id: number;
  readonly key: string;
  /** Different in all writes of a scenario. */
  readonly version: number;
}

export interface ItemStatement {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly rows: readonly WrittenRow[];
  /** Whether it is undone by a savepoint. */
  readonly undone: boolean;
}

/** A transaction, which may stay open while nodes claim events. Those of a client do not overlap. */
export interface ItemTransaction {
  readonly kind: 'transaction';
  readonly client: number;
  /** Milliseconds since the start. */
  readonly at: number;
  readonly statements: readonly ItemStatement[];
  /** Milliseconds between two of its statements. */
  readonly gapMs: number;
  readonly commits: boolean;
}

/** Redelivers an event of a change that is committed by then. */
export interface Redelivery {
  readonly kind: 'redelivery';
  readonly at: number;
  readonly trigger: number;
  /** Selects the change. */
  readonly choice: number;
}

export interface TriggerCallSettings {
  readonly retries: number;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
}

export interface TriggerScenario extends Scenario<ItemTransaction | Redelivery> {
  /** Of all triggers. */
  readonly call: TriggerCallSettings;
}

/** Returns the scenario of a seed. */
export function triggerScenarioOf(seed: number): TriggerScenario {
  const random = randomOf(seed, 'triggers');
  const base = scenarioWith(seed, [...transactionsOf(seed), ...redeliveriesOf(seed)]);
  return {
    ...base,
    call: {
      retries: random.integer(0, 4),
      intervalSeconds: random.integer(0, 2),
      timeoutSeconds: random.pick([1, 1, 3]),
    },
  };
}

function transactionsOf(seed: number): ItemTransaction[] {
  const random = randomOf(seed, 'transactions');
  const keys = random.integer(1, 3);
  const end = random.between(2_000, 9_000);
  let version = 0;
  return Array.from({ length: CLIENTS }, (_unused, client) => client).flatMap((client) => {
    const transactions: ItemTransaction[] = [];
    const ids: number[] = [];
    let at = random.between(0, 1_500);
    const keyOf = (id: number): string => `key ${id % keys}`;
    const statement = (): ItemStatement => {
      const kind = ids.length === 0 ? 'insert' : random.pick(['insert', 'insert', 'update', 'delete'] as const);
      const rows = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, (): WrittenRow => {
        const id = kind === 'insert' ? client * 1_000 + ids.length : random.pick(ids);
        if (kind === 'insert') ids.push(id);
        version += 1;
        return { id, key: keyOf(id), version };
      });
      const distinct = rows.filter(({ id }, index) => rows.findIndex((one) => one.id === id) === index);
      return { kind, rows: distinct, undone: random.chance(0.1) };
    };
    while (at < end) {
      const statements = Array.from({ length: random.pick([1, 1, 2, 3]) }, statement);
      const gapMs = random.chance(0.4) ? random.between(1, 1_500) : random.between(0.1, 20);
      transactions.push({ kind: 'transaction', client, at, statements, gapMs, commits: random.chance(0.85) });
      at += gapMs * (statements.length + 1) + random.between(50, 2_500);
    }
    return transactions;
  });
}

function redeliveriesOf(seed: number): Redelivery[] {
  const random = randomOf(seed, 'redeliveries');
  return Array.from({ length: random.pick([0, 0, 1, 3]) }, () => ({
    kind: 'redelivery',
    at: random.between(1_000, 12_000),
    trigger: random.integer(1, 2),
    choice: random.integer(0, 1_000),
  }));
}
