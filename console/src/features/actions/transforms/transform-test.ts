/** Runs `test_webhook_transform`. */
import type { TestedTransform } from '@joinery/metadata/api/remote-schemas';
import type { Client } from '../../../api/client.ts';
import type { ActionDraft } from '../action-draft.ts';
import { readRequest, readResponse } from './transform-draft.ts';

interface Trial {
  /** JSON text. */
  readonly call: string;
  readonly response: string;
  readonly status: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Throws Failure. */
export async function testTransforms(client: Client, draft: ActionDraft, trial: Trial): Promise<TestedTransform> {
  const { session_variables } = JSON.parse(trial.call) as { session_variables?: Readonly<Record<string, string>> };
  const args = {
    webhook_url: draft.handler.trim(),
    env: trial.env,
    request_headers: [['Content-Type', 'application/json']],
    ...(session_variables !== undefined && { session_variables }),
    request_transform: draft.transformsRequest ? readRequest(draft.request) : { version: 2 },
    ...(draft.transformsResponse && { response_transform: readResponse(draft.response) }),
  };
  const response = draft.transformsResponse ? `,"response":{"status":${trial.status},"body":${trial.response}}` : '';
  return client.command(
    'test_webhook_transform',
    `${JSON.stringify(args).slice(0, -1)},"body":${trial.call}${response}}`,
  );
}
