/** Runs a command and adds it to the audit log. */
import { toServiceError } from '../../base/errors.ts';
import type { CommandContext, CommandRequest, Tools } from '../metadata/command-context.ts';
import { describeArguments, isAudited } from './audited.ts';

interface Origin extends Partial<Pick<CommandContext, 'address' | 'requestId'>> {
  readonly author: string;
}

/** Characters. A message may quote values of the request. */
const LONGEST_ERROR = 1_000;

/** Resolves or rejects as `work` does. */
export async function audited(
  { audit, redacted = (text) => text }: Pick<Tools, 'audit' | 'redacted'>,
  { author, address, requestId = '' }: Origin,
  { type, args }: CommandRequest,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (audit === undefined || !isAudited(type, args)) return work();
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
