/** Generates random valid requests of the role as data. */
import type { Random } from './random.ts';
import type { AggregateField, Arguments, Condition, Direction, Field, Part, Root, Term, Test } from './request.ts';
import { type Kind, type Reference, type Shape, shapes } from './tables.ts';

export function shapeOf(name: string): Shape {
  const shape = shapes[name];
  if (shape === undefined) throw new RangeError(`no table ${name}`);
  return shape;
}

export function generateRoots(random: Random): readonly Root[] {
  const count = random.oneIn(4) ? 2 : 1;
  return Array.from({ length: count }, (_, index) => generateRoot(random, `r${index}`));
}

function generateRoot(random: Random, alias: string): Root {
  const shape = random.pick(Object.values(shapes));
  const table = shape.name;
  switch (random.below(4)) {
    case 0: {
      const key = Object.fromEntries(shape.key.map((column) => [column, random.below(50)]));
      return { kind: 'by_pk', alias, table, key, fields: generateFields(random, shape, 2) };
    }
    case 1:
      return {
        kind: 'summary',
        alias,
        table,
        arguments: generateArguments(random, shape, 2),
        parts: parts(random, shape, 1),
      };
    default:
      return {
        kind: 'list',
        alias,
        table,
        arguments: generateArguments(random, shape, 2),
        fields: generateFields(random, shape, 2),
      };
  }
}

function generateFields(random: Random, shape: Shape, depth: number): readonly Field[] {
  const fields = Array.from({ length: 1 + random.below(4) }, (_, index) => generateField(random, shape, depth, index));
  // A second selection of the same column without an alias is no conflict.
  const [first] = fields;
  if (first?.kind === 'column' && first.alias === first.column && random.oneIn(6))
    fields.push({ ...first, fragment: 'inline' });
  return fields;
}

function generateField(random: Random, shape: Shape, depth: number, index: number): Field {
  const common = {
    alias: `f${index}`,
    ...(random.oneIn(9) && { when: { directive: random.pick(['include', 'skip'] as const), flag: random.oneIn(2) } }),
    ...(random.oneIn(9) && { fragment: random.pick(['inline', 'named'] as const) }),
  };
  const kind = depth === 0 ? 0 : random.below(8);
  const [object, array] = [entry(random, shape.objects), entry(random, shape.arrays)];
  if (kind >= 6 && object !== undefined) {
    const [name, reference] = object;
    return {
      ...common,
      kind: 'object',
      name,
      reference,
      fields: generateFields(random, shapeOf(reference.table), depth - 1),
    };
  }
  if (kind >= 4 && array !== undefined) {
    const [name, reference] = array;
    const target = shapeOf(reference.table);
    const given = generateArguments(random, target, 1);
    if (kind === 4)
      return {
        ...common,
        kind: 'aggregate',
        name,
        reference,
        arguments: given,
        parts: parts(random, target, depth - 1),
      };
    return {
      ...common,
      kind: 'array',
      name,
      reference,
      arguments: given,
      fields: generateFields(random, target, depth - 1),
    };
  }
  if (kind === 3) return { ...common, kind: 'typename' };
  const column = random.pick(Object.keys(shape.columns));
  const path =
    shape.columns[column] === 'jsonb' && random.oneIn(2)
      ? random.pick(['$.a', 'b.c', '$.b.c[0]', '$[2]["a"]'])
      : undefined;
  if (path !== undefined) return { ...common, kind: 'column', column, path };
  // Without an alias, a column may be selected twice.
  return { ...common, ...(index === 0 && { alias: column }), kind: 'column', column };
}

function entry(random: Random, of: Readonly<Record<string, Reference>>): readonly [string, Reference] | undefined {
  const entries = Object.entries(of);
  return entries.length === 0 ? undefined : random.pick(entries);
}

const numeric: ReadonlySet<Kind> = new Set(['int', 'bigint', 'numeric', 'float']);
const comparable: ReadonlySet<Kind> = new Set([...numeric, 'text', 'date', 'timestamptz']);

function parts(random: Random, shape: Shape, depth: number): readonly Part[] {
  const list: Part[] = [];
  if (random.below(3) > 0) list.push({ kind: 'aggregate', functions: aggregates(random, shape) });
  if (list.length === 0 || random.oneIn(2)) list.push({ kind: 'nodes', fields: generateFields(random, shape, depth) });
  if (random.oneIn(8)) list.push({ kind: 'typename' });
  return list;
}

