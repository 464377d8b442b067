/** Event triggers in the files of a project: apply, export, diff and the locations of their errors. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestService } from '../../../server/test/support/service/test-service.ts';
import { copyOfProject, joinery, type TestProject } from '../support/command.ts';
import { metadataService } from '../support/metadata-service.ts';

let service: TestService;
let project: TestProject;
beforeAll(async () => {
  service = await metadataService();
}, 120_000);
afterAll(() => service.stop());
beforeEach(async () => {
  project = await copyOfProject('version-3');
});
afterEach(() => project.remove());

const run = (...args: string[]) => joinery(['metadata', ...args, '--endpoint', service.url], {}, project.folder);
const file = () => join(project.folder, 'metadata/databases/default/tables/public_article.yaml');

const triggers = `event_triggers:
  - name: published
    definition:
      enable_manual: false
      update:
        columns:
          - published
        payload: '*'
    retry_conf:
      interval_sec: 10
      num_retries: 3
      timeout_sec: 60
    webhook: http://127.0.0.1:1/published
    when:
      new:
        published:
          _eq: true
    ordering_key:
      - id
`;

async function write(text: string): Promise<void> {
  const before = await readFile(file(), 'utf8');
  await writeFile(file(), `${before.trimEnd()}\n${text}`);
}

it('applies triggers, exports the same files, and writes changes of a trigger into them', {
  timeout: 120_000,
}, async () => {
  await write(triggers);
  const written = await readFile(file(), 'utf8');
  expect(await run('apply', '--strict')).toMatchObject({ code: 0, err: '' });
  expect(await run('export')).toMatchObject({ code: 0, out: expect.stringContaining('already') });
  expect(await readFile(file(), 'utf8')).toBe(written);
  await service.command('pg_pause_event_trigger', { name: 'published' });
  const compared = await run('diff');
  expect(compared).toMatchObject({ code: 0, err: '' });
  expect(compared.out).toContain('event_triggers published: paused');
  expect(await run('export')).toMatchObject({ code: 0 });
  expect(await readFile(file(), 'utf8')).toBe(`${written}    paused: true\n`);
});

it('reports an inconsistent trigger at the line of the member', { timeout: 120_000 }, async () => {
  await write(triggers.replace('      - id', '      - nothing'));
  const line = (await readFile(file(), 'utf8')).split('\n').indexOf('      - nothing') + 1;
  const place = `public_article.yaml:${line}:`;
  expect(await run('apply', '--strict')).toMatchObject({ code: 1, err: expect.stringContaining(place) });
});
