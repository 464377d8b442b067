import { TypeName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import type { OutputNamed, ScalarRef } from '../types/action.ts';
import { booleanType, builtInTypes, doubleType, integerType, textType } from './column-types.ts';
import { keyMismatch, typeOfKey } from './key-types.ts';

const scalar = (name: string, origin: ScalarRef['origin']): ScalarRef => ({
  kind: 'scalar',
  name,
  origin,
  description: undefined,
});

/** `Int` is GraphQL's own, `pg numeric` a Postgres scalar, `custom x` a custom one, `enum x` a custom enum. */
function field(text: string): OutputNamed {
  const [kind = '', name = ''] = text.split(' ');
  if (name === '') return scalar(kind, 'graphql');
  if (kind === 'enum') return { kind: 'enum', name: TypeName.parse(name), description: undefined, values: [] };
  return scalar(name, kind === 'pg' ? 'postgres' : 'custom');
}

describe('a mapped field of type', () => {
  test.each([
    ['Int', ['Int', 'smallint', 'bigint', 'numeric', 'Float', 'float8']],
    ['Float', ['Int', 'bigint', 'numeric', 'float8']],
    [
      'String',
      [
        ...['String', 'bpchar', 'citext citext', 'uuid', 'enum status', 'date', 'time', 'timestamptz', 'interval'],
        ...['inet', 'macaddr', 'bigint', 'numeric', 'ltree ltree'],
      ],
    ],
    ['ID', ['Int', 'bigint', 'numeric', 'String', 'citext citext', 'uuid']],
    ['Boolean', ['Boolean']],
    ['enum color', ['String', 'citext citext', 'enum status']],
    ['custom anything', ['Int', 'String', 'Boolean', 'jsonb', 'uuid', 'String[]', 'enum status']],
    ['pg uuid', ['uuid', 'String']],
    ['pg bigint', ['bigint', 'Int', 'numeric', 'smallint']],
    ['pg numeric', ['numeric', 'Int']],
    ['pg date', ['date', 'timestamptz', 'String']],
    ['pg status', ['enum status', 'String']],
    ['pg jsonb', ['jsonb']],
    ['pg citext', ['citext citext', 'String']],
    ['pg point', ['String']],
    ['pg ltree', ['ltree ltree']],
    ['pg int4', ['Int']],
  ])('%s can be the key of columns of type %j', (type, columns) => {
    expect(columns.filter((column) => keyMismatch(field(type), columnType(column)) !== undefined)).toEqual([]);
  });

  test.each([
    ['Int', ['String', 'Boolean', 'uuid', 'date', 'enum status', 'jsonb', 'Int[]']],
    ['Float', ['String', 'Boolean', 'uuid']],
    ['String', ['Int', 'smallint', 'float8', 'Boolean', 'jsonb', 'String[]', 'geometry geometry']],
    ['ID', ['Boolean', 'date', 'jsonb', 'enum status']],
    ['Boolean', ['Int', 'String']],
    ['enum color', ['Int', 'uuid', 'jsonb']],
    ['enum uuid', ['uuid']],
    ['pg uuid', ['Int', 'date', 'jsonb', 'uuid[]']],
    ['pg bigint', ['String', 'Boolean', 'uuid']],
    ['pg date', ['Int', 'time', 'uuid']],
    ['pg status', ['Int', 'uuid', 'jsonb']],
    ['pg jsonb', ['String', 'Int']],
  ])('%s cannot be the key of columns of type %j', (type, columns) => {
    expect(columns.filter((column) => keyMismatch(field(type), columnType(column)) === undefined)).toEqual([]);
  });

  test('that cannot be compared gives an error with both types', () => {
    expect(keyMismatch(field('Boolean'), columnType('uuid'))).toBe(
      'the field has type Boolean, and the column has type uuid; the two cannot be compared',
    );
    expect(keyMismatch(field('Int'), columnType('String[]'))).toContain('type Int, and the column has type text[]');
  });

  test.each(['json', 'other point', 'other xml'])('cannot be the key of a column of type %s', (type) => {
    expect(keyMismatch(field('custom anything'), columnType(type))).toMatch(
      /^PostgreSQL cannot compare values of type/,
    );
  });
});

describe('values of a field are of the type', () => {
  test.each([
    ['Int', integerType],
    ['Float', doubleType],
    ['Boolean', booleanType],
    ['String', textType],
    ['ID', textType],
    ['enum color', textType],
    ['enum uuid', textType],
    ['custom anything', builtInTypes.get('jsonb')],
    ['pg uuid', builtInTypes.get('uuid')],
    ['pg point', textType],
  ])('of %s', (type, column) => {
    expect(typeOfKey(field(type))).toEqual(column);
  });

  test.each(['object', 'abstract'])('of no column for an %s', (kind) => {
    expect(typeOfKey({ kind, name: 'T' } as unknown as OutputNamed)).toBeUndefined();
  });
});

test.each(['object', 'abstract'])('an %s is no key', (kind) => {
  expect(keyMismatch({ kind, name: 'T' } as unknown as OutputNamed, textType, 'argument')).toBe(
    'the field has type T, and the argument has type text; the two cannot be compared',
  );
});
