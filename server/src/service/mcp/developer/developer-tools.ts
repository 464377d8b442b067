/** The tools of developers: each has a scope, and each call is added to the audit log. */
import { recorded } from '../../audit/audited-command.ts';
import type { Tool } from '../tool.ts';
import type { DeveloperDependencies } from './context.ts';
import { docsTools } from './docs-tools.ts';
import { eventTools } from './event-tools.ts';
import { metadataTools } from './metadata-tools.ts';
import { operationTools } from './operation-tools.ts';
import { sqlTools } from './sql-tools.ts';

/** Precedes the name of the tool in the audit log. */
const PREFIX = 'mcp:';

export function createDeveloperTools(dependencies: DeveloperDependencies): readonly Tool[] {
  const tools = [
    ...metadataTools(dependencies),
    ...operationTools(dependencies),
    ...sqlTools(dependencies),
    ...eventTools(dependencies),
    ...docsTools(dependencies.docs),
  ];
  return tools.map((tool) => ({
    ...tool,
    run: (args, caller) =>
      recorded(dependencies, caller, { type: PREFIX + tool.name, args }, () => tool.run(args, caller)),
  }));
}
