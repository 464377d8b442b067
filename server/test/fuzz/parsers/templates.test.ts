/** Random Kriti templates, JSON paths and SQL of native queries, valid and damaged. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { parseJsonPath } from '../../../src/base/json-path.ts';
import { jsonPath, parseJson, printJson } from '../../../src/base/json-value.ts';
import { KritiError } from '../../../src/base/templates/kriti/error.ts';
import { evaluateTemplate } from '../../../src/base/templates/kriti/evaluate.ts';
import { basicFunctions } from '../../../src/base/templates/kriti/functions.ts';
import { parseTemplate, parseTextTemplate } from '../../../src/base/templates/kriti/parser.ts';
import { parseCode } from '../../../src/model/native-queries/template.ts';
import { fuzz, unhurried } from '../seed.ts';
import { damaged, jsonText, numberText } from './json-texts.ts';

const variables = {
  $body: { input: { name: 'Ann', items: [1, 'two', null, { a: [] }], big: parseJson('12345678901234567890') } },
  $session_variables: { 'x-service-role': 'user' },
  $empty: {},
  $list: [[], [1, 2], ['a', 'b'], '\ud800', 'é\u{1F600}'],
};

const key = fc.constantFrom(
  'name',
  'items',
  'big',
  'input',
  'a',
  'x-service-role',
  'constructor',
  '__proto__',
  'length',
);
const step = fc.oneof(
  key.map((name) => `.${name}`),
  key.map((name) => `['${name}']`),
  fc.constantFrom('?', '?.name', '[0]', '[1.5]', '[-1]', '[99]', '["items"]', '[$list]'),
);
const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=', '&&', '||', '??', 'in');

const { expression } = fc.letrec<{ expression: string; object: string }>((tie) => ({
  object: fc.tuple(key, tie('expression')).map(([name, value]) => `{"${name}": ${value}, "${name}2": ${value}}`),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '1', '"a"', '"{{$body.input.name}}"', ...Object.keys(variables)),
    numberText,
    fc
      .tuple(fc.constantFrom(...Object.keys(variables)), fc.array(step, { maxLength: 4 }))
      .map((parts) => parts.flat().join('')),
    fc
      .tuple(fc.constantFrom(...Object.keys(basicFunctions), 'toString'), tie('expression'))
      .map(([name, of]) => `${name}(${of})`),
    fc.tuple(tie('expression'), operator, tie('expression')).map((parts) => `(${parts.join(' ')})`),
    tie('expression').map((inner) => `{{ ${inner} }}`),
    fc.array(tie('expression'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    tie('object'),
    fc.array(tie('expression'), { maxLength: 2 }).map((items) => `"x${items.map((item) => `{{${item}}}`).join('-')}"`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(
        ([when, one, other]) => `{{ if ${when} }} ${one} {{ elif not ${when} }} ${other} {{ else }} ${other} {{ end }}`,
      ),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([over, body]) => `{{ range i, x := ${over} }} [i, x, ${body}] {{ end }}`),
  ),
}));

const anyTemplate = fc.oneof(expression, damaged(expression), damaged(jsonText), fc.string({ unit: 'binary' }));

/** Returns the result as JSON, or undefined for a KritiError with a position. Throws other errors. */
function evaluated(parse: typeof parseTemplate, text: string): string | undefined {
  try {
    return printJson(evaluateTemplate(parse(text), { variables }, { steps: 20_000, characters: 200_000 }));
  } catch (error) {
    if (!(error instanceof KritiError)) throw error;
    expect(error.position.start_column).toBeGreaterThan(0);
    return undefined;
  }
}

test('a template results in JSON or in an error with its position', unhurried, () => {
  fc.assert(
    fc.property(anyTemplate, (text) => {
      const result = evaluated(parseTemplate, text);
      if (result !== undefined) JSON.parse(result);
    }),
    fuzz(6_000),
  );
});

test('a template of bare text results in a string or in an error with its position', unhurried, () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyTemplate,
        anyTemplate.map((text) => `a{{${text}}}b`),
      ),
      (text) => {
        expect(typeof JSON.parse(evaluated(parseTextTemplate, text) ?? '""')).toBe('string');
      },
    ),
    fuzz(3_000),
  );
});

test('a JSON text without braces in pairs is a template of its own value', unhurried, () => {
  fc.assert(
    fc.property(
      jsonText.filter((text) => !text.includes('{{')),
      (text) => {
        expect(evaluated(parseTemplate, text)).toBe(printJson(parseJson(text)));
      },
    ),
    fuzz(4_000),
  );
});

const steps = fc.array(
  fc.oneof(
    fc.nat({ max: 1e6 }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('$', 'a', 'a b', '["', "'", '\\', '__proto__'),
  ),
);

test('a printed JSON path is parsed to its steps', unhurried, () => {
  fc.assert(
    fc.property(steps, (all) => {
      expect(parseJsonPath(jsonPath(all))).toEqual(all);
    }),
    fuzz(4_000),
  );
});

test('a text is a JSON path or is rejected as an invalid one', unhurried, () => {
  const paths = steps.map((all) => jsonPath(all));
  fc.assert(
    fc.property(fc.oneof(damaged(paths, '$.[]"\'\\ -0a'), fc.string({ unit: 'binary' })), (text) => {
      try {
        parseJsonPath(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
    fuzz(4_000),
  );
});

const sqlPart = fc.constantFrom(
  ...[
    'select ',
    '1',
    "'it''s'",
    "e'\\''",
    '"a""b"',
    '$$x$$',
    '$t$ {{ $t$',
    '-- {{x}}\n',
    '/* {{ */',
    '/* {{x}} /* ',
    ' */',
    '{{a}}',
    '{{ b }}',
    '{{',
    '}}',
    ';',
    '$1',
    ' ',
  ],
);

test('the parts of the SQL of a native query have its text between the arguments', unhurried, () => {
  fc.assert(
    fc.property(
      fc.array(sqlPart, { maxLength: 12 }).map((parts) => parts.join('')),
      (code) => {
        const parts = parseCode(code);
        if (typeof parts === 'string') return;
        const printed = parts.map((part) => (typeof part === 'string' ? part : `{{${part.argument}}}`)).join('');
        expect(printed.replaceAll(/\s/g, '')).toBe(code.replace(/[\s;]+$/, '').replaceAll(/\s/g, ''));
      },
    ),
    fuzz(3_000),
  );
});
