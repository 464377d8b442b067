/** Tests of `joinery actions create`: it adds actions and types to the metadata directory, or changes nothing. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMetadataDirectory } from '../src/project/metadata-directory.ts';
import { copyOfProject, joinery, type TestProject } from './support/command.ts';
import { writeFiles } from './support/running-command.ts';

let project: TestProject;

beforeEach(async () => {
  project = await copyOfProject('version-3');
});

afterEach(() => project.remove());

const create = (...args: string[]) => joinery(['actions', 'create', ...args, '--project', project.folder]);

const sdl = `type Mutation {
  "ships an order"
  ship(order: Int!, to: ShipTo!): Shipment
}
type Query { carriers: [String!]! }
input ShipTo { city: String! }
type Shipment { id: Int! }
`;

describe('joinery actions create', () => {
  it('adds actions with handler, kind and roles, and their types, and keeps all other files', async () => {
    const before = await project.texts();
    const args = ['--handler', '{{HANDLERS}}/{name}', '--kind', 'asynchronous', '--role', 'clerk', 'driver'];
    expect(await create('--sdl', sdl, ...args)).toMatchObject({ code: 0, err: '' });
    const after = await project.texts();
    const changed = Object.keys(after).filter((file) => after[file] !== before[file]);
    expect(changed).toEqual(['metadata/actions.graphql', 'metadata/actions.yaml']);
    const { actions, custom_types } = (await readMetadataDirectory(join(project.folder, 'metadata'))) as {
      readonly actions: readonly { readonly name: string }[];
      readonly custom_types: Readonly<Record<string, readonly { readonly name: string }[]>>;
    };
    const permissions = [{ role: 'clerk' }, { role: 'driver' }];
    expect(actions.find(({ name }) => name === 'ship')).toMatchObject({
      definition: { type: 'mutation', kind: 'asynchronous', handler: '{{HANDLERS}}/ship', output_type: 'Shipment' },
      permissions,
      comment: 'ships an order',
    });
    expect(actions.find(({ name }) => name === 'carriers')).toMatchObject({
      definition: { type: 'query', handler: '{{HANDLERS}}/carriers', output_type: '[String!]!' },
      permissions,
    });
    expect(custom_types.objects?.map(({ name }) => name)).toContain('Shipment');
    expect(custom_types.input_objects?.map(({ name }) => name)).toContain('ShipTo');
  });

  it('reads the SDL of a file', async () => {
    await writeFiles(project.folder, { 'ship.graphql': 'type Query { ship: Boolean }\n' });
    const file = join(project.folder, 'ship.graphql');
    expect(await create('--file', file)).toMatchObject({ code: 0, out: expect.stringContaining('Added ship') });
  });

  it.each([
    ['an action that exists', 'type Query { ship: Int } extend type Query { ship: Int }', /ship/],
    ['invalid SDL', 'type Query { ship( }', /--sdl:1:\d+: /],
    ['SDL without an action', 'type Ship { id: Int }', /has no action/],
  ])('rejects %s and writes nothing', async (_case, text, message) => {
    const before = await project.texts();
    expect(await create('--sdl', text)).toMatchObject({ code: 1, err: expect.stringMatching(message) });
    expect(await project.texts()).toEqual(before);
  });

  it('rejects names of the project and writes nothing', async () => {
    expect(await create('--sdl', sdl)).toMatchObject({ code: 0 });
    const before = await project.texts();
    expect(await create('--sdl', sdl)).toMatchObject({
      code: 1,
      err: expect.stringContaining('"ship" already exists'),
    });
    expect(await create('--sdl', 'type Query { other: Shipment } type Shipment { id: Int! }')).toMatchObject({
      code: 1,
      err: expect.stringContaining('type "Shipment" already exists'),
    });
    expect(await project.texts()).toEqual(before);
  });

  it('rejects both or neither of --sdl and --file', async () => {
    expect(await create()).toMatchObject({ code: 1, err: expect.stringContaining('either --sdl or --file') });
    expect(await create('--sdl', sdl, '--file', 'x')).toMatchObject({ code: 1 });
  });
});