const ofNumbers = ['sum', 'avg', 'stddev', 'stddev_pop', 'stddev_samp', 'variance', 'var_pop', 'var_samp'];

function aggregates(random: Random, shape: Shape): readonly AggregateField[] {
  return Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const alias = `a${index}`;
    const columns = Object.keys(shape.columns).filter((column) => shape.columns[column] !== 'jsonb');
    if (random.oneIn(2)) {
      const counted = random.oneIn(3) ? [] : random.oneIn(3) ? random.some(columns, 2) : [random.pick(columns)];
      return { alias, name: 'count', columns: counted, distinct: counted.length > 0 && random.oneIn(2) };
    }
    const name = random.pick([...ofNumbers, 'min', 'max', 'min', 'max', 'sum']);
    const kinds = name === 'min' || name === 'max' ? comparable : numeric;
    const fitting = columns.filter((column) => kinds.has(shape.columns[column] ?? 'jsonb'));
    return { alias, name, columns: random.some(fitting, 3), distinct: false };
  });
}

function generateArguments(random: Random, shape: Shape, depth: number): Arguments {
  const limited = shape.rowLimit !== undefined;
  const distinctOn = random.oneIn(6) ? random.some(sortable(shape), 2) : [];
  const limit = random.oneIn(3) ? random.below(9) : undefined;
  const offset = random.oneIn(6) ? random.below(5) : undefined;
  const total = limited || limit !== undefined || offset !== undefined || distinctOn.length > 0 || random.below(5) > 0;
  const leading = distinctOn.map((column): Term => ({ by: { kind: 'column', column }, direction: direction(random) }));
  const free = random.oneIn(2) ? [] : [generateTerm(random, shape, depth)];
  const last = shape.key.map((column): Term => ({ by: { kind: 'column', column }, direction: direction(random) }));
  return {
    where: random.below(3) > 0 ? generateCondition(random, shape, depth) : undefined,
    orderBy: total ? [...leading, ...free, ...last] : [],
    distinctOn,
    limit,
    offset,
    total,
  };
}

function sortable(shape: Shape): readonly string[] {
  return Object.keys(shape.columns).filter((column) => !['jsonb', 'words'].includes(shape.columns[column] ?? ''));
}

const directions = ['asc', 'desc', 'asc_nulls_first', 'asc_nulls_last', 'desc_nulls_first', 'desc_nulls_last'] as const;

function direction(random: Random): Direction {
  return random.pick(directions);
}

function generateTerm(random: Random, shape: Shape, depth: number): Term {
  const [object, array] = [entry(random, shape.objects), entry(random, shape.arrays)];
  const termDirection = direction(random);
  if (depth > 0 && object !== undefined && random.oneIn(3)) {
    const [name, reference] = object;
    const term = generateTerm(random, shapeOf(reference.table), depth - 1);
    return { by: { kind: 'object', name, reference, term }, direction: termDirection };
  }
  if (depth > 0 && array !== undefined && random.oneIn(3)) {
    const [name, reference] = array;
    if (random.oneIn(2))
      return { by: { kind: 'count', name, reference, direction: termDirection }, direction: termDirection };
    const target = shapeOf(reference.table);
    const column = random.pick(
      Object.keys(target.columns).filter((one) => comparable.has(target.columns[one] ?? 'jsonb')),
    );
    const what = random.pick(['min', 'max'] as const);
    return {
      by: { kind: 'extreme', name, reference, what, column, direction: termDirection },
      direction: termDirection,
    };
  }
  return { by: { kind: 'column', column: random.pick(sortable(shape)) }, direction: termDirection };
}

function generateCondition(random: Random, shape: Shape, depth: number): Condition {
  const kind = depth === 0 ? 0 : random.below(10);
  const inner = () => generateCondition(random, shape, depth - 1);
  if (kind === 9)
    return { kind: random.pick(['all', 'any'] as const), of: Array.from({ length: random.below(3) }, inner) };
  if (kind === 8) return { kind: 'not', of: inner() };
  if (kind >= 5) {
    const many = entry(random, shape.arrays);
    const related = random.oneIn(2) ? (entry(random, shape.objects) ?? many) : (many ?? entry(random, shape.objects));
    if (related !== undefined) {
      const [name, reference] = related;
      const target = shapeOf(reference.table);
      const isArray = Object.hasOwn(shape.arrays, name);
      if (isArray && random.oneIn(3)) {
        const filter = random.oneIn(2) ? generateCondition(random, target, 0) : undefined;
        const test = { operator: random.pick(['_eq', '_gt', '_lte', '_neq']), value: random.below(5) };
        return { kind: 'counted', name, reference, filter, test };
      }
      return { kind: 'related', name, reference, of: generateCondition(random, target, depth - 1) };
    }
  }
  const column = random.pick(Object.keys(shape.columns));
  const tests = [generateTest(random, shape.columns[column] ?? 'int')];
  const second = generateTest(random, shape.columns[column] ?? 'int');
  if (random.oneIn(5) && second.operator !== tests[0]?.operator) tests.push(second);
  return { kind: 'compare', column, tests };
}

