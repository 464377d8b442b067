/** A database with captured tables, and claims of their events. */
import { addTrigger, captureStatements, probe, probePath } from '../../../src/events/capture/capture.ts';
import { captureLevel, readCapturedTable } from '../../../src/events/capture/captured-table.ts';
import type { CaptureTrigger } from '../../../src/events/capture/captured-trigger.ts';
import type { Database } from '../../../src/postgres/client/pool.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { queryRows, runStatement } from '../../../src/postgres/sql/rows.ts';
import { sql, value } from '../../../src/postgres/sql/sql.ts';
import { connect, type TestDatabase, testDatabase } from '../database/test-database.ts';

export interface TriggerScene {
  readonly url: string;
  readonly database: Database;
  /** Runs statements. */
  run(text: string): Promise<void>;
  /** Returns the first column of the rows. */
  column(text: string, values?: readonly unknown[]): Promise<(string | null)[]>;
  /** Creates a trigger, or replaces the one with the number, and returns its number. */
  capture(trigger: SceneTrigger): Promise<number>;
  /** Claims events until a claim returns none. */
  claimAll(options?: Partial<ClaimOptions>): Promise<ClaimedRow[]>;
  claim(options?: Partial<ClaimOptions>): Promise<ClaimedRow[]>;
  /** Writes the outcome of the events and returns the ids that were not changed. */
  settle(events: readonly ClaimedRow[], outcome?: Readonly<Record<string, unknown>>): Promise<(string | null)[]>;
  /** Returns a lease that is valid for an hour. */
  lease(): Promise<string>;
  /** Opens a connection of its own. */
  connect(): Database;
  drop(): Promise<void>;
}

export interface SceneTrigger
  extends Partial<Pick<CaptureTrigger, 'operations' | 'orderingKey' | 'replication' | 'number' | 'level'>> {
  /** In the schema `public`, unless `schema` is given. */
  readonly table: string;
  readonly schema?: string;
  /** The window of a debounce of `orderingKey`. */
  readonly debounceMs?: number;
}

export interface ClaimOptions {
  readonly lease: string;
  readonly most: number;
  readonly mostEach: number;
  readonly limits: Readonly<Record<string, number>> | null;
  readonly except: readonly number[];
  readonly inline: number;
  readonly query: Query;
}

const columns = [
  'number',
  'seq',
  'segment',
  'batch',
  'id',
  'op',
  'old',
  'new',
  'large',
  'outdated',
  'session',
  'trace',
  'ordering_key',
  'created_at',
  'due_ms',
  'tries',
  'requeued_ms',
  'requeued_tries',
  'bytes',
] as const;

export type ClaimedRow = Readonly<Record<(typeof columns)[number], string | null>> & { readonly lease: string };

const all: CaptureTrigger['operations'] = {
  insert: { payload: '*' },
  update: { payload: '*', listened: '*' },
  delete: { payload: '*' },
};

/** Creates a database with the tables of event triggers and runs the statements in it. */
export async function triggerScene(text = ''): Promise<TriggerScene> {
  const db: TestDatabase = await testDatabase({ source: true });
  const { database } = db;
  const opened: Database[] = [];
  let ownLease: string | undefined;
  let names = 0;

  const run = async (statements: string): Promise<void> => {
    await database.query({ text: statements, values: [] });
  };
  const column = async (statement: string, values: readonly unknown[] = []): Promise<(string | null)[]> =>
    (await database.query({ text: statement, values })).rows.map(([cell]) => cell ?? null);
  if (text !== '') await run(text);

  const lease = async (): Promise<string> => {
    const [id] = await column(
      `insert into joinery.source_leases (node, expires_at) values ('test', now() + interval '1 hour') returning id`,
    );
    return id ?? '';
  };

  async function capture(given: SceneTrigger): Promise<number> {
    const { operations = all, orderingKey, replication = false, debounceMs } = given;
    const table = { schema: given.schema ?? 'public', name: given.table };
    return database.transaction(async (query) => {
      const found = await readCapturedTable(query, table);
      if (found === undefined) throw new Error(`no table ${given.table}`);
      names += 1;
      const number =
        given.number ??
        Number(
          (await queryRows(query, addTrigger(`trigger ${names}`, table, orderingKey !== undefined), ['number']))[0]
            ?.number,
        );
      const trigger: CaptureTrigger = {
        number,
        table,
        operations,
        columns: found.columns,
        layout: found.layout,
        orderingKey,
        debounced: debounceMs !== undefined,
        level: given.level ?? captureLevel(found, replication),
        replication,
      };
      for (const statement of captureStatements(
        trigger,
        JSON.stringify({ table, operations: Object.keys(operations), given: Object.values(operations) }),
      ))
        await runStatement(query, statement);
      await runStatement(query, probePath);
      await runStatement(query, probe(trigger));
      await runStatement(
        query,
        sql`update joinery.triggers set debounce_ms = ${value(debounceMs ?? null)}::integer where number = ${value(number)}`,
      );
      return number;
    });
  }

  async function claim(options: Partial<ClaimOptions> = {}): Promise<ClaimedRow[]> {
    ownLease ??= await lease();
    const holder = options.lease ?? ownLease;
    const {
      most = 1000,
      mostEach = 1000,
      limits = null,
      except = [],
      inline = 16_384,
      query = database.query,
    } = options;
    const rows = await queryRows(
      query,
      sql`select * from joinery.claim_trigger_events(${value(holder)}, '0', ${value(most)}, ${value(mostEach)},
        ${value(limits && JSON.stringify(limits))}, ${value(except)}::integer[], ${value(inline)})`,
      columns,
    );
    // A row without a number is the end of the next window of a debounce.
    return rows.filter((row) => row.number !== null).map((row) => ({ ...row, lease: holder }));
  }

  return {
    url: db.url,
    database,
    run,
    column,
    capture,
    claim,
    lease,
    async claimAll(options) {
      const claimed: ClaimedRow[] = [];
      for (;;) {
        // A claim makes events of packed statements for the next one.
        const [isPacked] = await column(
          'select bool_or(joinery.has_packed_statements(s.number, s.segment)) from joinery.trigger_segments s',
        );
        const events = await claim(options);
        if (events.length === 0 && isPacked !== 't') return claimed;
        claimed.push(...events);
      }
    },
    settle: (events, outcome = { status: 'delivered' }) =>
      column('select joinery.settle_trigger_events($1, $2)', [
        JSON.stringify(
          events.map(({ number, seq, segment, batch, id, lease: holder, tries }) => ({
            ...{ number, seq, segment, batch, id, lease: holder, attempt: Number(tries) + 1 },
            ...{ started_ms: Date.now(), duration_ms: 1, code: 200, request: {}, response: {} },
            ...outcome,
          })),
        ),
        'test',
      ]),
    connect() {
      const connection = connect(db.url, 1);
      opened.push(connection);
      return connection;
    },
    async drop() {
      await Promise.all(opened.map((connection) => connection.close()));
      await db.drop();
    },
  };
}

/** Returns what an event has as `[op, old, new]`, parsed. */
export function change({ op, old, new: fresh }: ClaimedRow): readonly unknown[] {
  return [op, old === null ? null : JSON.parse(old), fresh === null ? null : JSON.parse(fresh)];
}
