/** What runs: which nodes there are, with what settings the one that answers runs, and which metadata it uses. */
import { z } from 'zod';
import { readArguments } from '../../events/commands/arguments.ts';
import { metadataApis, type ServiceCommand } from '../metadata/command-context.ts';
import { listNodes } from '../node-registry.ts';

const None = z.strictObject({}).nullish();

export const getNodes: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress, { tools }) => {
    readArguments(None, args);
    const nodes = await listNodes(tools.store.database.query);
    return { progress, answer: { nodes, answered_by: tools.node?.id ?? null } };
  },
};

/** Of the node that answers: others may have been started with other settings. */
export const getConfiguration: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress, { tools }) => {
    readArguments(None, args);
    return { progress, answer: { node: tools.node?.id ?? null, settings: tools.configuration ?? [] } };
  },
};

/** The version alone, for those who ask again and again whether it is still the same. */
export const getResourceVersion: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress) => {
    readArguments(None, args);
    return { progress, answer: { resource_version: progress.state.version } };
  },
};
