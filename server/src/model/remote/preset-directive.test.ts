/** Tests of the values of `@preset`: constants, session variables at any depth, and invalid ones. */
import { buildSchema, isInputObjectType, Kind, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { type PresetEnum, readPreset } from './preset-directive.ts';
import type { Preset } from './schema-view.ts';

/** Has a field of each type. */
const inputs = buildSchema(`
  scalar Moment
  enum Size { S M }
  input Filter { text: String! size: Size tags: [String!] level: Int! = 1 inner: Filter }
  input Types {
    id: ID! count: Int text: String size: Size sizes: [Size!] at: Moment
    tags: [String!]! ids: [[Int!]] where: Filter many: [Filter!]
  }
  type Query { a(types: Types): Int }
`).getType('Types');

/** Reads `@preset(ARGUMENTS)` of a field of `Types`. */
function read(name: string, presetArguments: string) {
  const field = isInputObjectType(inputs) ? inputs.getFields()[name] : undefined;
  const [definition] = parse(`scalar S @preset${presetArguments}`, { noLocation: true }).definitions;
  const directive = definition?.kind === Kind.SCALAR_TYPE_DEFINITION ? definition.directives?.[0] : undefined;
  if (field === undefined || directive === undefined) throw new Error(`no preset of "${name}"`);
  const problems: string[] = [];
  const presetEnums: PresetEnum[] = [];
  const preset = readPreset(directive, field.type, 'it', { sessionPrefix: 'x-service-', problems, presetEnums });
  return { preset: preset && shown(preset), problems, presetEnums };
}

/** A preset as data: constants as GraphQL text, session variables as `$name`. */
function shown(preset: Preset): unknown {
  if (preset.kind === 'static') return print(preset.value);
  if (preset.kind === 'session') return `$${preset.name}`;
  if (preset.kind === 'list') return preset.items.map(shown);
  return Object.fromEntries([...preset.members].map(([name, member]) => [name, shown(member)]));
}

test.each<[string, string, unknown]>([
  ['count', '1', '1'],
  ['count', 'null', 'null'],
  ['text', '"a"', '"a"'],
  ['text', '"the x-service-a"', '"the x-service-a"'],
  ['size', 'S', 'S'],
  ['at', '{a: [1, "b"]}', '{a: [1, "b"]}'],
  ['at', '[1, 2]', '[1, 2]'],
  ['tags', '["a", "b"]', '["a", "b"]'],
  ['tags', '"a"', '"a"'],
  ['ids', '[[1], [2]]', '[[1], [2]]'],
  ['where', '{text: "a"}', '{text: "a"}'],
  ['where', '{text: "a", level: 2, inner: {text: "b"}}', '{text: "a", level: 2, inner: {text: "b"}}'],
  ['where', 'null', 'null'],
  ['many', '[{text: "a"}]', '[{text: "a"}]'],
  ['many', '{text: "a"}', '{text: "a"}'],
  ['text', '"x-service-user-id"', '$x-service-user-id'],
  ['count', '"X-Service-Count"', '$x-service-count'],
  ['tags', '"x-service-tags"', '$x-service-tags'],
  ['tags', '["a", "x-service-tag"]', ['"a"', '$x-service-tag']],
  ['ids', '[[1, "x-service-id"], [2]]', [['1', '$x-service-id'], '[2]']],
  ['where', '{text: "x-service-text", level: 2}', { text: '$x-service-text', level: '2' }],
  ['where', '{text: "a", inner: {text: "x-service-text"}}', { text: '"a"', inner: { text: '$x-service-text' } }],
  ['where', '"x-service-where"', '$x-service-where'],
  ['many', '{text: "x-service-text"}', { text: '$x-service-text' }],
  ['many', '[{text: "x-service-text"}, {text: "b"}]', [{ text: '$x-service-text' }, '{text: "b"}']],
])('reads the preset of %s: %s', (name, value, preset) => {
  expect(read(name, `(value: ${value})`)).toMatchObject({ preset, problems: [] });
});

test.each([
  ['true', '"x-service-a"', '"x-service-a"'],
  ['true', '["x-service-a"]', '["x-service-a"]'],
  ['false', '"x-service-a"', '$x-service-a'],
])('with static: %s, the string %s is read as %s', (isStatic, value, preset) => {
  expect(read('tags', `(value: ${value}, static: ${isStatic})`)).toMatchObject({ preset, problems: [] });
});

test('"static" applies to members of objects', () => {
  const { preset } = read('where', '(static: true, value: {text: "x-service-a"})');
  expect(preset).toBe('{text: "x-service-a"}');
});

test.each([
  ['', 'it: @preset needs a "value"'],
  ['(static: true)', 'it: @preset needs a "value"'],
])('rejects @preset%s without a value', (written, problem) => {
  expect(read('text', written)).toMatchObject({ preset: undefined, problems: [problem] });
});

test.each([
  ['(value: "a", other: 1)', 'it: @preset has no argument "other"'],
  ['(value: "a", static: "yes")', 'it: "static" of @preset is true or false'],
  ['(value: "a", static: null)', 'it: "static" of @preset is true or false'],
])('rejects arguments of the directive: @preset%s', (written, problem) => {
  expect(read('text', written).problems).toEqual([problem]);
});

test.each([
  ['count', '"a"', ['it: the preset "a" is not a value of type Int']],
  ['count', 'S', ['it: the preset S is not a value of type Int']],
  ['count', '[1]', ['it: the preset [1] is not a value of type Int']],
  ['count', '{a: 1}', ['it: the preset {a: 1} is not a value of type Int']],
  ['where', '1', ['it: the preset 1 is not a value of type Filter']],
  ['many', '1', ['it: the preset 1 is not a value of type [Filter!]']],
  ['id', 'null', ['it: the preset null is not a value of type ID!']],
  ['size', 'XL', ['it: the preset XL is not a value of type Size']],
  ['tags', '["a", 1]', ['it: the preset 1 is not a value of type String!']],
  [
    'tags',
    '["x-service-a", 1, 2]',
    ['it: the preset 1 is not a value of type String!', 'it: the preset 2 is not a value of type String!'],
  ],
  ['many', '{text: 1}', ['field "text" in it: the preset 1 is not a value of type String!']],
  [
    'where',
    '{text: "a", other: 1}',
    ['it: type Filter has no field "other"; use one of "text", "size", "tags", "level", "inner"'],
  ],
  ['where', '{text: "a", text: "b"}', ['it: the preset has the field "text" twice']],
  ['where', '{level: 2}', ['it: the preset needs the field "text" of type String!']],
  [
    'where',
    '{text: "x-service-a", inner: {}}',
    ['field "inner" in it: the preset needs the field "text" of type String!'],
  ],
  [
    'where',
    '{text: "a", inner: {text: 2}}',
    ['field "text" in field "inner" in it: the preset 2 is not a value of type String!'],
  ],
])('rejects the preset of %s: %s', (name, value, problems) => {
  expect(read(name, `(value: ${value})`)).toMatchObject({ preset: undefined, problems });
});

test.each([
  ['size', 'M', [{ where: 'it', type: 'Size', value: 'M' }]],
  ['sizes', 'M', [{ where: 'it', type: 'Size', value: 'M' }]],
  ['where', '{text: "a", size: S}', [{ where: 'field "size" in it', type: 'Size', value: 'S' }]],
  ['at', 'M', []],
  ['text', '"M"', []],
])('lists the enum values in the preset of %s: %s', (name, value, presetEnums) => {
  expect(read(name, `(value: ${value})`).presetEnums).toEqual(presetEnums);
});
