/** `test_webhook_transform`, and what its faults say. */
import type { Client } from '../../../api/client.ts';
import type { Failure } from '../../../api/failure.ts';
import type { ActionDraft } from '../action-draft.ts';
import { readRequest, readResponse } from './transform-draft.ts';

export interface Tried {
  readonly webhook_url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON, a form as text, or empty for none. */
  readonly body: unknown;
  readonly response?: { readonly status: number; readonly body: unknown };
}

interface Trial {
  /** JSON texts. */
  readonly call: string;
  readonly answer: string;
  readonly status: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Throws Failure. */
export async function tryTransforms(client: Client, draft: ActionDraft, trial: Trial): Promise<Tried> {
  const { session_variables } = JSON.parse(trial.call) as { session_variables?: Readonly<Record<string, string>> };
  const args = {
    webhook_url: draft.handler.trim(),
    env: trial.env,
    request_headers: [['Content-Type', 'application/json']],
    ...(session_variables !== undefined && { session_variables }),
    request_transform: draft.transformsRequest ? readRequest(draft.request) : { version: 2 },
    ...(draft.transformsResponse && { response_transform: readResponse(draft.response) }),
  };
  const answer = draft.transformsResponse ? `,"response":{"status":${trial.status},"body":${trial.answer}}` : '';
  return client.command<Tried>(
    'test_webhook_transform',
    `${JSON.stringify(args).slice(0, -1)},"body":${trial.call}${answer}}`,
  );
}

interface TemplateFault {
  readonly path?: string;
  readonly message?: string;
  /** From 0. */
  readonly source_position?: { readonly start_line: number; readonly start_column: number };
}

/** Each fault with the part of the transform that it is in, and where in the template it stands. */
export function faultsOf({ internal }: Failure): readonly { readonly path: string; readonly message: string }[] {
  if (!Array.isArray(internal)) return [];
  return (internal as readonly TemplateFault[]).map(({ path = '$', message = '', source_position: at }) => ({
    path: path.replace(/^\$\.args\./, ''),
    message: at === undefined ? message : `line ${at.start_line + 1}, column ${at.start_column + 1}: ${message}`,
  }));
}
