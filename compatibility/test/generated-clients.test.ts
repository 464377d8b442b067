/** Tests of generators of clients and types, unmodified: what they generate from the service compiles and runs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ProgramFolder, programFolder } from './program-folder.ts';
import { ann, type Project, startProject } from './project.ts';

interface Program {
  run(url: string, headers: Readonly<Record<string, string>>, user: string): Promise<unknown>;
}

interface FailingProgram extends Program {
  fail(url: string, headers: Readonly<Record<string, string>>): Promise<unknown>;
}

let project: Project;
let folder: ProgramFolder;

beforeAll(async () => {
  project = await startProject();
  folder = await programFolder();
});
afterAll(async () => {
  await project?.stop();
  await folder?.remove();
});
beforeEach(() => project.reset());

/** Returns the headers of the user as options of a command. */
function headers(flag: string, separator: string): string[] {
  return Object.entries(project.user).flatMap(([name, value]) => [flag, `${name}${separator}${value}`]);
}

const result = { title: 'First', author: 'Ann', text: 'Hello Ann', rows: 1, count: 2 };

test('graphql-codegen with the client preset generates typed documents from the schema of a role', async () => {
  await folder.copy('codegen');
  await folder.write('codegen.json', {
    schema: [{ [project.endpoint]: { headers: project.user } }],
    documents: ['src/codegen/main.ts'],
    generates: {
      'src/codegen/gql/': {
        preset: 'client',
        presetConfig: { fragmentMasking: false },
        config: { strictScalars: true, scalars: { uuid: 'string', bigint: 'number', jsonb: 'unknown' } },
      },
    },
  });
  await folder.run('graphql-codegen', '--config', 'codegen.json');
  const program = await folder.compiled<Program>('codegen');
  expect(await program.run(project.endpoint, project.user, ann)).toEqual(result);
});

test('gql.tada infers the types of documents from the schema that it downloads', async () => {
  await folder.copy('tada');
  const options = ['--output', 'schema.graphql', ...headers('--header', ': ')];
  await folder.run('gql.tada', 'generate-schema', project.endpoint, ...options);
  await folder.run('gql.tada', 'generate-output');
  const program = await folder.compiled<Program>('tada');
  expect(await program.run(project.endpoint, project.user, ann)).toEqual(result);
});

describe.each([
  ['genql', () => ['--output', 'src/genql/generated', '--endpoint', project.endpoint, ...headers('-H', ': ')]],
  ['zeus', () => [project.endpoint, 'src/zeus', ...headers('-h', ':')]],
])('%s', (name, options) => {
  let program: FailingProgram;

  beforeAll(async () => {
    await folder.copy(name);
    await folder.run(name, ...options());
    program = await folder.compiled<FailingProgram>(name);
  });

  test('generates a typed client that queries, mutates and calls actions', async () => {
    expect(await program.run(project.endpoint, project.user, ann)).toEqual(result);
  });

  test('throws the error of an action', async () => {
    // zeus writes errors to the console.
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await program.fail(project.endpoint, project.user)).toEqual(['a name is required']);
    written.mockRestore();
  });
});
