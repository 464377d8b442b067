import { FieldName, TypeName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { ExactNumber, parseJson, printJson } from '../../base/json-value.ts';
import { mapNamed, parseTypeExpression } from '../../model/actions/type-expression.ts';
import type { EnumRef, OutputField, OutputNamed, OutputObject, ScalarRef, TypeRef } from '../../model/types/action.ts';
import type { JoinPlan, OutputFieldPlan, OutputPlan } from '../../plan/plan/query.ts';
import { checkOutput, OutputMismatch } from './check-output.ts';
import { type GappedText, printOutput } from './output-text.ts';

const scalar = (name: string, origin: ScalarRef['origin'] = 'graphql'): ScalarRef => ({
  kind: 'scalar',
  name,
  origin,
  description: undefined,
});
const color: EnumRef = {
  kind: 'enum',
  name: TypeName.parse('color'),
  description: undefined,
  values: ['red', 'green'].map((value) => ({ value, description: undefined, deprecated: undefined })),
};
const fields = new Map<string, OutputField>();
const item: OutputObject = {
  kind: 'object',
  name: TypeName.parse('Item'),
  description: undefined,
  fields,
};
const types: Readonly<Record<string, OutputNamed>> = {
  Int: scalar('Int'),
  Float: scalar('Float'),
  String: scalar('String'),
  Boolean: scalar('Boolean'),
  ID: scalar('ID'),
  money: scalar('money', 'postgres'),
  anything: scalar('anything', 'custom'),
  color,
  Item: item,
};

function typeOf(expression: string): TypeRef<OutputNamed> {
  const parsed = parseTypeExpression(expression);
  const type = parsed && mapNamed(parsed, (name) => types[name]);
  if (type === undefined) throw new Error(`no type ${expression}`);
  return type;
}

for (const [name, type] of Object.entries({
  id: 'Int!',
  name: 'String',
  price: 'Float',
  paid: 'Boolean',
  key: 'ID',
  colors: '[color!]',
  total: 'money',
  extra: 'anything!',
  parts: '[Item!]',
  twin: 'Item',
  grid: '[[Int!]!]',
  constructor: 'String',
})) {
  fields.set(name, { name: FieldName.parse(name), type: typeOf(type), description: undefined });
}

/** Returns a plan of `id` and the named fields, with the same selection in nested objects. */
function plan(expression: string, ...names: string[]): OutputPlan {
  const type = typeOf(expression);
  const member = (name: string): OutputFieldPlan => {
    const field = fields.get(name);
    if (field === undefined) throw new Error(`no field ${name}`);
    const isObject = name === 'parts' || name === 'twin';
    const output: OutputPlan = isObject ? plan('Item', 'price') : { type: field.type, fields: undefined };
    return { kind: 'field', alias: name, name, output: { ...output, type: field.type } };
  };
  return { type, fields: expression.includes('Item') ? ['id', ...names].map(member) : undefined };
}

const noJoins = () => {
  throw new Error('no join was planned');
};

/** Returns the result of `checkOutput`, after comparing it with the text of `printOutput`. */
function check(wanted: OutputPlan, response: unknown): unknown {
  const text = printOutput(wanted, response, { print: noJoins });
  try {
    const value = checkOutput(wanted, response, noJoins);
    expect(text?.print()).toBe(printJson(value));
    return value;
  } catch (error) {
    if (error instanceof OutputMismatch) expect(text).toBeUndefined();
    throw error;
  }
}

describe('a value of the response', () => {
  test.each([
    ['Int', 0],
    ['Int', 2_147_483_647],
    ['Int!', -2_147_483_648],
    ['Float', 1],
    ['Float', 1.5],
    ['Float', parseJson('1.0000000000000000001')],
    ['String', ''],
    ['Boolean', false],
    ['ID', 'a'],
    ['ID', 7],
    ['ID', parseJson('12345678901234567890')],
    ['color', 'red'],
    ['[Int!]!', [1, 2]],
    ['[[Int]]', [[1, null], null]],
    ['Int', null],
    ['[Int]', null],
  ])('of type %s can be %j and is returned unchanged', (type, value) => {
    expect(check(plan(type), value)).toEqual(value);
  });

  test.each([
    ['Int', 1.5, 'response: expected Int, found 1.5'],
    ['Int', 2_147_483_648, 'response: expected Int, found 2147483648'],
    ['Int', '1', 'response: expected Int, found "1"'],
    ['Int!', null, 'response: expected Int!, found null'],
    ['Int!', undefined, 'response: expected Int!, found nothing'],
    ['Int', parseJson('12345678901234567890'), 'response: expected Int, found 12345678901234567890'],
    ['Float', '1.5', 'response: expected Float, found "1.5"'],
    ['String', 1, 'response: expected String, found 1'],
    ['String!', { a: 1 }, 'response: expected String!, found an object'],
    ['String', 'x'.repeat(100), undefined],
    ['Boolean', 'true', 'response: expected Boolean, found "true"'],
    ['Boolean', 0, 'response: expected Boolean, found 0'],
    ['ID', 1.5, 'response: expected ID, found 1.5'],
    ['ID', true, 'response: expected ID, found true'],
    ['color', 'blue', 'response: expected color (red, green), found "blue"'],
    ['[Int]', 1, 'response: expected [Int], found 1'],
    ['Int', [1], 'response: expected Int, found a list'],
    ['[Int!]', [1, null], 'response[1]: expected Int!, found null'],
    ['[[Int!]!]', [[1], [2, 'x']], 'response[1][1]: expected Int!, found "x"'],
    ['[Int]!', null, 'response: expected [Int]!, found null'],
    ['Item', [], 'response: expected Item, found a list'],
    ['Item', 'x', 'response: expected Item, found "x"'],
    ['Boolean', 'x'.repeat(100), `response: expected Boolean, found "${'x'.repeat(60)}..."`],
  ])('of type %s that is %j is rejected with the value in the message', (type, value, message) => {
    if (message === undefined) expect(check(plan(type), value)).toBe(value);
    else expect(() => check(plan(type), value)).toThrow(new OutputMismatch(message));
  });

  test('of a custom or Postgres scalar is not checked', () => {
    const value = { a: [1, { b: new ExactNumber('1.00000000000000000001') }] };
    expect(check(plan('anything'), value)).toBe(value);
    expect(check(plan('money'), '$1.00')).toBe('$1.00');
    expect(() => check(plan('anything!'), null)).toThrow('response: expected anything!, found null');
  });
});

describe('an object of the response', () => {
  test('contains the selected fields, with null for missing nullable members, and without unknown members', () => {
    const response = { id: 1, extra: 1, price: 2.5, other: 'x', parts: [] };
    expect(check(plan('Item', 'name', 'price'), response)).toEqual({ id: 1, name: null, price: 2.5 });
  });

  test('has the order and the aliases of the request', () => {
    const [id, name] = plan('Item', 'name').fields ?? [];
    if (id?.kind !== 'field' || name?.kind !== 'field') throw new Error('the plan has two fields');
    const wanted: OutputPlan = {
      type: typeOf('Item'),
      fields: [
        { ...name, alias: 'id' },
        { kind: 'constant', alias: 'kind', value: 'Item' },
        { ...id, alias: 'number' },
        { ...id, alias: '__proto__' },
      ],
    };
    const result = check(wanted, { id: 1, name: 'a', extra: 0 });
    expect(JSON.stringify(result)).toBe('{"id":"a","kind":"Item","number":1,"__proto__":1}');
  });

  test('has no inherited members', () => {
    expect(check(plan('Item', 'constructor'), { id: 1, extra: 0 })).toEqual({ id: 1, constructor: null });
    const own = parseJson('{"id":1,"extra":0,"constructor":"own"}');
    expect(check(plan('Item', 'constructor'), own)).toEqual({ id: 1, constructor: 'own' });
  });

  test.each([
    ['a missing non-null member', { extra: 1 }, 'response.id: expected Int!, found nothing'],
    ['a wrong member of a list', { id: 1, extra: 1, colors: ['red', 'x'] }, /^response.colors\[1\]: expected color/],
    [
      'a wrong member of a nested object',
      {
        id: 1,
        extra: 1,
        parts: [
          { id: 1, extra: 1 },
          { id: 2, extra: 1, price: 'x' },
        ],
      },
      'response.parts[1].price: expected Float, found "x"',
    ],
    [
      'a missing member deep inside',
      { id: 1, extra: 1, twin: { id: 1, extra: 1, parts: [{ id: 1 }] } },
      'response.twin.parts[0].extra: expected anything!, found nothing',
    ],
    [
      'a null in a list of objects',
      { id: 1, extra: 1, parts: [null] },
      'response.parts[0]: expected Item!, found null',
    ],
    [
      'an object where a list belongs',
      { id: 1, extra: 1, parts: {} },
      'response.parts: expected [Item!], found an object',
    ],
  ])('with %s is rejected with the path', (_what, response, message) => {
    const wanted = plan('Item', 'colors', 'parts', 'twin');
    expect(() => check(wanted, response)).toThrow(message);
  });

  test.each([
    [{ id: 1, extra: 1, name: 7 }, 'response.name: expected String, found a number'],
    [{ id: 1, extra: null }, 'response.extra: expected anything!, found null'],
    [{ id: 1, extra: 1, twin: { id: 'secret', extra: 1 } }, 'response.twin.id: expected Int!, found a string'],
    [
      { id: 1, extra: 1, parts: [{ id: 1, extra: 1, grid: [[1], [true]] }] },
      /^response\.parts\[0\]\.grid\[1\]\[0\]: .* found a boolean$/,
    ],
  ])('is checked in fields that are not selected, without showing the value: %j', (response, message) => {
    expect(() => check(plan('Item'), response)).toThrow(message);
  });

  test('is rejected at the end of a list of a hundred thousand items', () => {
    const response: unknown[] = Array.from({ length: 100_000 }, (_, id) => ({
      id,
      extra: id,
      name: 'n',
      price: id / 3,
    }));
    expect(check(plan('[Item!]', 'name', 'price'), response)).toHaveLength(100_000);
    response.push({ id: 1, extra: 1, price: false });
    expect(() => check(plan('[Item!]', 'name', 'price'), response)).toThrow(
      'response[100000].price: expected Float, found false',
    );
  });

  test('can be nested a hundred levels deep, but not without limit', () => {
    const nested = (depth: number) => {
      let response: object = { id: 0, extra: 0 };
      for (let level = 0; level < depth; level += 1) response = { id: 0, extra: 0, twin: response };
      return response;
    };
    expect(check(plan('Item'), nested(100))).toEqual({ id: 0 });
    expect(() => check(plan('Item'), nested(100_000))).toThrow(/nested too deep$/);
  });
});

describe('a joined field', () => {
  const join: JoinPlan = {
    keys: [
      { name: 'key', type: undefined },
      { name: 'id', type: undefined },
    ],
    target: { kind: 'table', source: 'default', match: [], want: { shape: 'object' } } as unknown as JoinPlan['target'],
  };
  const wanted: OutputPlan = {
    type: typeOf('[Item]'),
    fields: [
      { kind: 'join', alias: 'customer', join },
      { kind: 'field', alias: 'key', name: 'name', output: { type: typeOf('String'), fields: undefined } },
    ],
  };

  test('is registered with the original values of its key, even if their names are aliases of other fields', () => {
    const calls: unknown[] = [];
    const response = [{ id: 1, key: 'a', extra: 0, name: 'x' }, null, { id: 2, extra: 0, name: 'y' }];
    const result = checkOutput(wanted, response, (plan, into, alias, key) => {
      calls.push(key);
      expect(plan).toBe(join);
      into[alias] = key;
    });
    expect(calls).toEqual([
      ['a', 1],
      [null, 2],
    ]);
    expect(JSON.stringify(result)).toBe('[{"customer":["a",1],"key":"x"},null,{"customer":[null,2],"key":"y"}]');
  });

  test('is a gap in the text, which its value fills', () => {
    const response = [{ id: 1, key: 'a', extra: 0, name: 'x' }, null, { id: 2, extra: 0, name: 'y' }];
    const print = (plan: JoinPlan, key: readonly unknown[], out: GappedText) => {
      expect(plan).toBe(join);
      out.add({ print: () => printJson(key) });
    };
    const text = printOutput(wanted, response, { print })?.print();
    expect(text).toBe('[{"customer":["a",1],"key":"x"},null,{"customer":[null,2],"key":"y"}]');
  });
});

test('random responses have the same result as text and as objects', () => {
  let seed = 11;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const leaves = [null, 1, 1, 1, 2.5, 'a "b"', 'red', true, new ExactNumber('12345678901234567890'), undefined];
  const texts = ['text', 'a "b" \\ \n', '\ud800', 'é🚚', '', 'long '.repeat(20)];
  const value = (name: string, depth: number): unknown => {
    if (random(400) === 0) return leaves[random(leaves.length)];
    if (depth > 3 && (name === 'parts' || name === 'twin')) return null;
    if (name === 'id') return random(9);
    if (name === 'extra') return { any: [leaves[random(leaves.length)]] };
    if (name === 'colors') return Array.from({ length: random(3) }, () => ['red', 'green'][random(2)]);
    if (name === 'parts') return Array.from({ length: random(3) }, () => item(depth + 1));
    if (name === 'twin') return random(2) === 0 ? null : item(depth + 1);
    return [...(name === 'price' ? [0.1, 7] : name === 'paid' ? [true] : [texts[random(texts.length)]]), null][
      random(2)
    ];
  };
  const names = ['id', 'extra', 'name', 'price', 'paid', 'key', 'colors', 'parts', 'twin'];
  const item = (depth: number): object => Object.fromEntries(names.map((name) => [name, value(name, depth)]));
  const wanted = plan('[Item!]', 'name', 'price', 'paid', 'key', 'colors', 'parts', 'twin');
  let accepted = 0;
  for (let round = 0; round < 1_000; round += 1) {
    try {
      check(wanted, [item(0), item(2)]);
      accepted += 1;
    } catch (error) {
      if (!(error instanceof OutputMismatch)) throw error;
    }
  }
  expect(accepted).toBeGreaterThan(100);
  expect(accepted).toBeLessThan(900);
});
