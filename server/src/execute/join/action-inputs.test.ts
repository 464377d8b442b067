import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import { runAtOnce } from '../../base/steps.ts';
import { resolveActions } from '../../model/actions/actions.ts';
import { resolveCustomTypes } from '../../model/actions/custom-types.ts';
import type { RemoteTemplate } from '../../model/types/table.ts';
import type { InputMember } from '../../plan/plan/input.ts';
import type { ActionTarget } from '../../plan/plan/query.ts';
import { handlerInput } from '../action/handler/handler-input.ts';
import { inputPrinter } from './action-inputs.ts';

const filter = {
  name: 'Filter',
  fields: [
    { name: 'order', type: 'Int!' },
    { name: 'note', type: 'String' },
    { name: 'at', type: 'timestamptz' },
  ],
};

function targetOf(
  args: Readonly<Record<string, string>>,
  supplied: Readonly<Record<string, RemoteTemplate>>,
  given: readonly InputMember[] = [],
): ActionTarget {
  const { draft, reports } = draftOf({
    custom_types: { input_objects: [filter] },
    actions: [
      {
        name: 'act',
        definition: {
          type: 'query',
          output_type: 'Int',
          handler: 'http://handler.example/act',
          arguments: Object.entries(args).map(([name, type]) => ({ name, type })),
        },
      },
    ],
  });
  const [action] = [...runAtOnce(resolveActions(draft, runAtOnce(resolveCustomTypes(draft)))).values()];
  if (action === undefined) throw new Error(reports.map(({ reason }) => reason).join());
  const output = { type: action.output, fields: undefined };
  return { kind: 'action', action, supplied, given, batch: undefined, output };
}

const key = (index: number): RemoteTemplate => ({ kind: 'key', index });
const constant = (name: string, value: unknown): InputMember => ({ name, value: { kind: 'constant', value } });
const variable = (name: string): InputMember => ({ name, value: { kind: 'variable', name } });

describe('the input of a joined action', () => {
  test('contains the keys, then the arguments of the client', () => {
    const target = targetOf({ lang: 'String', id: 'Int!', code: 'String' }, { id: key(0), code: key(1) }, [
      constant('lang', 'e"n'),
    ]);
    const print = inputPrinter(target, {});
    expect(print([7, 'a\nb'])).toBe('{"id":7,"code":"a\\nb","lang":"e\\"n"}');
    expect(print([8, 9])).toBe('{"id":8,"code":"9","lang":"e\\"n"}');
  });

  test('contains numeric keys as text for text arguments, and exact numbers as they are', () => {
    const print = inputPrinter(targetOf({ id: 'ID!', big: 'jsonb' }, { id: key(0), big: key(1) }), {});
    const big = parseJson('12345678901234567890');
    expect(print([big, big])).toBe('{"id":"12345678901234567890","big":12345678901234567890}');
    expect(print([1, [1, null]])).toBe('{"id":"1","big":[1,null]}');
  });

  test('contains lists, objects and constants of the relationship', () => {
    const supplied: Readonly<Record<string, RemoteTemplate>> = {
      ids: { kind: 'list', items: [key(0), { kind: 'constant', value: 5 }] },
      filter: { kind: 'object', fields: { order: key(0), note: key(1) } },
    };
    const print = inputPrinter(targetOf({ ids: '[String!]!', filter: 'Filter' }, supplied), {});
    expect(print([1, 'x'])).toBe('{"ids":["1",5],"filter":{"order":1,"note":"x"}}');
  });

  test('contains the variables of each request', () => {
    const target = targetOf({ id: 'Int!', lang: 'String', note: 'String' }, { id: key(0) }, [
      variable('lang'),
      variable('note'),
    ]);
    expect(inputPrinter(target, { lang: 'en' })([1])).toBe('{"id":1,"lang":"en"}');
    expect(inputPrinter(target, { note: null, lang: 'de' })([2])).toBe('{"id":2,"lang":"de","note":null}');
    expect(inputPrinter(target, {})([3])).toBe('{"id":3}');
  });

  test('is printed by one function for all requests without variables', () => {
    const target = targetOf({ id: 'Int!', lang: 'String' }, { id: key(0) }, [constant('lang', 'en')]);
    expect(inputPrinter(target, {})).toBe(inputPrinter(target, { other: 1 }));
  });

  test('is equal to the input that is built as a whole', () => {
    const supplied: Readonly<Record<string, RemoteTemplate>> = { at: key(1), id: key(0) };
    const given = [variable('filter'), constant('more', [{ order: 1 }])];
    const target = targetOf({ id: 'uuid', filter: 'Filter', at: 'date', more: '[Filter!]' }, supplied, given);
    const { action, output } = target;
    const values = ['8d6a4ed0-5a70-4f36-9d6f-3d0c9e0d1b11', '2026-01-01'];
    const variables = { filter: { order: 2, at: '2026-01-01T00:00:00Z' } };
    const input = [constant('at', values[1]), constant('id', values[0]), ...given];
    expect(inputPrinter(target, variables)(values)).toBe(printJson(handlerInput({ action, input, output }, variables)));
  });
});

describe('a key', () => {
  test('that does not fit its argument is rejected, and other keys are not', () => {
    const print = inputPrinter(targetOf({ id: 'Int!' }, { id: key(0) }), {});
    expect(() => print(['x'])).toThrow('the key "x" does not fit an argument of type Int');
    expect(() => print([2_147_483_648])).toThrow('the key 2147483648 does not fit an argument of type Int');
    expect(print([2])).toBe('{"id":2}');
  });

  test('that is no value of a Postgres scalar is rejected with the path of the argument', () => {
    const print = inputPrinter(targetOf({ id: 'uuid!', n: 'Int' }, { id: key(0) }, [constant('n', 1)]), {});
    expect(() => print(['x'])).toThrow(
      expect.objectContaining({
        path: '$.selectionSet.act.args.id',
        message: 'expected a value of type uuid, found "x"',
      }),
    );
  });

  test('is rejected with the error of an argument of the client, in the order of the arguments', () => {
    const target = targetOf({ id: 'uuid!', filter: 'Filter' }, { id: key(0) }, [
      constant('filter', { order: 1, at: 5 }),
    ]);
    const print = inputPrinter(target, {});
    expect(() => print(['x'])).toThrow('expected a value of type uuid, found "x"');
    expect(() => print(['8d6a4ed0-5a70-4f36-9d6f-3d0c9e0d1b11'])).toThrow(
      'expected a value of type timestamptz, found 5',
    );
  });
});
