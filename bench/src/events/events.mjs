// Scheduled events: lateness, throughput of a backlog, creation and size.
import { writeFile } from 'node:fs/promises';
import { startPostgres } from '../database.mjs';
import { median } from '../measure/load.mjs';
import { linePlot } from '../measure/plot.mjs';
import { backlog, byConcurrency } from './backlog.mjs';
import { creation } from './creation.mjs';
import { held } from './held.mjs';
import { lateness } from './lateness.mjs';

export async function events(settings) {
  const postgres = await startPostgres();
  try {
    const report = { lateness: [] };
    for (const future of settings.future) {
      const { seconds, ...figures } = await lateness(postgres, settings, future);
      report.lateness.push({ ...figures, seconds });
    }
    if (report.lateness.length > 0) await write('events-lateness.svg', latenessPlot(report.lateness, settings));
    if (settings.backlog > 0) {
      report.backlog = await backlog(postgres, settings);
      if (!settings.short) {
        report.concurrency = await byConcurrency(postgres, settings);
        await write('events-throughput.svg', throughputPlot(report.concurrency, settings));
      }
      if (settings.held > 0) report.held = await held(postgres, settings);
    }
    report.creation = await creation(postgres);
    return { ...report, bars: barsOf(report) };
  } finally {
    await postgres.stop();
  }
}

const creations = [
  ['events/s, commands of 10,000', 50_000],
  ['events/s, joinery.schedule_event in one statement', 40_000],
];

/** Returns the rows of the table of bars. The backlog counts on the newest Node. */
function barsOf({ backlog: rows = [], held: open, creation: created }) {
  const row = (what, least, value) => ({ what, bar: `≥ ${least}`, measured: String(value), met: value >= least });
  const own = rows.at(-1)?.ratios ?? [];
  const against = (peer) => {
    const theirs = rows.find(({ name }) => name === peer)?.ratios ?? [];
    return Number(median(own.map((ratio, n) => ratio / theirs[n])).toFixed(3));
  };
  return [
    ...[
      ['graphile-worker', 1.5],
      ['pg-boss', 1],
    ]
      .filter(() => own.length > 0)
      .map(([peer, least]) => row(`backlog of events with a log, against ${peer} without`, least, against(peer))),
    ...(open === undefined ? [] : [row('backlog while a transaction is open, to the same without', 0.7, open.ratio)]),
    ...creations.map(([what, least]) => row(`creation of ${what}`, least, created[what])),
  ];
}

const write = (name, text) => writeFile(new URL(`../../results/${name}`, import.meta.url), text);

function latenessPlot(runs, { rate }) {
  const line = (run, of) => ({
    name: `${of}, ${run.future.toLocaleString('en')} waiting`,
    points: run.seconds.map((second, n) => [n, second[of]]),
  });
  return linePlot({
    title: `Start of the call after its time, at ${rate} events/s`,
    x: 'seconds',
    y: 'ms',
    log: true,
    series: runs.flatMap((run) => ['p50', 'p99', 'max'].map((of) => line(run, of))),
  });
}

function throughputPlot(rows, { backlog: count }) {
  const names = [...new Set(rows.map(({ name }) => name))];
  return linePlot({
    title: `A backlog of ${count.toLocaleString('en')}: calls by concurrency`,
    x: 'calls at the same time',
    y: 'calls/s',
    series: names.map((name) => ({
      name,
      points: rows.filter((row) => row.name === name).map((row) => [row.concurrency, row.perSecond]),
    })),
  });
}
