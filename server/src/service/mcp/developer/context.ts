/** What the tools for developers share. */
import { ServiceError } from '../../../base/errors.ts';
import type { GraphQLHandler } from '../../graphql/handler.ts';
import type { OperationDependencies } from '../../graphql/run-operation.ts';
import type { Tools } from '../../metadata/command-context.ts';
import type { Service } from '../../service.ts';
import type { McpCaller } from '../tool.ts';

export interface DeveloperDependencies extends Pick<Tools, 'audit' | 'redacted'> {
  readonly service: Pick<Service, 'command' | 'preview'>;
  readonly graphql: Pick<GraphQLHandler, 'explain'>;
  readonly operations: OperationDependencies;
  /** The folder of the built documentation; undefined where it is not served. */
  readonly docs: string | undefined;
  /** Characters of a result. */
  readonly maxResult: number;
}

/** Runs a command of the metadata API for the caller. The call of the tool is audited, the command is not. */
export async function runCommand(
  { service }: Pick<DeveloperDependencies, 'service'>,
  { session, signal, span, address, requestId }: McpCaller,
  command: { readonly type: string; readonly args: unknown; readonly [member: string]: unknown },
): Promise<unknown> {
  return service.command(command, session, 'v1', { signal, span, address, requestId });
}

/** The result of a call without `confirm`: what it would do. */
export function unconfirmed(would: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { done: false, ...would, next: 'Nothing was changed. Call again with "confirm": true to do it.' };
}

/** Rejects with `timeout` when `work` takes longer, and cancels it. */
export async function withinSeconds<Result>(
  seconds: number,
  caller: McpCaller,
  work: (caller: McpCaller) => Promise<Result>,
): Promise<Result> {
  const { cancellation, release } = caller.signal.child();
  const message = `the SQL took longer than ${seconds} s and was canceled`;
  const timer = setTimeout(() => cancellation.abort(new ServiceError('timeout', message)), seconds * 1_000);
  try {
    return await work({ ...caller, signal: cancellation });
  } finally {
    clearTimeout(timer);
    release();
  }
}
