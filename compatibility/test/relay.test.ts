/** Tests of the Relay compiler and runtime, unmodified, against the Relay schema of the service. */
import { mkdir, writeFile } from 'node:fs/promises';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type ProgramFolder, programFolder } from './program-folder.ts';
import { type Project, startProject } from './project.ts';

interface Page {
  readonly titles: readonly string[];
  readonly ids: readonly string[];
  readonly end: string;
  readonly more: boolean;
}

/** The exports of `programs/relay.ts`, which is compiled with the artifacts. */
interface App {
  load(first: number, after?: string): Promise<Page>;
  node(id: string): Promise<unknown>;
  rename(from: string, title: string): Promise<unknown>;
  watch(id: string, change: () => Promise<unknown>): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

interface Program {
  start(url: string, headers: Readonly<Record<string, string>>, webSocketImpl: unknown): App;
}

let project: Project;
let folder: ProgramFolder;
let program: Program;
let app: App;

beforeAll(async () => {
  project = await startProject();
  folder = await programFolder();
  const introspection = { query: getIntrospectionQuery() };
  const { body } = await project.service.post('/v1beta1/relay', introspection, project.user);
  const { data } = body as { readonly data: IntrospectionQuery };
  await writeFile(`${folder.path}/schema.graphql`, printSchema(buildClientSchema(data)));
  await folder.copy('relay', 'main');
  await folder.copy('relay-documents', 'documents', 'relay');
  await mkdir(`${folder.path}/src/relay/__generated__`);
  await folder.write('relay.config.json', {
    src: './src/relay',
    excludes: ['**/__generated__/**'],
    schema: './schema.graphql',
    language: 'typescript',
    artifactDirectory: './src/relay/__generated__',
    customScalarTypes: { uuid: 'string', bigint: 'number', jsonb: 'unknown' },
  });
  await folder.run('relay-compiler', 'relay.config.json');
  program = await folder.compiled<Program>('relay');
});
afterAll(async () => {
  await project?.stop();
  await folder?.remove();
});
beforeEach(async () => {
  await project.reset();
  await app?.stop();
  app = program.start(`${project.service.url}/v1beta1/relay`, project.user, WebSocket);
});
afterAll(() => app?.stop());

test('pages of a connection are merged in the store', async () => {
  const first = await app.load(1);
  expect(first).toMatchObject({ titles: ['Other by Bo'], more: true });
  const second = await app.load(1, first.end);
  expect(second).toMatchObject({ titles: ['Other by Bo', 'First by Ann'], more: true });
  expect(await app.load(5, second.end)).toMatchObject({
    titles: ['Other by Bo', 'First by Ann', 'Draft by Ann'],
    more: false,
  });
});

test('a node is found by its id', async () => {
  const { ids } = await app.load(1);
  expect(await app.node(ids[0] ?? '')).toMatchObject({ __typename: 'posts', id: ids[0], title: 'Other' });
});

test('a mutation returns rows with the same ids, which change in the store', async () => {
  const { ids } = await app.load(5);
  expect(await app.rename('First', 'A first')).toEqual({
    affected_rows: 1,
    returning: [{ id: ids[1], title: 'A first' }],
  });
  expect((await app.load(5)).titles).toEqual(['Other by Bo', 'Draft by Ann', 'A first by Ann']);
});

test('a subscription receives the changes of a node', async () => {
  const { ids } = await app.load(5);
  const change = () => project.run("update posts set title = 'Changed' where title = 'First'");
  expect(await app.watch(ids[1] ?? '', change)).toEqual(['First', 'Changed']);
});
