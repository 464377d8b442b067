/** The result of an invocation with a status dot. */
import type { Invocation } from '@joinery/metadata/api/events/lists';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { readResponse } from './response.ts';

export function ResultStatus({ invocation }: { readonly invocation: Invocation }) {
  const { ok, summary } = readResponse(invocation);
  return <StatusDot tone={ok ? 'good' : 'bad'}>{summary}</StatusDot>;
}