const ordered = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin', '_is_null'];
const patterns = [
  '_like',
  '_nlike',
  '_ilike',
  '_nilike',
  '_similar',
  '_nsimilar',
  '_regex',
  '_nregex',
  '_iregex',
  '_niregex',
];
const operators: Readonly<Record<Kind, readonly string[]>> = {
  int: ordered,
  bigint: ordered,
  numeric: ordered,
  float: ordered,
  text: [...ordered, ...patterns],
  bool: ordered,
  date: ordered,
  timestamptz: ordered,
  uuid: ordered,
  jsonb: [
    '_eq',
    '_neq',
    '_in',
    '_nin',
    '_is_null',
    '_contains',
    '_contained_in',
    '_has_key',
    '_has_keys_any',
    '_has_keys_all',
  ],
  words: ['_eq', '_neq', '_in', '_is_null', '_contains', '_contained_in'],
  mood: ordered,
};

function generateTest(random: Random, kind: Kind): Test {
  const operator = random.pick(operators[kind]);
  if (operator === '_is_null') return { operator, value: random.oneIn(2) };
  if (operator === '_in' || operator === '_nin') {
    return { operator, value: Array.from({ length: random.below(4) }, () => generateValue(random, kind)) };
  }
  if (operator === '_has_key') return { operator, value: random.pick(['a', 'b', 'z']) };
  if (operator.startsWith('_has_keys')) return { operator, value: random.some(['a', 'b', 'z', 'd'], 3) };
  if (patterns.includes(operator)) return { operator, value: random.pick(patternsOf(operator)) };
  return { operator, value: generateValue(random, kind) };
}

/** Returns patterns with the same meaning in PostgreSQL and in the oracle. */
function patternsOf(operator: string): readonly string[] {
  if (operator.includes('regex')) return ['^a', 'b', '[0-9]$', '^(Ann|Eve)', 'team [ab]', '.', 'P$'];
  if (operator.includes('similar')) return ['A%', '(bob|Cy)_*', '%e_', '_+', 'team [a-b]', '%'];
  return ['%', 'a%', 'A_n%', '%\\_b%', '%\\%%', 'team _', '', '%e%', "%'%", '_'];
}

function generateValue(random: Random, kind: Kind): unknown {
  switch (kind) {
    case 'int':
      return random.below(52) - 1;
    case 'bigint':
      return random.oneIn(4) ? String(random.below(50) * 1_000_000_007) : random.below(50) * 1_000_000_007;
    case 'numeric':
      return random.below(60) * 1.25;
    case 'float':
      return random.below(10) / 4;
    case 'text':
      return random.pick([
        'Ann0',
        'bob2',
        'team a',
        'a_b3',
        'north',
        'south',
        'Mop 3',
        'sweep ',
        '',
        "O'Neil; --",
        'é\u{1F600}',
      ]);
    case 'bool':
      return random.oneIn(2);
    case 'date':
      return `${random.pick(['1990-03-02', '1990-05-01', '2020-01-09', '1989-12-31'])}`;
    case 'timestamptz':
      return `2024-03-01T${10 + random.below(9)}:00:00+00:00`;
    case 'uuid':
      return `00000000-0000-4000-8000-${String(random.below(50)).padStart(12, '0')}`;
    case 'jsonb':
      return random.pick([
        { a: 1 },
        {},
        { b: { c: ['x', null] } },
        ['a'],
        { d: false, a: 'one' },
        { a: 1, b: {} },
        'a',
        7,
      ]);
    case 'words':
      return random.pick([['red'], ['green', 'red'], [], ['red', 'green', 'blue'], ['"', 'a,b', '{}']]);
    case 'mood':
      return random.pick(['calm', 'cross', 'glad']);
    default:
      return kind satisfies never;
  }
}
