/** The files in deploy/ are consistent with the service: names of settings, files and timeouts. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { options, variableName } from '../../src/config/options.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const files = ['Dockerfile', 'docker-compose.yaml', 'joinery.service'];
// Secrets can be files; the command line reads JOINERY_ENDPOINT.
const known = new Set(
  Object.values(options)
    .flatMap((option) => [variableName(option), ...('secret' in option ? [`${variableName(option)}_FILE`] : [])])
    .concat('JOINERY_ENDPOINT'),
);

it.each(files)('deploy/%s contains only settings that exist', (file) => {
  const names = read(`deploy/${file}`).match(/\bJOINERY_[A-Z_]+\b/g) ?? [];
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

it('deploy/docker-compose.yaml is valid YAML', () => {
  for (const document of parseAllDocuments(read('deploy/docker-compose.yaml'), { merge: true })) {
    expect([...document.errors, ...document.warnings]).toEqual([]);
  }
});

it('the Dockerfile copies only files that exist', () => {
  const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  expect(copied.length).toBeGreaterThan(5);
  expect(copied.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

it('the stop timeouts are longer than the graceful shutdown of the service', () => {
  const compose = read('deploy/docker-compose.yaml');
  expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBeGreaterThan(
    Number(/GRACEFUL_SHUTDOWN_TIMEOUT: "(\d+)"/.exec(compose)?.[1]),
  );
  const unit = read('deploy/joinery.service');
  expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1])).toBeGreaterThan(
    Number(options.gracefulShutdownTimeout.fallback),
  );
});
