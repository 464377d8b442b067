// Runs tests by a command that accepts arguments of vitest, and writes their report: `tests.mjs REPORT COMMAND... [::: FILTER...]`. Up to
// three files that fail run once more, without other tests at the same time. Those that then pass are unstable: the report and the totals
// list them. All other failures fail the run.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const MAX_REPEATED_FILES = 3;
const [report, ...rest] = process.argv.slice(2);
const separator = rest.indexOf(':::');
const [program, ...given] = separator < 0 ? rest : rest.slice(0, separator);
const filters = separator < 0 ? [] : rest.slice(separator + 1);

function run(more, chosen) {
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(program, [...given, ...reporters, ...more, ...chosen], { stdio: 'inherit' });
  return { status: status ?? 1, files: readFiles() };
}

function readFiles() {
  try {
    return new Map(JSON.parse(readFileSync(report, 'utf8')).testResults.map((file) => [file.name, file]));
  } catch {
    return new Map();
  }
}

const failedTests = (file) => file.assertionResults.filter(({ status }) => status === 'failed');
const isFailed = (file) => file.status === 'failed' || failedTests(file).length > 0;
const count = (files, wanted) =>
  files.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === wanted).length;

const first = run([], filters);
const failed = [...first.files.values()].filter(isFailed);
const names = failed.map(({ name }) => name);
const unstable = [];
let { status, files } = first;
if (status !== 0 && names.length > 0 && names.length <= MAX_REPEATED_FILES) {
  process.stdout.write(
    `\nThese files failed and run once more: ${names.map((name) => relative('.', name)).join(', ')}\n`,
  );
  const second = run(['--no-file-parallelism'], names);
  // A file that did not run again is still failed.
  files = new Map([...first.files, ...second.files]);
  status = second.status === 0 && names.every((name) => second.files.has(name)) ? 0 : 1;
  for (const file of status === 0 ? failed : []) {
    const tests = failedTests(file).map(({ fullName }) => fullName);
    unstable.push({
      file: relative('.', file.name),
      tests,
      messages: failedTests(file).flatMap((test) => test.failureMessages),
    });
  }
}
const all = [...files.values()];
writeFileSync(report, JSON.stringify({ passed: count(all, 'passed'), failed: count(all, 'failed'), unstable }));
process.exitCode = status;
