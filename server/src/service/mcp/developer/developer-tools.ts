/** The tools of developers: each has a scope, and each call is added to the audit log. */
import { type ErrorCode, errorCodes, ServiceError } from '../../../base/errors.ts';
import { parseJson } from '../../../base/json-value.ts';
import { recorded } from '../../audit/audited-command.ts';
import type { McpCaller, Tool, ToolResult } from '../tool.ts';
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
  return tools.map((tool) => ({ ...tool, run: (args, caller) => runAudited(tool, args, caller, dependencies) }));
}

/** Runs the tool. A result with errors is added to the audit log as an error. */
async function runAudited(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  caller: McpCaller,
  dependencies: DeveloperDependencies,
): Promise<ToolResult> {
  let failed: ToolResult | undefined;
  const call = recorded(dependencies, caller, { type: PREFIX + tool.name, args }, async () => {
    const result = await tool.run(args, caller);
    if (!result.isError) return result;
    failed = result;
    throw errorOf(result);
  });
  return call.catch((error: unknown) => {
    if (failed === undefined) throw error;
    return failed;
  });
}

/** Adds a call that was rejected before it ran, such as one whose token lacks a scope. */
export async function recordRejected(
  name: string,
  args: unknown,
  caller: McpCaller,
  error: ServiceError,
  dependencies: DeveloperDependencies,
): Promise<void> {
  const rejected = recorded(dependencies, caller, { type: PREFIX + name, args }, () => Promise.reject(error));
  await rejected.catch(() => undefined);
}

/** Returns the first error of a result. */
function errorOf({ text }: ToolResult): ServiceError {
  const { errors } = parseJson(text) as {
    readonly errors: readonly [{ readonly message: string; readonly extensions?: { readonly code?: unknown } }];
  };
  const { message, extensions } = errors[0];
  const code = Object.keys(errorCodes).find((one) => one === extensions?.code) as ErrorCode | undefined;
  return new ServiceError(code ?? 'unexpected', message);
}
