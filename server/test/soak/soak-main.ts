/** Runs a soak by command and writes its report; see the usage below. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plotPage, trendTable } from './report.ts';
import { runSoak } from './soak.ts';

const usage = `Usage: npm run soak -- [--minutes N] [--share X] [--report FOLDER]

Two nodes on a Patroni cluster of three servers under mixed load, with changes of the metadata, deployments, failovers and subscribers that
come and go. Fails if an acknowledged event is missing or early, or if memory, files, connections, sizes, dead rows or lateness grow.

  --minutes N       duration of the load (default 240)
  --share X         share of the capacity, which is measured first (default 0.7)
  --report FOLDER   for report.txt and report.html (default soak-report)

Needs Debian's patroni, etcd-server, haproxy, python3-etcd and postgresql-15, and a build. Example:
  npm run soak -- --minutes 20 --report /tmp/soak
`;

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    minutes: { type: 'string', default: '240' },
    share: { type: 'string', default: '0.7' },
    report: { type: 'string', default: 'soak-report' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [minutes, share] = [Number(values.minutes), Number(values.share)];

if (values.help) process.stdout.write(usage);
else if (!(minutes > 0 && share > 0)) {
  process.stderr.write(`--minutes and --share are positive numbers.\n\n${usage}`);
  process.exitCode = 2;
} else {
  const print = (line: string): unknown => process.stdout.write(`${line}\n`);
  const { summary, series, marks, findings } = await runSoak({ minutes, share, print });
  const conclusion = findings.length === 0 ? 'All series are flat at the end.' : findings.join('\n');
  const text = [...summary, '', trendTable(series), '', conclusion].join('\n');
  print(text);
  mkdirSync(values.report, { recursive: true });
  writeFileSync(join(values.report, 'report.txt'), `${text}\n`);
  writeFileSync(join(values.report, 'report.html'), plotPage(text, series, marks));
  process.exitCode = findings.length === 0 ? 0 : 1;
}
