/** Runs a command, or a tool for developers, and adds it to the audit log. */
import { toServiceError } from '../../base/errors.ts';
import type { CommandContext, CommandRequest, Tools } from '../metadata/command-context.ts';
import { describeArguments, isAudited } from './audited.ts';

interface Origin extends Partial<Pick<CommandContext, 'address' | 'requestId'>> {
  readonly author: string;
}

/** Characters. A message may quote values of the request. */
const LONGEST_ERROR = 1_000;

type AuditTools = Pick<Tools, 'audit' | 'redacted'>;

/** Resolves or rejects as `work` does. Commands that read are not added. */
export async function audited(
  tools: AuditTools,
  origin: Origin,
  request: CommandRequest,
  work: () => Promise<unknown>,
): Promise<unknown> {
  return isAudited(request.type, request.args) ? recorded(tools, origin, request, work) : work();
}

/** As `audited`, for any command. */
export async function recorded<Result>(
  { audit, redacted = (text) => text }: AuditTools,
  { author, address, requestId = '' }: Origin,
  { type, args }: Pick<CommandRequest, 'type' | 'args'>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (audit === undefined) return work();
  const began = performance.now();
  const add = (code: string | null, error: string | null): void =>
    audit.add({
      at: new Date().toISOString(),
      author,
      address: address ?? null,
      request_id: requestId,
      command: type,
      arguments: describeArguments(args, redacted),
      code,
      error,
      duration_ms: Math.round(performance.now() - began),
    });
  try {
    const result = await work();
    add(null, null);
    return result;
  } catch (thrown) {
    const { code, message } = toServiceError(thrown);
    add(code, redacted(message.slice(0, LONGEST_ERROR)));
    throw thrown;
  }
}
