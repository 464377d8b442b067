/** Settings, metrics and commands that the guides to operation name exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));
const read = (name: string): string => readFileSync(folder + name, 'utf8');

const settings = new Set(read('configuration.md').match(/JOINERY_[A-Z_]+/g));
const metrics = new Set(read('metrics.md').match(/joinery_[a-z_]+/g));
const references = readdirSync(folder).filter((name) => name.startsWith('commands'));
const commands = new Set(references.flatMap((name) => read(name).match(/^## `\w+`/gm) ?? []));

describe.each(['checklist.md', 'faq.md', 'observing.md', 'scaling.md', 'backup-upgrade.md'])('docs/%s', (name) => {
  const page = read(name);

  it('names settings that exist', () => {
    const named = page.match(/JOINERY_[A-Z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((setting) => !settings.has(setting))).toEqual([]);
  });

  it('names metrics that exist', () => {
    const named = page.match(/(?<=`)joinery_[a-z_]+(?=`)/g) ?? [];
    expect(named.filter((metric) => !metrics.has(metric))).toEqual([]);
  });

  it('names metadata commands that exist', () => {
    const named = page.match(/(?<=`)(?:get|set|create|advance|pg)_\w+(?=`)/g) ?? [];
    const unknown = named.filter((command) => !commands.has(`## \`${command.replace(/^pg_(?!dump)/, '')}\``));
    // A program, and tables of the service.
    expect(unknown.filter((command) => !/^pg_(dump|restore|basebackup|stat)/.test(command))).toEqual([]);
  });
});

it('the FAQ has 25 questions and a link in each entry', () => {
  const entries = read('faq.md').split(/^### /m).slice(1);
  expect(entries.length).toBeGreaterThanOrEqual(25);
  expect(entries.filter((entry) => !entry.includes('](')).map((entry) => entry.split('\n')[0])).toEqual([]);
});
