/** The commands about nodes: their list, the configuration and recent errors of this one, and its metadata version. */

import { NoArguments } from '@joinery/metadata/api/metadata';
import { GetRecentErrors } from '@joinery/metadata/api/recent-errors';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';
import { listNodes } from '../node-registry.ts';
import { readCommand } from './command.ts';

export const getNodes: ServiceCommand<CommandResult<'get_nodes'>> = readCommand(
  NoArguments,
  async (_args, _progress, { tools }) => ({
    nodes: await listNodes(tools.store.database.query),
    answered_by: tools.node?.id ?? null,
  }),
);

/** The configuration of the node that responds: others may have been started with another one. */
export const getConfiguration: ServiceCommand<CommandResult<'get_configuration'>> = readCommand(
  NoArguments,
  (_args, _progress, { tools }) => ({
    node: tools.node?.id ?? null,
    settings: tools.configuration ?? [],
  }),
);

/** Returns the version alone, for clients that poll it. */
export const getResourceVersion: ServiceCommand<CommandResult<'get_resource_version'>> = readCommand(
  NoArguments,
  (_args, { state }) => ({ resource_version: state.version }),
);

/** Returns the recent errors of this node, and their counts by code. */
export const getRecentErrors: ServiceCommand<CommandResult<'get_refused_requests'>> = readCommand(
  GetRecentErrors,
  ({ code, limit }, _progress, { tools }) => {
    const all = tools.recentErrors?.list() ?? [];
    const requests = all.filter((one) => code === undefined || one.code === code).slice(0, limit);
    return { counts: tools.recentErrors?.counts() ?? {}, requests };
  },
);
