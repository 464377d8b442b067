/** Tests of the output and the exit codes of the metadata commands, run as processes against a service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
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
  return () => project.remove();
});

const run = (...args: string[]) => joinery(['metadata', ...args, '--endpoint', service.url], {}, project.folder);

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const path = join(project.folder, 'metadata', file);
  await writeFile(path, change(await readFile(path, 'utf8')));
}

const article = 'databases/default/tables/public_article.yaml';

it('apply --dry-run and diff print changed objects with their locations and the schemas of roles, and change nothing', {
  timeout: 120_000,
}, async () => {
  expect(await run('apply')).toMatchObject({ code: 0, err: '' });
  const before = await service.command('export_metadata', {});
  await edit(article, (text) => text.replace("columns: '*'", 'columns: [id, title, published, author_id]'));
  await edit('cron_triggers.yaml', (text) => text.replace('name: nightly', 'name: hourly'));
  const shown = await run('apply', '--dry-run');
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toContain(
    '~ table public.article in source default  metadata/databases/default/tables/public_article.yaml:2:1\n    ~ select_permissions user\n',
  );
  expect(shown.out).toContain('+ cron trigger hourly  metadata/cron_triggers.yaml:1:3\n');
  expect(shown.out).toContain('- cron trigger nightly\n');
  expect(shown.out).toMatch(/Schema of the role user\n(.*\n)*- article\.body: String {2}breaks requests that use it\n/);
  const compared = await run('diff', '--exit-code', '-o', 'json');
  expect(compared.code).toBe(2);
  expect(JSON.parse(compared.out)).toMatchObject({
    changes: [
      { object: 'table public.article in source default', change: 'changed', members: [{ change: 'changed' }] },
      { object: 'cron trigger nightly', change: 'removed' },
      { object: 'cron trigger hourly', change: 'added', place: { line: 1, column: 3 } },
    ],
    schema_changes: expect.arrayContaining([expect.objectContaining({ role: 'user' })]),
    is_consistent: true,
    faults: [],
  });
  expect(await service.command('export_metadata', {})).toEqual(before);
});

it('diff of two directories needs no service', { timeout: 120_000 }, async () => {
  const other = await copyOfProject('version-3');
  try {
    await edit('rest_endpoints.yaml', (text) => text.replace('GET', 'POST'));
    const outcome = await joinery(['metadata', 'diff', join(other.folder, 'metadata'), 'metadata'], {}, project.folder);
    expect(outcome).toEqual({
      code: 0,
      err: '',
      out: '~ REST endpoint article  metadata/rest_endpoints.yaml:1:3\n    - methods GET\n    + methods POST\n',
    });
  } finally {
    await other.remove();
  }
});

it('reports inconsistent objects with their locations, lists, counts and drops them', {
  timeout: 120_000,
}, async () => {
  expect(await run('apply')).toMatchObject({ code: 0 });
  expect(await run('inconsistency', 'status')).toMatchObject({ code: 0, out: 'The metadata is consistent.\n' });
  await edit('remote_schemas.yaml', (text) => text.replace('REVIEWS_URL', 'GONE_URL'));
  const before = await service.command('export_metadata', {});
  for (const option of ['--strict', '--fail-on-inconsistent', '--disallow-inconsistent-metadata']) {
    const rejected = await run('apply', option);
    expect(rejected).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/remote_schemas\.yaml:\d+:\d+: /) });
  }
  expect(await service.command('export_metadata', {})).toEqual(before);
  const applied = await run('apply');
  expect(applied).toMatchObject({
    code: 0,
    err: expect.stringMatching(/GONE_URL" is not set \(and \d more objects\)\n$/),
  });
  expect(applied.err).toMatch(/^Warning: .*\n.*remote_schemas\.yaml:\d+:\d+: .*\n$/);
  expect(await run('ic', 'list')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^NAME +TYPE +REASON\n(.*\n)*.*GONE_URL/),
  });
  expect(await run('ic', 'status')).toMatchObject({ code: 1 });
  expect(await run('reload', '--remote-schema', 'reviews')).toMatchObject({ code: 1 });
  expect(await run('ic', 'drop')).toMatchObject({ code: 0, out: expect.stringContaining('remote schema reviews') });
  expect(await run('reload')).toMatchObject({ code: 0, out: expect.stringContaining('is consistent') });
});

it('applies members without effect with a warning at their location, and rejects them with --strict', {
  timeout: 120_000,
}, async () => {
  await edit('network.yaml', () => 'tls_allowlist:\n  - host: internal.example\n');
  await edit('actions.yaml', (text) =>
    text.replace('kind: asynchronous', 'kind: asynchronous\n      output_type: Int'),
  );
  const place = /metadata\/network\.yaml:\d+:\d+: .*"network" has no effect/;
  expect(await run('apply', '--dry-run', '--strict')).toMatchObject({ code: 1, err: expect.stringMatching(place) });
  const before = await service.command('export_metadata', {});
  expect(await run('apply', '--strict')).toMatchObject({ code: 1, err: expect.stringContaining('"output_type"') });
  await edit('actions.yaml', (text) => text.replace('\n      output_type: Int', ''));
  expect(await run('apply', '--strict')).toMatchObject({ code: 1, err: expect.stringMatching(place) });
  expect(await service.command('export_metadata', {})).toEqual(before);
  expect(await run('validate')).toMatchObject({ code: 0, err: expect.stringMatching(place) });
  const applied = await run('apply');
  expect(applied).toMatchObject({
    code: 0,
    err: expect.stringMatching(place),
    out: expect.stringContaining('Applied'),
  });
  expect(JSON.parse((await run('apply', '-o', 'json')).out)).toMatchObject({
    applied: true,
    faults: [],
    warnings: [{ path: '$.network', place: { file: expect.stringContaining('network.yaml') } }],
  });
  expect(await run('ic', 'list')).toMatchObject({ code: 0, out: expect.stringContaining('unsupported') });
  expect(await run('ic', 'status')).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 members have no effect'),
  });
  expect(await run('ic', 'status', '--strict')).toMatchObject({ code: 1 });
  expect(await run('reload')).toMatchObject({ code: 0, err: expect.stringContaining('"network"') });
  expect(await run('export')).toMatchObject({ code: 0, out: expect.stringContaining('already') });
});

it('warns of API limits that reject stored operations, at the location of the limit, also with --dry-run and --strict', {
  timeout: 120_000,
}, async () => {
  await edit('api_limits.yaml', (text) => text.replace('user: 5', 'user: 1'));
  const place =
    /metadata\/api_limits\.yaml:5:\d+: depth_limit 1 rejects query "article.*\n.*JOINERY_ENFORCE_API_LIMITS/;
  for (const option of ['--dry-run', '--strict']) {
    expect(await run('apply', option)).toMatchObject({ code: 0, err: expect.stringMatching(place) });
  }
  const applied = JSON.parse((await run('apply', '-o', 'json')).out);
  expect(applied).toMatchObject({ warnings: [], limits: [{ path: '$.api_limits.depth_limit.per_role.user' }] });
});

it('maps errors of the service to the file of the object, in any order of the includes', {
  timeout: 120_000,
}, async () => {
  await edit('databases/default/tables/tables.yaml', (text) => `${text.trim().split('\n').reverse().join('\n')}\n`);
  await edit(article, (text) => `${text.trimEnd()}\nlogical_model: writer\n`);
  const lines = (await readFile(join(project.folder, 'metadata', article), 'utf8')).split('\n');
  const line = lines.indexOf('logical_model: writer') + 1;
  const applied = await run('apply');
  expect(applied).toMatchObject({ code: 0, err: expect.stringContaining(`metadata/${article}:${line}:1: `) });
});

it('applies the files of a Hasura v2 project with warnings, and export --normalize removes what has no effect', {
  timeout: 120_000,
}, async () => {
  expect(await run('apply')).toMatchObject({ code: 0, err: '' });
  await edit('actions.yaml', (text) => `${text.replace(/kind: synchronous/g, 'kind: ""')}team_of_owners: x\n`);
  await edit(article, (text) =>
    text.replace("columns: '*'", "columns: '*'\n      backend_only: true\n      owner_team: x"),
  );
  const shown = await run('apply');
  expect(shown).toMatchObject({
    code: 0,
    err: expect.stringMatching(/public_article\.yaml:\d+:\d+: .*"backend_only"/),
  });
  expect(shown.err).toMatch(/public_article\.yaml:\d+:\d+: .*"owner_team" is unknown/);
  expect(await run('apply', '--strict')).toMatchObject({ code: 1, err: expect.stringContaining('"owner_team"') });
  expect(await run('export', '--normalize')).toMatchObject({ code: 0, err: '' });
  const written = await readFile(join(project.folder, 'metadata', article), 'utf8');
  expect(written).toMatch(/columns: '\*'\n *filter:/);
  expect(written).not.toContain('owner_team');
  expect(await readFile(join(project.folder, 'metadata/actions.yaml'), 'utf8')).not.toContain('team_of_owners');
  expect(await run('apply', '--strict')).toMatchObject({ code: 0, err: '' });
});

it('warns of a file that no part of the metadata is read from', { timeout: 60_000 }, async () => {
  await writeFile(join(project.folder, 'metadata/cron_trigger.yaml'), '[]\n');
  const outcome = await run('validate');
  expect(outcome).toMatchObject({ code: 0, err: expect.stringMatching(/cron_trigger\.yaml.*"cron_triggers\.yaml"\?/) });
});

it('clear requires --yes and preserves the files, which apply then restores', { timeout: 120_000 }, async () => {
  expect(await run('apply')).toMatchObject({ code: 0 });
  const before = await service.command('export_metadata', {});
  expect(await run('clear')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(await service.command('export_metadata', {})).toEqual(before);
  expect(await run('clear', '--yes')).toMatchObject({ code: 0 });
  expect(await service.command('export_metadata', {})).toMatchObject({ sources: [{ tables: [] }] });
  expect(await run('apply', '-o', 'json')).toMatchObject({ code: 0 });
  expect(await service.command('export_metadata', {})).toEqual(before);
});
