// Turns the part "Unreleased" of a changelog into that of a version: `changelog.mjs VERSION DATE CHANGESET... < CHANGELOG.md`. The text of
// each changeset file becomes an entry under Added, Changed or Fixed, for a minor, a major or a patch version. Prints the result.
import { readFileSync } from 'node:fs';

const WIDTH = 150;
const sections = { minor: 'Added', major: 'Changed', patch: 'Fixed' };
const [version, date, ...changesets] = process.argv.slice(2);
const heading = '## Unreleased\n';
const text = readFileSync(0, 'utf8');
const at = text.indexOf(heading);
if (at < 0) throw new Error('The changelog has no part "## Unreleased"');
const begin = at + heading.length;
const next = text.indexOf('\n## ', begin);
const end = next < 0 ? text.length : next;

const released = changesets.map(parse).reduce(insert, text.slice(begin, end));
process.stdout.write(`${text.slice(0, begin)}\n## ${version} - ${date}\n${released}${text.slice(end)}`);

function parse(path) {
  const [, levels = '', content = ''] = /^---\n(.*?)---\n(.*)$/s.exec(readFileSync(path, 'utf8')) ?? [];
  const level = ['major', 'minor', 'patch'].find((one) => new RegExp(`: ${one}$`, 'm').test(levels));
  if (level === undefined) throw new Error(`${path} has no level: major, minor or patch`);
  return { section: `### ${sections[level]}\n`, entry: wrap(`- ${content.trim().replace(/\s+/g, ' ')}`) };
}

/** Inserts an entry at the begin of its section, which is created as the first one if it is missing. */
function insert(part, { section, entry }) {
  if (entry === '-') return part;
  const found = part.indexOf(section);
  if (found < 0) return `\n${section}\n${entry}\n${part}`;
  const after = found + section.length;
  return `${part.slice(0, after)}\n${entry}\n${part.slice(after).replace(/^\n/, '')}`;
}

function wrap(entry) {
  const lines = [''];
  for (const word of entry.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && line.length + word.length >= WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
