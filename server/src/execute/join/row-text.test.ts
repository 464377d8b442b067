import { describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { ConnectionPart, FieldPlan, JoinPlan } from '../../plan/plan/query.ts';
import type { Gap, GappedText } from '../action/output-text.ts';
import { collectJoins, type Shape } from './key-collector.ts';
import { printRows } from './row-text.ts';

const unused = undefined as never;
const column = (alias: string, family = 'text', name = 'text', element?: object): FieldPlan => {
  return { kind: 'column', alias, column: { type: { family, name, element } } as never, path: undefined };
};
const phantom = (name: string): FieldPlan => ({ kind: 'phantom', alias: `@${name}`, column: unused });
const joinOf = (...names: readonly string[]): JoinPlan => ({
  keys: names.map((name) => ({ name: `@${name}`, type: undefined })),
  target: unused,
});
const joined = (alias: string, ...names: readonly string[]): FieldPlan => ({
  kind: 'join',
  alias,
  join: joinOf(...names),
});
const list = (alias: string, ...fields: readonly FieldPlan[]): FieldPlan => {
  return { kind: 'array', alias, relationship: unused, rows: { fields } as never };
};
const rows = (...fields: readonly FieldPlan[]): Shape => ({ kind: 'rows', fields });

/** Prints a join as `{"joined":[...]}` with its key. */
class KeyGap implements Gap {
  readonly key: readonly unknown[];
  constructor(key: readonly unknown[]) {
    this.key = key;
  }
  print(): string {
    return printJson({ joined: this.key });
  }
}

const printer = {
  print: (_join: JoinPlan, key: readonly unknown[], out: GappedText) => out.add(new KeyGap(key)),
};

function printed(shape: Shape, text: string): string | undefined {
  return printRows(shape, text, printer)?.print();
}

/** Returns the text that parsing, filling and printing results in. */
function reprinted(shape: Shape, text: string): string {
  const value = parseJson(text);
  collectJoins(shape, value, (_join, into, alias, key) => {
    into[alias] = { joined: key };
  });
  return printJson(value);
}

describe('the text of rows', () => {
  const plain = rows(column('id'), joined('badge', 'id'), column('name'), phantom('id'));

  test.each([
    ['null', plain, 'null'],
    ['an empty list', plain, '[]'],
    ['an object', plain, '{"id":1,"badge":null,"name":"x","@id":1}'],
    [
      'a list with null',
      plain,
      '[{"id":1,"badge":null,"name":null,"@id":1},null,{"id":2,"badge":null,"name":"","@id":null}]',
    ],
    [
      'strings with escapes, quotes and braces',
      plain,
      '[{"id":"a\\\\","badge":null,"name":"\\"}],{\\\\\\"","@id":"k\\"\\u00e9\\\\"},{"id":[{"a":"]"}],"badge":null,"name":{},"@id":"}"}]',
    ],
    [
      'exact numbers, large numbers and objects as keys',
      rows(joined('a', 'x', 'y', 'z'), phantom('x'), phantom('y'), phantom('z')),
      '{"a":null,"@x":12345678901234567890,"@y":[1,{"b":"c"}],"@z":-1.5}',
    ],
    [
      'several joins with the same key, first and last',
      rows(joined('a', 'x'), column('id'), joined('b', 'x', 'y'), phantom('x'), phantom('y')),
      '[{"a":null,"id":true,"b":null,"@x":1,"@y":"t"}]',
    ],
    [
      'joins in related rows',
      rows(list('items', column('id'), joined('badge', 'id'), phantom('id')), list('plain', column('id')), column('n')),
      '{"items":[{"id":1,"badge":null,"@id":1},{"id":2,"badge":null,"@id":2}],"plain":[{"id":3}],"n":"]"}',
    ],
    [
      'joins in nodes of an aggregate',
      {
        kind: 'aggregate',
        aggregate: {
          rows: unused,
          parts: [
            { kind: 'aggregate', alias: 'aggregate', members: [] },
            { kind: 'nodes', alias: 'nodes', fields: [joined('badge', 'id'), phantom('id')] },
          ],
        },
      },
      '{"aggregate":{"count":2},"nodes":[{"badge":null,"@id":1},{"badge":null,"@id":2}]}',
    ],
    [
      'joins in edges of a connection',
      {
        kind: 'connection',
        connection: {
          rows: unused,
          cursor: [],
          bound: undefined,
          page: undefined,
          parts: [
            { kind: 'pageInfo', alias: 'pageInfo', members: [] },
            {
              kind: 'edges',
              alias: 'edges',
              members: [
                { kind: 'cursor', alias: 'cursor' },
                { kind: 'node', alias: 'node', fields: [joined('badge', 'id'), phantom('id')] },
              ],
            },
          ] satisfies ConnectionPart[],
        },
      },
      '{"pageInfo":{"hasNextPage":false},"edges":[{"cursor":"c1","node":{"badge":null,"@id":1}}]}',
    ],
    ['phantoms whose column names have quotes', rows(joined('a', 'x"y'), phantom('x"y')), '{"a":null,"@x\\"y":1}'],
  ] satisfies [string, Shape, string][])('of %s is equal to that of the parsed rows', (_what, shape, text) => {
    expect(printed(shape, text)).toBe(reprinted(shape, text));
  });

  test.each([
    ['numeric', column('v', 'number', 'numeric'), ['1.50', '0', '-12', '1e-07', '12345678901234567890.10', 'null']],
    ['double precision', column('v', 'number', 'float8'), ['1e+20', '-0', '0.1', '"NaN"']],
    ['json', column('v', 'json', 'json'), ['{"b" : 1.0, "a": [ 2 ], "b": "\\u00e9\\/"}', '1.0', ' null ']],
    ['a numeric array', column('v', 'array', '_numeric', { family: 'number', name: 'numeric' }), ['[1.50,null]']],
    ['bigint', column('v', 'number', 'int8'), ['9007199254740993', '0', '-1']],
    ['a text array', column('v', 'array', '_text', { family: 'text', name: 'text' }), ['["a]","\\"",null]', '[]']],
    ['related rows', list('v', column('n', 'number', 'numeric'), column('s')), ['[{"n":1.50,"s":"a b"}]']],
    ['a composite type', column('v', 'composite', 'pair'), ['{"n":1.50,"s":null}']],
  ])('has values of %s in the form of parsed rows', (_what, field, values) => {
    const shape = rows(field, joined('badge', 'id'), column('after'), phantom('id'));
    for (const value of values) {
      const text = `[{"v":${value},"badge":null,"after":"x","@id":7}]`;
      expect(printed(shape, text)).toBe(reprinted(shape, text));
    }
  });

  test.each([
    ['with spaces, as json_build_object prints it', '{"id" : 1, "badge" : null, "name" : 2, "@id" : 3}'],
    ['with other members', '{"id":1,"badge":null,"@id":3}'],
    ['with further members', '{"id":1,"badge":null,"name":2,"@id":3,"more":1}'],
    ['of a string', '"id"'],
    ['that is cut off', '[{"id":1,"badge":null,"name":"a'],
    ['with text after it', '{"id":1,"badge":null,"name":2,"@id":3} '],
  ])('%s is not split', (_what, text) => {
    expect(printed(plain, text)).toBeUndefined();
  });
});
