// Prints the sum of the reports whose names begin with a NAME, `12 passed, 0 failed`: `totals.mjs FOLDER NAME...`. Before that it lists the
// tests of all reports of the folder that passed only when they ran again.
import { readdirSync, readFileSync } from 'node:fs';

const [folder, ...counted] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const reports = files.filter((file) => counted.some((name) => file.startsWith(name))).map(read);
const sum = (member) => reports.reduce((total, report) => total + report[member], 0);
for (const { file, tests, messages } of files.flatMap((file) => read(file).unstable)) {
  process.stdout.write(`Unstable, passed in a second run: ${file}: ${tests.join('; ') || 'the file'}\n`);
  for (const message of messages) process.stdout.write(`  ${message.split('\n')[0]}\n`);
}
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
