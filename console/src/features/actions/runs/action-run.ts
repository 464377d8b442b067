/** The state and the calls of a run of an asynchronous action, in the form of all logs of calls. Pure. */
import type { ActionCall, ActionRun, ActionRunStatus } from '@joinery/metadata/api/action-runs';
import type { LoggedCall } from '../../../shared/events/response.ts';
import type { StatusDotProps } from '../../../ui/feedback/status-dot.tsx';

export const runStatuses: readonly ActionRunStatus[] = ['created', 'processing', 'completed', 'error'];

const labels: Readonly<Record<ActionRunStatus, string>> = {
  created: 'Waiting',
  processing: 'In flight',
  completed: 'Completed',
  error: 'Failed',
};

const tones: Readonly<Record<ActionRunStatus, StatusDotProps['tone']>> = {
  created: 'waiting',
  processing: 'busy',
  completed: 'good',
  error: 'bad',
};

/** The status as a label and a color. A run that waits after a failed call is retrying. */
export function shownRunStatus({ status, tries }: Pick<ActionRun, 'status' | 'tries'>) {
  return { label: status === 'created' && tries > 0 ? 'Retrying' : labels[status], tone: tones[status] };
}

/** Returns the label of a status in the filter, where `created` includes runs that are retrying. */
export function statusLabel(status: ActionRunStatus): string {
  return status === 'created' ? 'Waiting or retrying' : labels[status];
}

export function isRunStatus(text: string | null): text is ActionRunStatus {
  return runStatuses.some((one) => one === text);
}

/** Returns a call of a handler with the members of all logs. */
export function loggedActionCall(call: ActionCall): LoggedCall {
  const { attempt, ended_at, duration_ms, sent, response, error } = call;
  return {
    id: String(attempt),
    status: response?.status ?? null,
    created_at: ended_at,
    attempt,
    duration_ms,
    request: { payload: null, headers: [], sent },
    response: { data: response === null ? { message: error } : response },
    ...(response !== null && error !== null && { rejection: error }),
  };
}
