// Prints the sum of the test reports that are named: `12 passed, 0 failed`.
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (member) => reports.reduce((total, report) => total + report[member], 0);
process.stdout.write(`${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed\n`);
