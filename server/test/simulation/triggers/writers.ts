/** Clients of the simulation that change the table: what they have committed, in the order of the commits. */
import type { World } from '../engine/world.ts';
import type { ItemStatement, ItemTransaction } from './scenario.ts';

/** A committed change of a row. */
export interface CommittedChange {
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly key: string;
  readonly version: number;
  readonly committedAt: number;
  /** Greater than those of earlier statements in the order of commits. Rows of one statement have no order. */
  position: number;
}

export interface Writers {
  readonly committed: readonly CommittedChange[];
  /** Schedules the transaction. */
  begin(transaction: ItemTransaction): void;
  /** Whether all transactions have ended. */
  haveEnded(): boolean;
  /** Rolls back the open transactions. */
  disconnect(): Promise<void>;
}

/** Returns what identifies a change, also in the body of a call. */
export function changeName(operation: string, version: number): string {
  return `${operation} ${version}`;
}

interface OpenTransaction {
  readonly transaction: ItemTransaction;
  readonly changes: Omit<CommittedChange, 'committedAt'>[];
  isLost: boolean;
}

const texts: Readonly<Record<ItemStatement['kind'], string>> = {
  insert: `insert into item (id, key, version) select * from unnest($1::integer[], $2::text[], $3::integer[])
    on conflict do nothing returning key, version`,
  update: `update item i set version = w.version
    from unnest($1::integer[], $2::text[], $3::integer[]) as w (id, key, version) where i.id = w.id returning i.key, i.version`,
  delete: `delete from item i using unnest($1::integer[], $2::text[], $3::integer[]) as w (id, key, version)
    where i.id = w.id returning i.key, i.version`,
};
const operations = { insert: 'INSERT', update: 'UPDATE', delete: 'DELETE' } as const;

export function createWriters(world: World): Writers {
  const { time } = world;
  const committed: CommittedChange[] = [];
  const open = new Set<OpenTransaction>();
  let expected = 0;
  let ended = 0;
  let positions = 0;

  async function execute({ transaction: { client } }: OpenTransaction, text: string): Promise<void> {
    await world.executeAs(client, { text, values: [] });
  }

  async function write(one: OpenTransaction, statement: ItemStatement, place: number): Promise<void> {
    const { kind, rows: written, undone } = statement;
    if (undone) await execute(one, 'savepoint undone');
    const values = [written.map(({ id }) => id), written.map(({ key }) => key), written.map(({ version }) => version)];
    const { rows } = await world.executeAs(one.transaction.client, { text: texts[kind], values });
    if (undone) {
      await execute(one, 'rollback to savepoint undone');
      return;
    }
    for (const [key, version] of rows) {
      one.changes.push({ operation: operations[kind], key: key ?? '', version: Number(version), position: place });
    }
  }

  async function end(one: OpenTransaction): Promise<void> {
    open.delete(one);
    ended += 1;
    const { client, commits, statements } = one.transaction;
    await execute(one, commits ? 'commit' : 'rollback');
    const names = one.changes.map(({ operation, version }) => changeName(operation, version));
    world.log(`client ${client}`, `${commits ? 'commits' : 'rolls back'} ${names.join(', ')}`);
    if (!commits) return;
    for (const change of one.changes) {
      committed.push({ ...change, committedAt: time.now(), position: positions + change.position });
    }
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

  async function start(transaction: ItemTransaction): Promise<void> {
    if (!world.isDatabaseUp()) {
      ended += 1;
      return;
    }
    const one: OpenTransaction = { transaction, changes: [], isLost: false };
    open.add(one);
    await execute(one, 'begin');
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
        await execute(one, 'rollback');
        world.log(`client ${one.transaction.client}`, 'loses its connection');
      }
      open.clear();
    },
  };
}
