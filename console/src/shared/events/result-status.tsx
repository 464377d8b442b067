/** What came of a call, in a word with a light. */

import { Light } from '../../ui/feedback/status-dot.tsx';
import type { Invocation } from './events-api.ts';
import { readResponse } from './response.ts';

export function ResultLight({ invocation }: { readonly invocation: Invocation }) {
  const { ok, summary } = readResponse(invocation);
  return <Light tone={ok ? 'good' : 'bad'}>{summary}</Light>;
}
