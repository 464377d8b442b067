/** Clients of the simulation that change the table `bulk`: what they have committed, in the order of the commits. */
import type { World } from '../engine/world.ts';
import type { BulkStatement, BulkTransaction } from './scenario.ts';

/** A committed change of a row. */
export interface BulkChange {
  /** See `changeName`. */
  readonly name: string;
  readonly key: string;
  /** Greater than those of earlier statements in the order of commits. Rows of one statement have no order. */
  readonly position: number;
}

export interface BulkWriters {
  /** By name. */
  readonly committed: ReadonlyMap<string, BulkChange>;
  begin(transaction: BulkTransaction): void;
  haveEnded(): boolean;
  /** Rolls back the open transactions. */
  disconnect(): Promise<void>;
}

/** Returns what identifies a change, also in the body of a call. */
export function changeName(id: number, version: number): string {
  return `${id}/${version}`;
}

interface OpenTransaction {
  readonly transaction: BulkTransaction;
  readonly changes: BulkChange[];
  isLost: boolean;
}

const texts: Readonly<Record<BulkStatement['kind'], string>> = {
  insert: `insert into bulk (id, key, version) select id, $3, $4 from generate_series($1::integer, $2::integer) id
    returning id, key`,
  update: `update bulk set version = $4 where id between $1::integer and $2::integer and key = $3 returning id, key`,
};

export function createBulkWriters(world: World): BulkWriters {
  const { time } = world;
  const committed = new Map<string, BulkChange>();
  const open = new Set<OpenTransaction>();
  let expected = 0;
  let ended = 0;
  let positions = 0;

  async function write(one: OpenTransaction, statement: BulkStatement, place: number): Promise<void> {
    const { kind, from, rows: count, key, version } = statement;
    const values = [from, from + count - 1, key, version];
    const { rows } = await world.executeAs(one.transaction.client, { text: texts[kind], values });
    for (const [id, written] of rows) {
      one.changes.push({ name: changeName(Number(id), version), key: written ?? '', position: place });
    }
  }

  async function end(one: OpenTransaction): Promise<void> {
    open.delete(one);
    ended += 1;
    const { client, commits, statements } = one.transaction;
    await world.executeAs(client, { text: commits ? 'commit' : 'rollback', values: [] });
    world.log(`client ${client}`, `${commits ? 'commits' : 'rolls back'} ${one.changes.length} changes`);
    if (!commits) return;
    for (const change of one.changes) committed.set(change.name, { ...change, position: positions + change.position });
    positions += statements.length;
  }

  /** Each step at its time, unless the connection was lost before. */
  function step(one: OpenTransaction, place: number): void {
    time.after(one.transaction.gapMs, async () => {
      if (one.isLost) return;
      const statement = one.transaction.statements[place];
      if (statement === undefined) return end(one);
      await write(one, statement, place);
      step(one, place + 1);
    });
  }

  async function start(transaction: BulkTransaction): Promise<void> {
    if (!world.isDatabaseUp()) {
      ended += 1;
      return;
    }
    const one: OpenTransaction = { transaction, changes: [], isLost: false };
    open.add(one);
    await world.executeAs(transaction.client, { text: 'begin', values: [] });
    step(one, 0);
  }

  return {
    committed,
    begin(transaction) {
      expected += 1;
      time.at(transaction.at, () => start(transaction));
    },
    haveEnded: () => ended === expected,
    async disconnect() {
      for (const one of open) {
        one.isLost = true;
        ended += 1;
        await world.executeAs(one.transaction.client, { text: 'rollback', values: [] });
        world.log(`client ${one.transaction.client}`, 'loses its connection');
      }
      open.clear();
    },
  };
}
