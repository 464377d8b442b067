/**
 * Random metadata commands on two nodes, compared with a model of the API. `MODEL_SEED` and `MODEL_SCALE` select other commands and more
 * of them; a failure prints the seed and the shortest steps that fail.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { modelRuns, unhurried } from '../seed.ts';
import { brokenDocument, fullDocument } from './commands.ts';
import { type Document, emptyDocument } from './documents.ts';
import { type Nodes, startNodes } from './nodes.ts';
import { serverNames } from './remote-servers.ts';
import { anyStep, relatedStep, remoteStep, runSteps, type Step } from './steps.ts';

let nodes: Nodes;

beforeAll(async () => {
  nodes = await startNodes();
});

afterAll(() => nodes?.stop());

/** Removes all metadata, with the cron triggers that `clear_metadata` keeps. */
async function clear(): Promise<void> {
  for (const name of ['daily', 'yearly']) await nodes.send(0, { type: 'delete_cron_trigger', args: { name } });
  for (const server of serverNames) nodes.serve(server, 'full');
  const args = { document: emptyDocument, allow_inconsistent_metadata: false };
  const { code, body } = await nodes.send(0, { type: 'replace_metadata', args });
  if (code !== undefined) throw new Error(`the metadata cannot be cleared: ${JSON.stringify(body)}`);
  await nodes.exportOf(1);
}

const replacedWith = (document: Document, allow_inconsistent_metadata: boolean): Step => ({
  kind: 'run',
  node: 0,
  command: { type: 'replace_metadata', args: { document, allow_inconsistent_metadata } },
  version: 'none',
});

/** Creates two objects and more of several kinds, each in the reverse of the order of exports. */
const reversed: readonly Step[] = [
  ...['tag', 'author', 'article'].map((table) => ({ type: 'track_table', args: { table } })),
  ...['shop', 'desk'].flatMap((name) => [
    {
      type: 'create_query_collection',
      args: { name, definition: { queries: [{ name: 'one', query: '{ __typename }' }] } },
    },
    { type: 'add_collection_to_allowlist', args: { collection: name } },
    {
      type: 'create_rest_endpoint',
      args: {
        ...{ name, url: name, methods: ['GET'] },
        definition: { query: { collection_name: name, query_name: 'one' } },
      },
    },
  ]),
  ...['super', 'chief'].map((role_name) => ({
    type: 'add_inherited_role',
    args: { role_name, role_set: ['user', 'guest'] },
  })),
].map((command) => ({ kind: 'run', node: 1, command, version: 'none' }));

const starts: readonly (readonly Step[])[] = [
  [],
  reversed,
  [replacedWith(fullDocument, false)],
  [replacedWith(brokenDocument, true)],
];

test('metadata commands on two nodes have the results of the model', unhurried, async () => {
  const steps = fc.tuple(fc.constantFrom(...starts), fc.array(anyStep, { maxLength: 16, size: 'max' }));
  await fc.assert(
    fc.asyncProperty(steps, async ([start, rest]) => {
      await clear();
      await runSteps(nodes, [...start, ...rest]);
    }),
    modelRuns(8),
  );
});

test.each([
  ['a relationship is renamed with the rules of permissions that use it', relatedStep],
  ['a remote schema is changed with its permissions and relationships', remoteStep],
])('%s', unhurried, async (_rule, step) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12, size: 'max' }), async (rest) => {
      await clear();
      await runSteps(nodes, [replacedWith(fullDocument, false), ...rest]);
    }),
    modelRuns(4),
  );
});
