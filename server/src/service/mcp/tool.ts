/** Tools of the MCP server: their definition, and how a call is checked and its result is limited. */
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { z } from 'zod';
import type { McpScope } from '../../auth/scopes.ts';
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { GraphQLCaller } from '../graphql/run-operation.ts';
import { convertEditErrors } from '../metadata/apply-edit.ts';

type Json = Readonly<Record<string, unknown>>;

export interface McpCaller extends GraphQLCaller {
  /** The author of the call in the audit log. */
  readonly author: string;
}

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
}

export interface ToolResult {
  readonly text: string;
  /** Whether the call failed. */
  readonly isError: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The JSON schema of the arguments, which is that of an object. */
  readonly inputSchema: Json;
  readonly annotations: ToolAnnotations;
  /** The scope that a call needs; undefined for tools of applications, which the permissions of the role restrict. */
  readonly scope?: McpScope;
  /** Rejects with a ServiceError. */
  run(args: Json, caller: McpCaller): Promise<ToolResult>;
}

export interface ToolDefinition<Args> {
  readonly name: string;
  readonly description: string;
  readonly scope?: McpScope;
  readonly annotations: ToolAnnotations;
  readonly args: z.ZodType<Args>;
  /** Resolves to the result as text, or as a value that is printed as JSON. */
  run(args: Args, caller: McpCaller): Promise<unknown>;
}

/** Returns the tool; its arguments are checked by the schema, whose JSON schema clients get. */
export function defineTool<Args>({ args: schema, run, ...definition }: ToolDefinition<Args>): Tool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return {
    ...definition,
    inputSchema,
    run: async (args, caller) => {
      const result = await run(readArguments(schema, args), caller);
      return isToolResult(result) ? result : success(result);
    },
  };
}

function success(result: unknown): ToolResult {
  return { text: typeof result === 'string' ? result : printJson(result), isError: false };
}

function isToolResult(result: unknown): result is ToolResult {
  return typeof result === 'object' && result !== null && 'text' in result && 'isError' in result;
}

function readArguments<Args>(schema: z.ZodType<Args>, args: Json): Args {
  try {
    return convertEditErrors(() => parseArguments(schema, args));
  } catch (error) {
    const { code, message, path } = toServiceError(error);
    throw new ServiceError(code, message, { path: `$.arguments${path.replace(/^\$(?:\.args)?/, '')}`, cause: error });
  }
}

export interface CallSettings {
  /** Characters of a result. */
  readonly maxResult: number;
  readonly observe: Observe;
}

/** Runs the tool. Never rejects: an error is a result with `errors`, as those of a GraphQL response. */
export async function callTool(
  tool: Tool,
  args: Json,
  caller: McpCaller,
  { maxResult, observe }: CallSettings,
): Promise<ToolResult> {
  try {
    const result = await tool.run(args, caller);
    return result.text.length <= maxResult ? result : tooLong(tool, result, maxResult);
  } catch (thrown) {
    const error = toServiceError(thrown);
    observe({ kind: 'refused', requestId: caller.requestId, role: caller.session.role, error });
    return { text: printJson({ errors: [graphqlError(error, caller.showInternal)] }), isError: true };
  }
}

/** The result of a call that may have changed something must not look like a failure, after which clients call again. */
function tooLong({ annotations }: Tool, { text, isError }: ToolResult, most: number): ToolResult {
  const excess = `the result has ${text.length} characters, and JOINERY_MCP_MAX_RESULT is ${most}`;
  if (annotations.readOnlyHint || isError) {
    const message = `${excess}; request less, such as fewer fields or rows`;
    const error = new ServiceError('result-limit-exceeded', message);
    return { text: printJson({ errors: [graphqlError(error, false)] }), isError: true };
  }
  return { text: `The call succeeded, but ${excess}. It begins with: ${text.slice(0, most)}`, isError: false };
}
