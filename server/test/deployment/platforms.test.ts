/** The files of deploy/platforms have members that the platforms document, and time-outs, probes and settings that fit the service. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { options, variableName } from '../../src/config/options.ts';
import {
  cloudRunProcesses,
  ecsProcesses,
  flyProcesses,
  railwayProcesses,
  readPlatformFile,
  renderProcesses,
} from './platforms.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const settings = new Set(Object.values(options).map(variableName));
const platforms = [
  { name: 'Fly.io', page: 'deploy-fly', files: ['fly/fly.toml'], processes: flyProcesses },
  { name: 'Render', page: 'deploy-render', files: ['render/render.yaml'], processes: renderProcesses },
  { name: 'Railway', page: 'deploy-railway', files: ['railway/Dockerfile'], processes: railwayProcesses },
  {
    name: 'Google Cloud Run',
    page: 'deploy-cloud-run',
    files: ['cloud-run/service.yaml', 'cloud-run/events.yaml'],
    processes: cloudRunProcesses,
  },
  {
    name: 'Amazon ECS',
    page: 'deploy-ecs',
    files: ['ecs/joinery-api.json', 'ecs/joinery-events.json'],
    processes: ecsProcesses,
  },
] as const;

describe.each(platforms)('$name', ({ page, files, processes }) => {
  it('runs requests and events as separate processes', () => {
    expect(processes().map(({ components }) => components)).toEqual(['api,console', 'events']);
  });

  it('waits longer than the graceful shutdown', () => {
    const cut = processes().filter(({ stopSeconds, shutdownSeconds }) => stopSeconds <= shutdownSeconds);
    expect(cut).toEqual([]);
  });

  it('always runs processes that deliver events', () => {
    const events = processes().filter(({ components }) => components === 'events');
    expect(events.every(({ instances }) => instances > 0)).toBe(true);
  });

  it('uses health endpoints that exist', () => {
    const paths = processes().flatMap(({ healthPath }) => healthPath ?? []);
    expect(paths.filter((path) => !['/readyz', '/healthz'].includes(path))).toEqual([]);
  });

  it('sets only settings that exist', () => {
    const names = processes().flatMap((one) => one.settings.filter((setting) => setting.startsWith('JOINERY_')));
    expect(names.filter((name) => !settings.has(name))).toEqual([]);
  });

  it('uses the image of the version of the packages', () => {
    const { version } = JSON.parse(readFileSync(`${root}cli/package.json`, 'utf8')) as { readonly version: string };
    const images = files.flatMap((file) => readPlatformFile(file).match(/joinery-graphql\/joinery:[\w.]+/g) ?? []);
    expect([...new Set(images)]).toEqual([`joinery-graphql/joinery:${version}`]);
  });

  it('has a page that names only settings that exist', () => {
    const text = readFileSync(`${root}docs/${page}.md`, 'utf8');
    const names = text.match(/\bJOINERY_[A-Z_]+\b/g) ?? [];
    expect(names.filter((name) => !settings.has(name) && name !== 'JOINERY_ENDPOINT')).toEqual([]);
  });

  it('has a page that names the month of its check', () => {
    expect(readFileSync(`${root}docs/${page}.md`, 'utf8')).toMatch(/as\s+of\s+November\s+2026/);
  });
});

describe('the checks of files', () => {
  it.each([
    ['Fly.io', () => flyProcesses(readPlatformFile('fly/fly.toml').replace('kill_timeout', 'kill_time'))],
    ['Render', () => renderProcesses(readPlatformFile('render/render.yaml').replace('healthCheckPath', 'healthPath'))],
    ['Railway', () => railwayProcesses(readPlatformFile('railway/railway.json').replace('70', '"70"'))],
    [
      'Cloud Run',
      () =>
        cloudRunProcesses([
          readPlatformFile('cloud-run/service.yaml').replace('timeoutSeconds: 3600', 'timeoutSeconds: 7200'),
        ]),
    ],
    [
      'ECS',
      () => ecsProcesses([readPlatformFile('ecs/joinery-api.json').replace('"stopTimeout": 70', '"stopTimeout": 180')]),
    ],
  ])('reject a member or value that %s does not have', (_, read) => {
    expect(read).toThrow();
  });
});
