/**
 * 10,000 random requests of a restricted role and of one that inherits from two, each compared with what plain SQL says the role may see and do. The
 * oracle (fuzz/oracle.ts) reads views that say the row rules once more, and works in memory: it shares nothing with the
 * compiler. `FUZZ_SEED=<number>` makes other requests, `FUZZ_SEED=random` others each time; a failure tells its seed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorCodes } from '../../src/base/errors.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';
import { difference } from './compare.ts';
import { generateRoots } from './generate.ts';
import { generateMutation, ME, type Note, type Notes } from './mutations.ts';
import { answerRoots } from './oracle.ts';
import { type Printed, printRoots } from './print.ts';
import { type Random, randomFrom } from './random.ts';
import { damage, generateInvalid } from './spoil.ts';
import {
  type Caller,
  callers,
  heirs,
  MARKER,
  readSeen,
  type Seen,
  sessionOf,
  worldMetadata,
  worldSql,
} from './world.ts';

const QUERIES = 6_200;
const REFUSED = 1_800;
const DAMAGED = 1_000;
const MUTATIONS = 1_000;
/** Requests under way at once. */
const ABREAST = 4;

const asked = process.env.FUZZ_SEED ?? '1';
const seed = asked === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(asked);

const notes = `insert into note select n, case when n <= 10 then ${ME} else 2 end,
  case when n <= 10 then 'note ' || n else '${MARKER} body ' || n end, n from generate_series(1, 20) n`;

let db: TestDatabase;
let engine: Engine;
let views: readonly { readonly caller: Caller; readonly seen: Seen }[];

beforeAll(async () => {
  expect(Number.isInteger(seed), 'FUZZ_SEED is a whole number, or random').toBe(true);
  db = await testDatabase({ sql: worldSql + notes });
  engine = await startEngine({ metadata: worldMetadata, databases: { default: db.database } });
  expect(engine.inconsistencies).toEqual([]);
  views = await Promise.all(
    [...callers, ...heirs].map(async (caller) => ({ caller, seen: await readSeen(db.database, caller) })),
  );
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly path: string };
  }[];
}

/** The answer; no value in it may be one that is hidden from the role `user`. */
async function ask({ query, variables }: Printed, caller: Caller): Promise<Body> {
  const { body } = await engine.ask({ query, variables, role: caller.role, session: sessionOf(caller) });
  const hidden = caller.role === 'user' && body.includes(MARKER);
  expect(hidden, `a hidden value is in ${body.slice(0, 500)}`).toBe(false);
  return JSON.parse(body) as Body;
}

/** Codes that tell the caller what to mend. */
function expectRefusal({ errors }: Body): void {
  const { code, path } = errors?.[0]?.extensions ?? {};
  expect(Object.keys(errorCodes)).toContain(code);
  expect(code).not.toBe('unexpected');
  expect(path).toMatch(/^\$/);
}

type Tell = (printed: Printed) => Printed;

/** Runs `one` with a generator of its own for each number, a few at once, and says how a failure is seen again. */
async function run(
  kind: number,
  count: number,
  one: (random: Random, tell: Tell) => Promise<void>,
  abreast = ABREAST,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      let shown = '';
      const tell: Tell = (printed) => {
        shown = `${printed.query}\n${JSON.stringify(printed.variables)}`;
        return printed;
      };
      await one(randomFrom(seed * 7_919 + kind * 104_729 + number * 15_485_863), tell).catch((error: unknown) => {
        next = count;
        throw new Error(`FUZZ_SEED=${seed}, number ${number}: ${String(error)}\n${shown}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: abreast }, worker));
}

test('queries are answered with what the role may see', { timeout: 120_000 }, async () => {
  await run(1, QUERIES, async (random, tell) => {
    const { caller, seen } = random.pick(views);
    const roots = generateRoots(random);
    const { data, errors } = await ask(tell(printRoots(random, roots)), caller);
    expect(errors).toBeUndefined();
    expect(difference(answerRoots(roots, seen), data)).toBeUndefined();
  });
});

test('requests that fit no schema or no type are refused with a code that says why', { timeout: 60_000 }, async () => {
  await run(2, REFUSED, async (random, tell) => {
    expectRefusal(await ask(tell(generateInvalid(random)), random.pick(callers)));
  });
});

test('damaged requests are refused, or mean something else that is allowed', { timeout: 60_000 }, async () => {
  await run(3, DAMAGED, async (random, tell) => {
    const damaged = damage(random, printRoots(random, generateRoots(random)));
    const body = await ask(tell(damaged), random.pick(callers));
    if (body.errors !== undefined) expectRefusal(body);
  });
});

async function readNotes(): Promise<Notes> {
  const text =
    "select coalesce(json_agg(json_build_object('id', id, 'owner', owner, 'body', body, 'size', size) order by id), '[]') from note";
  const { rows } = await db.database.query({ text, values: [] });
  return new Map((JSON.parse(rows[0]?.[0] ?? '[]') as Note[]).map((note) => [note.id, note]));
}

const sorted = (map: Notes): readonly Note[] => [...map.values()].sort((one, other) => one.id - other.id);

test('mutations change what the role may change, all or nothing', { timeout: 60_000 }, async () => {
  let before = await readNotes();
  const caller: Caller = { role: 'user', user: ME, teams: [], level: 0 };
  await run(
    4,
    MUTATIONS,
    async (random, tell) => {
      const mutation = generateMutation(random, before);
      const { data, errors } = await ask(tell(mutation), caller);
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
