// The bars of the project, and the figures that the suites measured for them.
import { median } from './load.mjs';

/**
 * A row: what is measured, its bar, and how it is read from the results of its suite; undefined where the run did not measure
 * it. A suite may add rows of its own: `bars` of its results is a list of `{ what, bar, measured, met }`.
 */
const rows = [
  ratio('queries', 'lookup by key, against hand-written', 1.5, ({ lookup }) => lookup),
  ratio('queries', 'lookup by key with 200 clients, against hand-written', 3, (r) => r.lookupByMany),
  ratio('queries', 'lookup by key, against hand-written that pipelines', 0.9, (r) => r.lookup, 'pipelining'),
  ratio('queries', 'lookup with 200 clients, against hand-written that pipelines', undefined, byMany, 'pipelining'),
  ratio('queries', 'nested query, against hand-written', 1.2, ({ nested }) => nested),
  ratio('queries', 'nested query with 200 clients, against hand-written', 1.3, (r) => r.nestedByMany),
  ratio('queries', 'nested query, against hand-written that pipelines', undefined, (r) => r.nested, 'pipelining'),
  ratio('mutations', 'insert of one row, against hand-written', 0.95, ({ insert }) => insert),
  ratio(
    'mutations',
    'insert of one row, 10 connections each',
    0.95,
    (r) => r.insert,
    'hand-written',
    'joinery, all 10',
  ),
  ratio('mutations', 'update by key, against hand-written', 0.95, ({ update }) => update),
  ratio('mutations', 'update by key, 10 connections each', 0.95, (r) => r.update, 'hand-written', 'joinery, all 10'),
  {
    suite: 'neighbors',
    what: 'p99 of lookups while one role runs 5-second queries, to undisturbed',
    bar: '≤ 2',
    read: ({ rows: [undisturbed, disturbed] }) => {
      if (disturbed.p99s === undefined) return undefined;
      // Within a round, because the load of the machine changes between rounds.
      const ratios = disturbed.p99s.map((p99, round) => p99 / undisturbed.p99s[round]);
      const times = median(ratios);
      return { measured: `${range(times, ratios)}; ${disturbed.p99} ms, ${undisturbed.p99} ms`, met: times <= 2 };
    },
  },
  ...[
    ['traces, one in twenty', 1.05],
    ['traces, all of them', 1.3],
  ].map(([name, most]) => ({
    suite: 'operations',
    what: `${name}: CPU to none`,
    bar: `≤ ${most}`,
    read: ({ lookup }) => {
      const row = lookup.find((one) => one.name === name);
      if (row?.cpuRatio === undefined) return undefined;
      return { measured: range(row.cpuRatio, row.cpuRatios), met: row.cpuRatio <= most };
    },
  })),
  ratio('actions', 'action of 100 objects joined, against hand-written', 0.85, ({ picks }) => picks),
  ratio('actions', 'posts with users in PostgreSQL, against hand-written', 0.85, (r) => r.postsInTable),
  ratio('actions', 'posts with users behind a batch endpoint, against hand-written', 0.8, (r) => r.postsInBatch),
];

function byMany({ lookupByMany }) {
  return lookupByMany;
}

function ratio(suite, what, least, of, base = 'hand-written', own = 'joinery') {
  return {
    suite,
    what,
    bar: least === undefined ? '-' : `≥ ${least}`,
    read: (results) => {
      const ratios = ratiosOf(of(results), own, base);
      if (ratios === undefined) return undefined;
      const value = median(ratios);
      return { measured: range(value, ratios), met: least === undefined ? undefined : value >= least };
    },
  };
}

/** Returns the ratios of requests per second within each round; undefined where one of the two did not run. */
export function ratiosOf(contestants, name, base) {
  const rates = (of) => contestants?.find((one) => one.name === of)?.rates;
  const [own, others] = [rates(name), rates(base)];
  if (own === undefined || others === undefined) return undefined;
  return own.map((rate, index) => rate / others[index]);
}

const two = (number) => Number(number.toFixed(2));
const range = (value, all) => `${two(value)} (${two(Math.min(...all))} to ${two(Math.max(...all))})`;

/** Returns the rows of one suite. */
export function barsOf(suite, results) {
  const known = rows
    .filter((row) => row.suite === suite)
    .flatMap(({ what, bar, read }) => {
      const figure = read(results);
      return figure === undefined ? [] : [{ what, bar, ...figure }];
    });
  return [...known, ...(Array.isArray(results.bars) ? results.bars : [])];
}

/** Returns a Markdown table of the reports, `{ suite, conditions, settings, results }` each, or `error` in place of results. */
export function barsTable(reports) {
  const cells = reports.flatMap(({ suite, conditions, settings, results, error }) => {
    const how = [suite, ...runsOf(settings), `load ${conditions.busy}`].join(', ');
    if (error !== undefined) return [[`suite ${suite}`, '-', `failed: ${error}`, '', how]];
    return barsOf(suite, results).map(({ what, bar, measured, met }) => [
      what,
      bar,
      String(measured),
      met === undefined ? '' : met ? 'met' : 'missed',
      how,
    ]);
  });
  return markdownTable(['what', 'bar', 'measured', '', 'conditions'], cells);
}

function runsOf({ rounds, seconds }) {
  return [
    ...(rounds === undefined ? [] : [`${rounds} rounds`]),
    ...(seconds === undefined ? [] : [`${seconds} s each`]),
  ];
}

export function markdownTable(heads, cells) {
  const line = (row) =>
    `| ${row.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...cells.map(line)].join('\n');
}
