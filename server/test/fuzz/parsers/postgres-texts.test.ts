/** Texts of values, and SQL, that PostgreSQL parses as well: both must accept the same, with the same values. */
import { statementsOf } from '@joinery/metadata/sql/statements';
import { readTimestamp } from '@joinery/metadata/time/timestamps';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { encode } from '../../../src/model/predicate/encode.ts';
import { hstoreForm, hstoreText } from '../../../src/model/predicate/hstore.ts';
import { encodeParameter } from '../../../src/postgres/sql/parameters.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { fuzz, unhurried } from '../seed.ts';
import { damaged } from './json-texts.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({
    sql: `create extension hstore;
      create function attempt(code text, input text) returns text language plpgsql as $$
        declare result text;
        begin
          execute code into result using input;
          return coalesce(result, 'null');
        exception when others then return 'rejected: ' || sqlerrm;
        end $$;`,
  });
});
afterAll(() => db?.drop());

/** Returns what the expression results in for each input, which it has as $1; `rejected: ...` for an error. */
async function postgres(expression: string, given: readonly string[]): Promise<readonly string[]> {
  const text = `select coalesce(json_agg(attempt($1, input) order by at), '[]') from unnest($2::text[]) with ordinality as i (input, at)`;
  const { rows } = await db.database.query({ text, values: [`select ${expression}`, given] });
  return JSON.parse(rows[0]?.[0] ?? '[]') as readonly string[];
}

const isRejected = (result: string | undefined): boolean => result?.startsWith('rejected: ') === true;

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const storable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text);
const storableText = fc.string({ unit: 'grapheme', maxLength: 8 }).filter(storable);

const hstorePart = fc.oneof(
  fc.constantFrom(
    '"',
    '\\',
    '=>',
    ',',
    ' ',
    '=',
    '>',
    'NULL',
    'null',
    '\t',
    '\v',
    '\u00a0',
    '\u2003',
    '"a"',
    '\\"',
    "'",
  ),
  storableText,
);
const hstoreLike = fc.oneof(
  fc.array(hstorePart, { maxLength: 8 }).map((parts) => parts.join('')),
  damaged(
    fc.dictionary(storableText, fc.oneof(storableText, fc.constant(null)), { maxKeys: 3 }).map(hstoreText),
    '"\\=>, \t\n',
  ).filter(storable),
);

test('a text is an hstore exactly where PostgreSQL reads it as one', unhurried, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hstoreLike, { minLength: 50, maxLength: 100 }), async (texts) => {
      const results = await postgres('$1::hstore::text', texts);
      expect(texts.filter((text, at) => hstoreForm.test(text) === isRejected(results[at]))).toEqual([]);
    }),
    fuzz(20),
  );
});

test('PostgreSQL reads the pairs of an object from its hstore text', unhurried, async () => {
  const pairs = fc.dictionary(storableText, fc.oneof(storableText, fc.constant(null)), { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(pairs, { maxLength: 50 }), async (all) => {
      const results = await postgres('hstore_to_json($1::hstore)::text', all.map(hstoreText));
      expect(results.map((text) => JSON.parse(text) as unknown)).toEqual(all);
    }),
    fuzz(20),
  );
});

const scalar = {
  bool: ['t', 'true', 'TRU', 'f', 'of', 'off', 'o', 'on', 'y', 'no', '1', '0', ' ', 'x'],
  int4: ['0', '-', '+', '12', '2147483647', '2147483648', '0x1f', '0b2', '0o7', '_', 'e', '.', ' ', '\t', '\u00a0'],
  int8: ['9223372036854775807', '9', '-', '0x', 'f', '_', '1', ' '],
  numeric: ['1', '.', 'e', 'E', '-', '+', '0', 'NaN', 'inf', 'inity', 'Infinity', '0x', 'a', '_', ' ', '\n', '9'],
  float8: ['1', '.', 'e', '-', '+', '0', 'nan', 'inf', 'infinity', '0x', 'p', '_', ' ', '400'],
  uuid: ['{', '}', '-', '00000000', '0000', 'abcd', 'ABCDEF12', '00000000-0000-4000-8000-000000000000', 'g', ' '],
} as const;

test.each(Object.keys(scalar) as (keyof typeof scalar)[])(
  'each text that PostgreSQL reads as %s is accepted',
  unhurried,
  async (type) => {
    const like = fc
      .array(fc.constantFrom(...scalar[type]), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(like, { minLength: 50, maxLength: 100 }), async (texts) => {
        const results = await postgres(`$1::${type}::text`, texts);
        const rejected = texts.filter((text) => {
          try {
            encode(type, text);
            return false;
          } catch (error) {
            expect(error).toBeInstanceOf(ServiceError);
            return true;
          }
        });
        expect(rejected.filter((text) => !isRejected(results[texts.indexOf(text)]))).toEqual([]);
      }),
      fuzz(12),
    );
  },
);

