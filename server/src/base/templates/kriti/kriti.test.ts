import { describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../json-value.ts';
import type { KritiLimits } from './budget.ts';
import { KritiError } from './error.ts';
import { evaluateTemplate } from './evaluate.ts';
import { FunctionError } from './functions.ts';
import { parseTemplate, parseTextTemplate } from './parser.ts';

const $body = {
  name: 'Ada',
  age: 36,
  tags: ['x', 'y'],
  none: null,
  'two words': 1,
  nested: { list: [{ id: 1 }, { id: 2, deep: { er: true } }] },
  range: 'a word of the language',
};

function run(template: string, variables: Readonly<Record<string, unknown>> = { $body }, limits?: KritiLimits) {
  const functions = {
    getSessionVariable: (name: unknown) => {
      throw new FunctionError(`Session variable "${String(name)}" not found`);
    },
  };
  return evaluateTemplate(parseTemplate(template), { variables, functions }, limits);
}

function errorOf(act: () => unknown): KritiError {
  try {
    act();
  } catch (error) {
    if (error instanceof KritiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const fails = (template: string) => {
  const { code, message, position } = errorOf(() => run(template));
  const { start_line, start_column, end_line, end_column } = position;
  return [code, message, `${start_line}:${start_column}-${end_line}:${end_column}`];
};

describe('a template', () => {
  test('that is JSON is returned unchanged, with exact numbers', () => {
    const text =
      '{"a":[1,-2.5,1e3,true,false,null,"q\\"\\u00e9\\n{ }"],"":{},"big":12345678901234567890.10,"o":{"p":{"q":[[]]}}}';
    expect(printJson(run(text))).toBe(text.replace('\\u00e9', 'é').replace('1e3', '1000'));
  });

  test('may contain comments and white space between tokens', () => {
    expect(run('# the purpose\n{ # here\n "a" : {{ $body # the body\n . name }} }')).toEqual({ a: 'Ada' });
  });

  test.each([
    ['{{ $body.name }}', 'Ada'],
    ['$body.name', 'Ada'],
    ['{{ $body["two words"] }}', 1],
    ["{{ $body['two words'] }}", 1],
    ['{{ $body.tags[1] }}', 'y'],
    ['{{ $body.nested.list[1].deep.er }}', true],
    ['{{ $body.range }}', 'a word of the language'],
    ['{{ $body?.name }}', 'Ada'],
    ['{{ $body.nothing? }}', null],
    ['{{ $body?.nothing.at.all }}', null],
    ['{{ $body.nothing?.at.all }}', null],
    ["{{ $body?['no such']['x'] }}", null],
    ['{{ $body.tags?[7] }}', null],
    ['{{ $absent?.x }}', null],
    ['{{ $body.name?.x }}', null],
  ])('evaluates the lookup %s', (template, value) => {
    expect(run(template)).toEqual(value);
  });

  test.each([
    ['{{ 1 == 1.0 }}', true],
    ['{{ "a" != "b" }}', true],
    ['{{ $body.age > 35 && $body.age <= 36 }}', true],
    ['{{ false || $body.age < 18 }}', false],
    ['{{ ($body.age == 36) && (not ($body.name == "Bob")) }}', true],
    ['{{ not $body.age == 36 }}', false],
    ['{{ "x" in $body.tags }}', true],
    ['{{ "name" in $body }}', true],
    ['{{ "toString" in $body }}', false],
    ['{{ {"a":[1,{"b":2}]} == {"a":[1,{"b":2}]} }}', true],
    ['{{ [1,2] < [1,3] }}', true],
    ['{{ 9007199254740993 > 9007199254740992 }}', true],
    ['{{ $body.none ?? "missing" }}', 'missing'],
    ['{{ $body?.a ?? $body?.b ?? 3 }}', 3],
    ['{{ $body.age ?? 1 }}', 36],
    ['{{ $body.none == null || $body.none.x }}', true],
  ])('evaluates the operators in %s', (template, value) => {
    expect(run(template)).toBe(value);
  });

  test.each([
    ['{{ if $body.age > 40 }} "old" {{ else }} "young" {{ end }}', 'young'],
    ['{{ if false }} 1 {{ elif $body.age == 36 }} 2 {{ elif true }} 3 {{ else }} 4 {{ end }}', 2],
    [
      '{{ range i, x := $body.nested.list }} { "n": {{ i }}, "id": {{ x.id }} } {{ end }}',
      [
        { n: 0, id: 1 },
        { n: 1, id: 2 },
      ],
    ],
    ['{{ range _, x := $body.tags }} {{ if x == "x" }} [ {{ x }} ] {{ else }} null {{ end }} {{ end }}', [['x'], null]],
    ['{{ range i, a := [[1],[2]] }}{{ range i, b := a }} [{{ i }}, {{ b }}] {{ end }}{{ end }}', [[[0, 1]], [[0, 2]]]],
  ])('evaluates the condition or range %s', (template, value) => {
    expect(run(template)).toEqual(value);
  });

  test.each([
    ['"Dear {{ $body.name }}, {{ $body.age }} {{true}}"', 'Dear Ada, 36 true'],
    ['"{{ $body.tags }} {{ $body.none }} { {{1}} }"', '["x","y"] null { 1 }'],
    ['"{{ escapeUri("a b/ü") }}"', 'a%20b%2F%C3%BC'],
    ['"{{ $body?.nick ?? "none" }}!"', 'none!'],
    ['""', ''],
  ])('interpolates values into text: %s', (template, value) => {
    expect(run(template)).toBe(value);
  });

  test('of bare text needs no quotes, and returns quotes unchanged', () => {
    const template = parseTextTemplate('https://{{ $body.name }}/"q"\\n?a={{ $body.age }} # no comment');
    expect(evaluateTemplate(template, { variables: { $body } })).toBe('https://Ada/"q"\\n?a=36 # no comment');
  });

  test.each([
    ['{{ empty([]) }}', true],
    ['{{ empty(" ") }}', true],
    ['{{ empty(0) }}', true],
    ['{{ empty($body) }}', false],
    ['{{ size("né𝄞") }}', 3],
    ['{{ length($body.tags) }}', 2],
    ['{{ size($body.nested) }}', 1],
    ['{{ inverse([1,2]) }}', [2, 1]],
    ['{{ inverse("abc") }}', 'cba'],
    ['{{ inverse(4) }}', 0.25],
    ['{{ head($body.tags) }}', 'x'],
    ['{{ head("abc") }}', 'a'],
    ['{{ tail([1,2,3]) }}', [2, 3]],
    ['{{ tail("abc") }}', 'bc'],
    ['{{ toLower("ÄB") }}', 'äb'],
    ['{{ toUpper("äb") }}', 'ÄB'],
    ['{{ toTitle("hello wORLD") }}', 'Hello World'],
    ['{{ toCaseFold("ÄB") }}', 'äb'],
    ['{{ escapeUri("a\'b(c)*!~") }}', 'a%27b%28c%29%2A%21~'],
    ['{{ toPairs({"a":1}) }}', [['a', 1]]],
    ['{{ fromPairs([["a",1],["__proto__",2]]) == {"a":1,"__proto__":2} }}', true],
    ['{{ removeNulls([1,null,2]) }}', [1, 2]],
    ['{{ concat([[1],[2,[3]]]) }}', [1, 2, [3]]],
    ['{{ concat(["a","b"]) }}', 'ab'],
    ['{{ concat([{"a":1,"b":1},{"b":2}]) }}', { a: 1, b: 2 }],
    ['{{ not(true) }}', false],
    ['{{ head($body.nested.list).id }}', 1],
  ])('evaluates the function call %s', (template, value) => {
    expect(run(template)).toEqual(value);
  });
});

describe('an error has its position:', () => {
  test.each([
    ['{{ $body.world }}', 'Attribute Error', "'Object' has no attribute 'world'.", '0:4-0:15'],
    ['{{ $missin }}', 'Name Error', "Variable '$missin' not in scope", '0:4-0:11'],
    ['{{ fooFunction("myVariable") }}', 'Name Error', "Variable 'fooFunction' not in scope", '0:4-0:29'],
    ['{{ toString("x") }}', 'Name Error', "Variable 'toString' not in scope", '0:4-0:17'],
    ['{{ getSessionVariable("nope") }}', 'Function Error', 'Session variable "nope" not found', '0:23-0:29'],
    ['\n  {{ $body.tags[5] }}', 'Index Error', 'Index 5 is out of range', '1:6-1:19'],
    ['{{ $body.name.x }}', 'Type Error', "Couldn't match expected type 'Object' with actual type 'String'", '0:4-0:14'],
    [
      '{{ $body.tags.x }}',
      'Type Error',
      "Couldn't match expected type 'Integer' with actual type 'String'",
      '0:4-0:16',
    ],
    [
      '{{ if 1 }} 1 {{ else }} 2 {{ end }}',
      'Type Error',
      "Couldn't match expected type 'Boolean' with actual type 'Number'",
      '0:7-0:8',
    ],
    [
      '{{ range i, x := $body }} 1 {{ end }}',
      'Type Error',
      "Couldn't match expected type 'Array' with actual type 'Object'",
      '0:18-0:23',
    ],
    ['{{ head([]) }}', 'Function Error', 'Empty array', '0:9-0:11'],
    ['{{ tail("") }}', 'Function Error', 'Empty string', '0:9-0:11'],
    ['{{ inverse(0) }}', 'Function Error', 'zero has no inverse', '0:12-0:13'],
    ['{{ $body.hello }', 'Parse Error', 'Unexpected end of the template.', '0:17-0:17'],
    ['$body.hello }}', 'Parse Error', "Unexpected token '}'.", '0:13-0:14'],
    ['{"a": 1,}', 'Parse Error', "Unexpected token '}'.", '0:9-0:10'],
    ['{"é𝄞": ;}', 'Lex Error', "Invalid Lexeme: ';}'", '0:8-0:9'],
    ['{{ if true }} 1 {{ end }}', 'Parse Error', "Unexpected token 'end'.", '0:20-0:23'],
    ['"no end', 'Parse Error', 'a text is not closed: its quote is missing', '0:1-0:2'],
    ['{"{{ $body.name }}": 1}', 'Parse Error', 'the name of a member is plain text, without {{ }}', '0:2-0:3'],
    ['', 'Parse Error', 'Unexpected end of the template.', '0:1-0:1'],
    ['{{ {"a":1} < {"a":2} }}', 'Type Error', 'objects are neither smaller nor larger', '0:4-0:21'],
  ])('%s', (template, code, message, place) => {
    expect(fails(template)).toEqual([code, message, place]);
  });

  test('the JSON form has the members that existing tools read', () => {
    expect(JSON.parse(JSON.stringify(errorOf(() => run('{{ $body.world }}'))))).toEqual({
      error_code: 'Attribute Error',
      message: "'Object' has no attribute 'world'.",
      source_position: { start_line: 0, start_column: 4, end_line: 0, end_column: 15 },
    });
  });
});

describe('limits of templates:', () => {
  test('limits nesting in every construct', () => {
    const deep = 100_000;
    for (const [open, close] of [
      ['[', ']'],
      ['(', ')'],
      ['{"a":', '}'],
      ['{{ ', ' }}'],
      ['not ', ''],
      ['size(', ')'],
      ['$body[', ']'],
      ['"{{ ', ' }}"'],
      ['{{ if true }} ', ' {{ else }} 1 {{ end }}'],
      ['{{ range _, x := $body.tags }} ', ' {{ end }}'],
    ] as const) {
      const times = Math.min(deep, Math.floor(190_000 / (open.length + close.length)));
      expect(errorOf(() => run(`${open.repeat(times)}1${close.repeat(times)}`)).code).toBe('Limit Error');
    }
  });

  test('limits the length of a template, and evaluates long chains without recursion', () => {
    expect(errorOf(() => run(`"${'x'.repeat(200_000)}"`)).code).toBe('Limit Error');
    expect(run(`{{ ${Array(20_000).fill('false').join(' || ')} }}`)).toBe(false);
    expect(run(`{{ $body?${'.x'.repeat(50_000)} }}`)).toBeNull();
  });

  test('limits the steps of nested ranges', () => {
    const range = '{{ range _, x := $list }} ';
    const template = `${range.repeat(6)} 1 ${'{{ end }} '.repeat(6)}`;
    const error = errorOf(() => run(template, { $list: Array(100).fill(0) }));
    expect([error.code, error.message]).toEqual(['Limit Error', 'the template takes more than 1000000 steps']);
  });

  test('limits the size of the result before it is printed', () => {
    const doubled = (count: number, inner: string): string =>
      count === 0 ? inner : `{{ range _, x := [[x, x]] }} ${doubled(count - 1, inner)} {{ end }}`;
    const big = (inner: string) => `{{ range _, x := [1] }} ${doubled(60, inner)} {{ end }}`;
    expect(errorOf(() => run(big('x'))).message).toBe('the template makes more than 20000000 characters');
    expect(errorOf(() => run(big('"{{ x }}"'))).message).toBe('the template makes more than 20000000 characters');
    expect(errorOf(() => run(big('{{ x == [x[0], x[1]] }}'))).code).toBe('Limit Error');
    const small = { steps: 100, characters: 10 };
    expect(errorOf(() => run('"{{ $body.name }} {{ $body.nested }}"', { $body }, small)).code).toBe('Limit Error');
  });

  test('rejects values that are nested beyond the limit of the stack', () => {
    const deep = parseJson('['.repeat(5_000) + ']'.repeat(5_000));
    const outcome = () => run('{{ $deep == $deep }}', { $deep: deep });
    try {
      expect(outcome()).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(KritiError);
    }
  });
});
