/** The two sets of tools of the MCP server, and the calls of their tools. */
import type { Metadata } from '@joinery/metadata/metadata';
import { grantedScopes, type McpScope } from '../../auth/scopes.ts';
import type { Session } from '../../auth/session.ts';
import type { ServiceError } from '../../base/errors.ts';
import { type ApplicationSettings, createApplicationTools } from './application-tools.ts';
import type { DeveloperDependencies } from './developer/context.ts';
import { createDeveloperTools, recordRejected } from './developer/developer-tools.ts';
import { callTool, type McpCaller, type Tool, type ToolResult } from './tool.ts';

export interface Toolset {
  /** Returns the tools that the session may call. */
  tools(session: Session): readonly Tool[];
  /** Returns the scope that the tool needs and the session does not have; undefined if it lacks none. */
  missingScope(session: Session, name: string): McpScope | undefined;
  /** Adds a call that was rejected before it ran to the audit log, if calls of the tools are added. */
  recordRejected(name: string, args: unknown, caller: McpCaller, error: ServiceError): Promise<void>;
  /** Never rejects. */
  call(tool: Tool, args: Readonly<Record<string, unknown>>, caller: McpCaller): Promise<ToolResult>;
}

export interface Toolsets {
  readonly application: Toolset;
  readonly developer: Toolset;
}

export interface ToolsetSettings extends ApplicationSettings {
  /** The scopes of the tools for developers that are enabled. */
  readonly scopes: ReadonlySet<McpScope>;
}

export function createToolsets(
  dependencies: DeveloperDependencies & { readonly metadata: () => Metadata },
  settings: ToolsetSettings,
): Toolsets {
  const { operations, metadata, maxResult } = dependencies;
  const call: Toolset['call'] = (tool, args, caller) =>
    callTool(tool, args, caller, { maxResult, observe: operations.observe });
  const developerTools = createDeveloperTools(dependencies);
  const granted = (session: Session, { scope }: Pick<Tool, 'scope'>): boolean =>
    scope === undefined || grantedScopes(settings.scopes, session).has(scope);
  return {
    application: {
      tools: createApplicationTools({ ...operations, metadata }, settings),
      missingScope: () => undefined,
      recordRejected: () => Promise.resolve(),
      call,
    },
    developer: {
      tools: (session) => developerTools.filter((tool) => granted(session, tool)),
      missingScope: (session, name) => {
        const tool = developerTools.find((one) => one.name === name);
        return tool === undefined || granted(session, tool) ? undefined : tool.scope;
      },
      recordRejected: (name, args, caller, error) => recordRejected(name, args, caller, error, dependencies),
      call,
    },
  };
}
