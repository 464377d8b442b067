/** Tests the transform of an event with a sample request. The service calls nothing. */

import type { TestedTransform } from '@joinery/metadata/api/webhook-transform';
import { Code, Stack, Text } from '@mantine/core';
import { jsonProblem, printPretty } from '../../api/exact-json.ts';
import { useCommand } from '../../api/use-command.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { sentence } from '../../ui/format.ts';
import { JsonView } from '../../ui/page/json-view.tsx';
import { templateProblems, variablesIn } from '../transforms/transform-result.ts';
import { transformProblem } from './delivery-draft.ts';
import type { Draft } from './event-draft.ts';
import { trialOf } from './transform-sample.ts';

export function TransformTest({ draft }: { readonly draft: Draft }) {
  const trial = useCommand(
    (client) => client.command('test_webhook_transform', trialOf(draft, variablesIn(draft.webhook), Date.now())),
    { changes: [] },
  );
  const reason = reasonAgainst(draft);
  const { failure } = trial;
  const problems = failure === undefined ? [] : templateProblems(failure);
  return (
    <Stack gap="xs" align="stretch" mt={8}>
      <div>
        <ReasonButton
          size="compact-sm"
          variant="default"
          fw={400}
          reason={reason}
          loading={trial.isPending}
          onClick={() => trial.run()}
        >
          Try the transform
        </ReasonButton>
      </div>
      {failure !== undefined && <FailureNotice title="The transform fails" failure={failure} />}
      {problems.map(({ path, message }) => (
        <Text key={path} size="sm">
          <Code>{path}</Code> {sentence(message)}
        </Text>
      ))}
      {trial.result !== undefined && failure === undefined && (
        <>
          <JsonView plain what="transformed request" text={headOf(trial.result)} />
          <JsonView what="transformed body" text={bodyOf(trial.result)} />
        </>
      )}
    </Stack>
  );
}

function reasonAgainst({ webhook, delivery, payload }: Draft): string | undefined {
  if (webhook.trim() === '') return 'Enter the webhook.';
  const transform = transformProblem(delivery);
  if (transform !== undefined) return `Transform: ${transform}`;
  const invalid = jsonProblem(payload);
  return invalid === undefined ? undefined : `Payload: ${invalid}`;
}

function headOf({ method, webhook_url, headers }: TestedTransform): string {
  return [`${method} ${webhook_url}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
}

function bodyOf({ body }: TestedTransform): string {
  return typeof body === 'string' ? body : printPretty(body);
}
