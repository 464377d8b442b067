/** The result of an invocation with a status dot. */
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { type LoggedCall, readResponse } from './response.ts';

export function ResultStatus({
  invocation,
}: {
  readonly invocation: Pick<LoggedCall, 'status' | 'response' | 'rejection'>;
}) {
  const { ok, summary } = readResponse(invocation);
  return <StatusDot tone={ok ? 'good' : 'bad'}>{summary}</StatusDot>;
}
