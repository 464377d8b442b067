// The page of results: tables, charts and conditions of the suites whose results are in `bench/results`.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { barsTable, markdownTable, ratiosOf } from './bars.mjs';
import { median } from './load.mjs';
import { barPlot } from './plot.mjs';

const results = new URL('../../results/', import.meta.url);
const docs = new URL('../../../docs/', import.meta.url);

/** The comparisons of requests per second: the suite, the member of its results, and the title. */
const comparisons = [
  ['queries', 'lookup', 'Lookup by primary key, 20 clients'],
  ['queries', 'lookupByMany', 'Lookup by primary key, 200 clients'],
  ['queries', 'nested', 'Nested query, 20 clients'],
  ['queries', 'nestedByMany', 'Nested query, 200 clients'],
  ['mutations', 'insert', 'Insert of one row, 20 clients'],
  ['mutations', 'update', 'Update by primary key, 20 clients'],
  ['actions', 'picks', 'Action of 100 objects, each joined to a row'],
  ['actions', 'postsInTable', '100 posts of an endpoint, users in PostgreSQL'],
  ['actions', 'postsInBatch', '100 posts of an endpoint, users behind a batch endpoint'],
];

/** Writes `docs/benchmarks.md` and its charts from the stored results. Resolves with the number of suites. */
export async function writePage() {
  const reports = await storedReports();
  if (reports.length === 0) throw new Error('bench/results has no results; run the suites first');
  await mkdir(new URL('pictures/', docs), { recursive: true });
  const sections = [];
  for (const [suite, member, title] of comparisons) {
    const report = reports.find((one) => one.suite === suite);
    const rows = report?.results?.[member];
    if (Array.isArray(rows)) sections.push(await comparison(suite, member, title, rows));
  }
  await writeFile(new URL('benchmarks.md', docs), page(reports, sections));
  return reports.length;
}

async function storedReports() {
  const names = (await readdir(results).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
  const reports = await Promise.all(
    names.map(async (name) => ({
      suite: name.slice(0, -'.json'.length),
      ...JSON.parse(await readFile(new URL(name, results), 'utf8')),
    })),
  );
  return reports.filter(({ error }) => error === undefined);
}

async function comparison(suite, member, title, rows) {
  const bars = rows.map(({ name }) => {
    const ratios = ratiosOf(rows, name, rows[0].name) ?? [1];
    const two = (number) => Number(number.toFixed(2));
    return {
      name,
      value: two(median(ratios)),
      least: two(Math.min(...ratios)),
      most: two(Math.max(...ratios)),
      accent: name === 'joinery',
    };
  });
  const picture = `benchmark-${suite}-${member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.svg`;
  const x = `requests per second, as a ratio to ${rows[0].name}; the line is minimum to maximum of the rounds`;
  await writeFile(new URL(`pictures/${picture}`, docs), barPlot({ title, x, bars, line: { value: 1, name: '1' } }));
  const cells = rows.map(({ name, perSecond, p50, p99, cpu }, index) => [
    name,
    perSecond.toLocaleString('en'),
    p50,
    p99,
    cpu ?? '-',
    `${bars[index].value} (${bars[index].least} to ${bars[index].most})`,
  ]);
  const heads = ['server', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs a request', 'ratio'];
  return `### ${title}\n\n![${title}](pictures/${picture})\n\n${markdownTable(heads, cells)}\n`;
}

function page(reports, sections) {
  const conditions = reports.map(({ suite, conditions: at, settings }) => [
    suite,
    at.at.slice(0, 16).replace('T', ' '),
    at.node,
    at.processor,
    `${at.memoryGb} GB`,
    at.busy,
    `${settings.rounds ?? '-'} rounds of ${settings.seconds ?? '-'} s`,
  ]);
  const heads = ['suite', 'at (UTC)', 'Node.js', 'processor', 'memory', 'load before', 'runs'];
  return `# Benchmarks

This page has the results of \`npm run bench\` on one machine: what was measured, against what, and under which conditions. All
contestants ran on loopback with one PostgreSQL. Ratios can be compared between machines, times cannot.

- **hand-written** is a server for this one request: \`node:http\`, \`pg\`, one prepared statement. It checks nothing and has no roles.
- **pipelining** is the same with the driver \`postgres\`, which sends several statements without waiting for results.
- Contestants run in turn, in an order that changes, after a warm-up round that does not count. A ratio is the median of the ratios
  within a round, followed by the minimum and the maximum. CPU is the processor time of the contestant's process.

Repeat it with \`npm run bench -- --all-short\` (the short runs) or \`npm run bench\` (every suite), then \`npm run bench -- --page\`, on
an idle machine. \`bench/README.md\` describes the suites.

## Targets

${barsTable(reports)}

${sections.length === 0 ? '' : `## Comparisons\n\n${sections.join('\n')}`}
## Conditions

${markdownTable(heads, conditions)}
`;
}
