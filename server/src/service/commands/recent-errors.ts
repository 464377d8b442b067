/** `get_refused_requests`: what was refused lately on this node, and why. */
import { GetRecentErrors } from '@joinery/metadata/api/recent-errors';
import { readArguments } from '../../events/commands/arguments.ts';
import { metadataApis, type ServiceCommand } from '../metadata/command-context.ts';

export const refusedRequests: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress, { tools }) => {
    const { code, limit } = readArguments(GetRecentErrors, args);
    const all = tools.recentErrors?.list() ?? [];
    const requests = all.filter((one) => code === undefined || one.code === code).slice(0, limit);
    return { progress, answer: { counts: tools.recentErrors?.counts() ?? {}, requests } };
  },
};
