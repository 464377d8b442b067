/** Tests of invalid input: a message with file, line and hint, a non-zero exit code, and unchanged metadata. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../../../server/test/support/service/test-service.ts';
import { copyOfProject, joinery, type TestProject } from '../support/command.ts';
import { metadataService } from '../support/metadata-service.ts';

let service: TestService;
let project: TestProject;
let before: unknown;
beforeAll(async () => {
  service = await metadataService();
}, 120_000);
afterAll(() => service.stop());
beforeEach(async () => {
  project = await copyOfProject('version-3');
  before = await service.command('export_metadata', {});
});
afterEach(async () => {
  expect(await service.command('export_metadata', {})).toEqual(before);
  await project.remove();
});

const run = (args: readonly string[], endpoint = service.url) =>
  joinery(['metadata', ...args, '--endpoint', endpoint], {}, project.folder);

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const path = join(project.folder, 'metadata', file);
  await writeFile(path, change(await readFile(path, 'utf8')));
}

const tables = 'databases/default/tables';

describe('joinery metadata apply rejects', { timeout: 120_000 }, () => {
  it.each([
    ['invalid YAML', () => edit('actions.yaml', (text) => `${text}  - name: [\n`), /metadata\/actions\.yaml:\d+:\d+: /],
    [
      'a duplicate key',
      () => edit('cron_triggers.yaml', (text) => `${text}  comment: again\n`),
      /metadata\/cron_triggers\.yaml:19:3: Map keys must be unique/,
    ],
    [
      'a missing include',
      () => rm(join(project.folder, 'metadata', tables, 'public_author.yaml')),
      /metadata\/databases\/default\/tables\/tables\.yaml:3:3: .*public_author\.yaml does not exist; create it/,
    ],
    [
      'the same table twice',
      () => edit(`${tables}/tables.yaml`, (text) => `${text}- table: author\n`),
      /metadata\/databases\/default\/tables\/tables\.yaml:5:3: table "?author"? is defined twice/,
    ],
    [
      'an action that is only in the YAML',
      () => edit('actions.graphql', (text) => text.replace('archive(', 'archiv(')),
      /metadata\/actions\.yaml:2:5: action "archive" has no signature in actions\.graphql; add it/,
    ],
    [
      'an action that is only in the SDL',
      () => edit('actions.graphql', (text) => text.replace('archive(', 'burn: Int\n  archive(')),
      /metadata\/actions\.graphql:20:3: action "burn" is not in actions\.yaml; add it there/,
    ],
    [
      'invalid SDL',
      () => edit('actions.graphql', (text) => text.replace('scalar Moment', 'scalr Moment')),
      /metadata\/actions\.graphql:41:1: /,
    ],
    [
      'an unknown member in an included file',
      () => edit(`${tables}/public_author.yaml`, (text) => text.replace('filter: {}', 'filtr: {}')),
      /metadata\/databases\/default\/tables\/public_author\.yaml:27:7: unknown member "filtr"; did you mean "filter"\?/,
    ],
    [
      'an unknown member of databases.yaml',
      () => edit('databases/databases.yaml', (text) => text.replace('  tables:', '  tabels:')),
      /metadata\/databases\/databases\.yaml:\d+:3: unknown member "tabels"; did you mean "tables"\?/,
    ],
    [
      'an unknown member of cron_triggers.yaml',
      () => edit('cron_triggers.yaml', (text) => text.replace('  schedule:', '  retry_con: {}\n  schedule:')),
      /metadata\/cron_triggers\.yaml:\d+:3: unknown member "retry_con"; did you mean "retry_conf"\?/,
    ],
    [
      'an unknown member at the root of actions.yaml',
      () => edit('actions.yaml', (text) => `acions: []\n${text}`),
      /metadata\/actions\.yaml:1:1: unknown member "acions"; did you mean "actions"\?/,
    ],
    [
      'an unknown member of the custom types in actions.yaml',
      () => edit('actions.yaml', (text) => text.replace('custom_types:\n', 'custom_types:\n  object: []\n')),
      /metadata\/actions\.yaml:\d+:3: unknown member "object"; did you mean "objects"\?/,
    ],
    [
      'an unknown member of a custom type in actions.yaml',
      () => edit('actions.yaml', (text) => text.replace('relationships:', 'relationship:')),
      /metadata\/actions\.yaml:\d+:\d+: unknown member "relationship"; did you mean "relationships"\?/,
    ],
    [
      'a custom type that is only in actions.yaml',
      () =>
        edit('actions.yaml', (text) => text.replace('custom_types:\n', 'custom_types:\n  unions:\n    - name: Gone\n')),
      /metadata\/actions\.yaml:\d+:\d+: union "Gone" is not in actions\.graphql/,
    ],
    [
      'an unknown member of version.yaml',
      () => edit('version.yaml', (text) => `${text}vesion: 3\n`),
      /metadata\/version\.yaml:2:1: unknown member "vesion"; did you mean "version"\?/,
    ],
    [
      'an unknown type, at the field that names it',
      () => edit('actions.graphql', (text) => text.replace('at: Moment', 'at: Momnt')),
      /metadata\/actions\.graphql:\d+:\d+: .*Momnt/,
    ],
    [
      'a relationship to an unknown column',
      () => edit('actions.yaml', (text) => text.replace('articleId: id', 'articleId: nothing')),
      /metadata\/actions\.yaml:\d+:\d+: .*nothing/,
    ],
  ])('%s', async (_what, damage, message) => {
    await damage();
    const outcome = await run(['apply', '--fail-on-inconsistent']);
    expect(outcome.err).toMatch(message);
    expect(outcome).toMatchObject({ code: 1, out: '' });
  });

  it('an unknown root member of a single file, with the nearest member', async () => {
    await writeFile(join(project.folder, 'config.yaml'), 'version: 3\nmetadata_file: metadata.json\n');
    await writeFile(join(project.folder, 'metadata.json'), '{ "version": 3,\n  "sources": [],\n  "actionss": [] }\n');
    const message = /metadata\.json:3:3: unknown member "actionss" of the metadata; did you mean "actions"\?/;
    for (const command of ['apply', 'validate']) {
      expect(await run([command])).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) });
    }
  });

  it('a missing directory, an unknown version and invalid settings', async () => {
    await mkdir(join(project.folder, 'empty'));
    expect(await run(['apply', '--dir', 'empty'])).toMatchObject({ code: 1, err: expect.stringContaining('--dir') });
    await writeFile(join(project.folder, 'metadata/version.yaml'), 'version: 4\n');
    const unknown = {
      code: 1,
      err: expect.stringContaining('version.yaml:1:1: version 4 is not supported, 2 and 3 are'),
    };
    expect(await run(['apply'])).toMatchObject(unknown);
    await writeFile(join(project.folder, 'config.yaml'), 'version: 1\n');
    expect(await run(['apply'])).toMatchObject({ code: 1, err: expect.stringMatching(/config\.yaml.*version 1/) });
  });

  it('an unreachable service, another server, and another version of the service', async () => {
    const down = await run(['apply'], 'http://127.0.0.1:1');
    expect(down).toMatchObject({ code: 1, err: expect.stringMatching(/cannot connect to.*ECONNREFUSED.*--endpoint/) });
    await using older = await startProxy({ version: '0.0.9' });
    const rejected = await run(['apply'], older.url);
    expect(rejected).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has version 0\.0\.9, this command .*--any-version/),
    });
    await using other = await startProxy({ version: 'v2.48.0', type: undefined });
    expect(await run(['apply'], other.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not a Joinery service'),
    });
  });
});

it('the second of two concurrent applies, because the metadata has changed', {
  timeout: 120_000,
}, async () => {
  const first = { type: 'create_query_collection', args: { name: 'meanwhile', definition: { queries: [] } } };
  await using proxy = await startProxy({ before: () => service.command(first.type, first.args) });
  const outcome = await run(['apply', '-o', 'json'], proxy.url);
  expect(outcome.code).toBe(1);
  expect(JSON.parse(outcome.out)).toMatchObject({
    error: expect.stringContaining('nothing was applied: the metadata changed at the same time'),
    faults: [{ code: 'conflict' }],
  });
  await service.command('drop_query_collection', { collection: 'meanwhile', cascade: true });
});

it('reports a wrong secret with the settings that contain it', { timeout: 120_000 }, async () => {
  const guarded = await metadataService({ JOINERY_ADMIN_SECRET: 'right' });
  try {
    const wrong = await run(['apply', '--admin-secret', 'wrong'], guarded.url);
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringMatching(/access-denied.*--admin-secret.*--header-prefix/),
    });
    expect(wrong.err).not.toContain('wrong');
    const exported = await guarded.post(
      '/v1/query',
      { type: 'export_metadata', args: {} },
      { 'x-service-admin-secret': 'right' },
    );
    expect(exported.body).toMatchObject({ sources: [{ tables: [] }] });
    // The environment comes before .env, and .env before config.yaml.
    await writeFile(join(project.folder, '.env'), `JOINERY_ADMIN_SECRET=right\nJOINERY_ENDPOINT=${guarded.url}\n`);
    expect(await joinery(['metadata', 'ic', 'status'], {}, project.folder)).toMatchObject({ code: 0 });
    const overridden = await joinery(['metadata', 'ic', 'status'], { JOINERY_ADMIN_SECRET: 'wrong' }, project.folder);
    expect(overridden.code).toBe(1);
  } finally {
    await guarded.stop();
  }
});

it('reports several errors at once, as text and as JSON, without a service', { timeout: 120_000 }, async () => {
  await edit('cron_triggers.yaml', (text) => text.replace('include_in_metadata: true', 'include_in_metadata: yes'));
  await edit('inherited_roles.yaml', (text) => text.replace('role_set:', 'roles:'));
  const outcome = await joinery(['metadata', 'validate', '-o', 'json'], {}, project.folder);
  expect(outcome.code).toBe(1);
  const { faults: errors } = JSON.parse(outcome.out) as { faults: object[] };
  expect(errors).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ place: { file: 'metadata/cron_triggers.yaml', line: 4, column: 3 } }),
      expect.objectContaining({ place: { file: 'metadata/inherited_roles.yaml', line: 1, column: 3 } }),
    ]),
  );
});

interface VersionProxy {
  readonly url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A proxy in front of the service that reports another version, and runs `before` ahead of each `replace_metadata`. */
async function startProxy(given: {
  version?: string;
  type?: string | undefined;
  before?: () => Promise<unknown>;
}): Promise<VersionProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (request.url === '/v1/version' && given.version !== undefined) {
      const type = 'type' in given ? given.type : 'joinery';
      response.end(JSON.stringify({ server_type: type, version: given.version }));
      return;
    }
    if (body.includes('"replace_metadata"')) await given.before?.();
    const post = { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-service-role': 'admin' } };
    const result = await fetch(`${service.url}${request.url}`, request.method === 'POST' ? post : {});
    response.statusCode = result.status;
    response.end(await result.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
