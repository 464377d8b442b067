/**
 * 10,000 random requests of a restricted role and of an inherited role, compared with the rows that the role may see
 * according to SQL views. The oracle (oracle.ts) reads views that repeat the row rules and computes results in memory; it
 * shares no code with the compiler. Half of the queries run for two callers of a role at once, with their reads merged into one
 * statement. `FUZZ_SEED=<number>` selects other requests, `FUZZ_SEED=random` new ones on each run; a
 * failure reports its seed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorCodes } from '../../src/base/errors.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';
import { difference } from './compare.ts';
import { generateRoots } from './generate.ts';
import { damage, generateInvalid } from './invalid.ts';
import { generateMutation, ME, type Note, type Notes } from './mutations.ts';
import { expectedRoots } from './oracle.ts';
import { type Printed, printRoots } from './print.ts';
import { type Random, randomFrom } from './random.ts';
import {
  type Caller,
  callers,
  fuzzMetadata,
  fuzzSql,
  inheritingCallers,
  MARKER,
  readVisibleRows,
  sessionOf,
  type VisibleRows,
} from './tables.ts';

const QUERIES = 6_200;
const INVALID = 1_800;
const DAMAGED = 1_000;
const MUTATIONS = 1_000;
/** The number of concurrent requests. */
const CONCURRENCY = 4;
/** The number of requests bounds a test; its duration depends on the machine. Each request has a deadline. */
const unlimited = { timeout: 0 };
const REQUEST_DEADLINE_MS = 30_000;

const seedSetting = process.env.FUZZ_SEED ?? '1';
const seed = seedSetting === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(seedSetting);

const notes = `insert into note select n, case when n <= 10 then ${ME} else 2 end,
  case when n <= 10 then 'note ' || n else '${MARKER} body ' || n end, n from generate_series(1, 20) n`;

let db: TestDatabase;
let engine: Engine;
/** Merges every read that can be merged. */
let merging: Engine;
let views: readonly { readonly caller: Caller; readonly visible: VisibleRows }[];

beforeAll(async () => {
  expect(Number.isInteger(seed), 'FUZZ_SEED is a whole number, or random').toBe(true);
  db = await testDatabase({ sql: fuzzSql + notes });
  engine = await startEngine({ metadata: fuzzMetadata, databases: { default: db.database } });
  merging = await startEngine({ metadata: fuzzMetadata, databases: { default: db.database }, merging: 'always' });
  expect(engine.inconsistencies).toEqual([]);
  views = await Promise.all(
    [...callers, ...inheritingCallers].map(async (caller) => ({
      caller,
      visible: await readVisibleRows(db.database, caller),
    })),
  );
});
afterAll(async () => {
  await engine?.close();
  await merging?.close();
  await db?.drop();
});

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly path: string };
  }[];
}

/** Rejects when the deadline of a request has passed. */
async function deadline(): Promise<never> {
  await sleep(REQUEST_DEADLINE_MS, undefined, { ref: false });
  throw new Error(`the request takes longer than ${REQUEST_DEADLINE_MS} ms`);
}

/** Returns the response. Asserts that it contains no value that is hidden from the role `user`. */
async function send({ query, variables }: Printed, caller: Caller, through = engine): Promise<Body> {
  const request = through.execute({ query, variables, role: caller.role, session: sessionOf(caller) });
  const { body } = await Promise.race([request, deadline()]);
  const hidden = caller.role === 'user' && body.includes(MARKER);
  expect(hidden, `the response contains a hidden value: ${body.slice(0, 500)}`).toBe(false);
  return JSON.parse(body) as Body;
}

/** Asserts that the code is in the catalog and not that of an unexpected error. */
function expectRejection({ errors }: Body): void {
  const { code, path } = errors?.[0]?.extensions ?? {};
  expect(Object.keys(errorCodes)).toContain(code);
  expect(code).not.toBe('unexpected');
  expect(path).toMatch(/^\$/);
}

type Recorder = (printed: Printed) => Printed;

/** Runs `one` with a random generator for each number, some concurrently. An error reports the seed and the request. */
async function run(
  kind: number,
  count: number,
  one: (random: Random, record: Recorder) => Promise<void>,
  concurrency = CONCURRENCY,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      let shown = '';
      const record: Recorder = (printed) => {
        shown = `${printed.query}\n${JSON.stringify(printed.variables)}`;
        return printed;
      };
      await one(randomFrom(seed * 7_919 + kind * 104_729 + number * 15_485_863), record).catch((error: unknown) => {
        next = count;
        throw new Error(`FUZZ_SEED=${seed}, number ${number}: ${String(error)}\n${shown}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

test('queries return the rows and cells that the role may see', unlimited, async () => {
  await run(1, QUERIES, async (random, record) => {
    const picked = random.pick(views);
    const roots = generateRoots(random);
    const printed = record(printRoots(random, roots));
    const others = views.filter(({ caller }) => caller.role === picked.caller.role && caller !== picked.caller);
    const isMerged = random.oneIn(2);
    const reading = isMerged ? [picked, random.pick(others)] : [picked];
    await Promise.all(
      reading.map(async ({ caller, visible }) => {
        const { data, errors } = await send(printed, caller, isMerged ? merging : engine);
        expect(errors).toBeUndefined();
        expect(difference(expectedRoots(roots, visible), data)).toBeUndefined();
      }),
    );
  });
});

test(
  'requests that are invalid for the schema or for a type are rejected with a code of the catalog',
  unlimited,
  async () => {
    await run(2, INVALID, async (random, record) => {
      expectRejection(await send(record(generateInvalid(random)), random.pick(callers)));
    });
  },
);

test('damaged requests are rejected with a code of the catalog or are valid', unlimited, async () => {
  await run(3, DAMAGED, async (random, record) => {
    const damaged = damage(random, printRoots(random, generateRoots(random)));
    const body = await send(record(damaged), random.pick(callers));
    if (body.errors !== undefined) expectRejection(body);
  });
});

async function readNotes(): Promise<Notes> {
  const text =
    "select coalesce(json_agg(json_build_object('id', id, 'owner', owner, 'body', body, 'size', size) order by id), '[]') from note";
  const { rows } = await db.database.query({ text, values: [] });
  return new Map((JSON.parse(rows[0]?.[0] ?? '[]') as Note[]).map((note) => [note.id, note]));
}

const sorted = (map: Notes): readonly Note[] => [...map.values()].sort((one, other) => one.id - other.id);

test('mutations change the rows that the role may change, as a whole or not at all', unlimited, async () => {
  let before = await readNotes();
  const caller: Caller = { role: 'user', user: ME, teams: [], level: 0 };
  await run(
    4,
    MUTATIONS,
    async (random, record) => {
      const mutation = generateMutation(random, before);
      const { data, errors } = await send(record(mutation), caller);
      const after = await readNotes();
      if ('data' in mutation.outcome) {
        expect(errors).toBeUndefined();
        expect(difference(mutation.outcome.data, data)).toBeUndefined();
        expect(sorted(after)).toEqual(sorted(mutation.outcome.notes));
      } else {
        expect(mutation.outcome).toContain(errors?.[0]?.extensions.code);
        expect(sorted(after)).toEqual(sorted(before));
      }
      before = after;
    },
    1,
  );
});