test('PostgreSQL reads the elements of a list from its array text', unhurried, async () => {
  const element = fc.oneof(storableText, fc.constantFrom(null, 'NULL', '', '{}', '"', '\\', ',', ' a '));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(element, { maxLength: 5 }), { maxLength: 50 }), async (lists) => {
      const texts = lists.map((list) => String(encodeParameter(list)));
      const results = await postgres('array_to_json($1::text[])::text', texts);
      expect(results.map((text) => JSON.parse(text) as unknown)).toEqual(lists);
    }),
    fuzz(20),
  );
});

const two = (min: number, max: number) => fc.integer({ min, max }).map((value) => String(value).padStart(2, '0'));
/** The same time as the service may get it, and in the form that PostgreSQL reads. */
const time = fc
  .record({
    year: fc
      .oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(1, 1900, 2000, 2024, 9999))
      .map((year) => String(year).padStart(4, '0')),
    month: two(0, 13),
    day: two(0, 32),
    hour: two(0, 25),
    minute: two(0, 61),
    second: fc.option(two(0, 61), { nil: undefined }),
    fraction: fc.oneof(
      fc.constant(''),
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 6 }),
    ),
    offset: fc.oneof(
      fc.constantFrom('', 'Z'),
      fc.tuple(fc.constantFrom('+', '-'), two(0, 17), fc.option(two(0, 61), { nil: undefined })),
    ),
    basic: fc.boolean(),
    comma: fc.boolean(),
  })
  .map(({ year, month, day, hour, minute, second, fraction, offset, basic, comma }) => {
    const digits = second === undefined || fraction === '' ? '' : fraction;
    const zone =
      typeof offset === 'string' ? offset : `${offset[0]}${offset[1]}${offset[2] === undefined ? '' : `:${offset[2]}`}`;
    const [dash, colon] = basic ? ['', ''] : ['-', ':'];
    const seconds =
      second === undefined ? '' : `${colon}${second}${digits === '' ? '' : `${comma ? ',' : '.'}${digits}`}`;
    return {
      text: `${year}${dash}${month}${dash}${day}T${hour}${colon}${minute}${seconds}${zone}`,
      plain: `${year}-${month}-${day} ${hour}:${minute}:${second ?? '00'}${digits === '' ? '' : `.${digits}`}${zone === '' ? 'Z' : zone}`,
      // PostgreSQL reads the ends of a day and a minute, and years beyond four digits, which the service rejects.
      isEdge: hour === '24' || second === '60',
    };
  });

test(
  'a timestamp has the instant that PostgreSQL reads, and is rejected where PostgreSQL rejects it',
  unhurried,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(time, { minLength: 50, maxLength: 100 }), async (times) => {
        const format = `to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"BC')`;
        const results = await postgres(
          format,
          times.map(({ plain }) => plain),
        );
        const read = times.map(({ text, isEdge }, at) => {
          const found = readTimestamp(text);
          const result = results[at] ?? '';
          const expected =
            isRejected(result) || isEdge || !/^\d{4}-.*AD$/.test(result) ? 'rejected' : result.slice(0, -2);
          return { text, found: 'instant' in found ? found.instant : 'rejected', expected };
        });
        expect(read.filter(({ found, expected }) => found !== expected)).toEqual([]);
      }),
      fuzz(30),
    );
  },
);

const value = fc.constantFrom(
  ...[
    '1',
    "'a;b'",
    "'it''s;'",
    "E'\\';'",
    "e'a''\\';'",
    "E'\\\\'",
    '$$;$$',
    "$t$;'$$;$t$",
    "U&'x;'",
    "'\\'",
    '(select 1)',
    "/* ; /* ' */ ; */ 2",
    '-- ;\n3',
    "'x'\n'y;'",
  ],
);
const columns = fc.array(fc.tuple(value, fc.constantFrom('a', '"a;b"', '"""c;"', 'é$x', 'x$1')), {
  minLength: 1,
  maxLength: 4,
});
const statement = columns.map((all) => `select ${all.map(([of, name]) => `${of} as ${name}`).join(', ')}`);

test('a text of several statements is split into the statements that PostgreSQL runs', unhurried, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 6 }), async (all) => {
      const parts = statementsOf(all.join(';'));
      expect(parts.map(({ text }) => text)).toEqual(all);
      // An extended query accepts one statement.
      for (const { text } of parts) await db.database.query({ text, values: [] });
    }),
    fuzz(150),
  );
});
