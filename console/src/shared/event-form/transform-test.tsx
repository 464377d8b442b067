/** Tests the transform of an event with a sample request. The service calls nothing. */
import type { TestedTransform } from '@joinery/metadata/api/webhook-transform';
import { Button, Code, Stack, Text } from '@mantine/core';
import { jsonProblem, printPretty } from '../../api/exact-json.ts';
import { useCommand } from '../../api/use-command.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
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
  const ready =
    draft.webhook.trim() !== '' &&
    transformProblem(draft.delivery) === undefined &&
    jsonProblem(draft.payload) === undefined;
  const { failure } = trial;
  const problems = failure === undefined ? [] : templateProblems(failure);
  return (
    <Stack gap="xs" align="stretch" mt={8}>
      <div>
        <Button
          size="compact-sm"
          variant="default"
          fw={400}
          disabled={!ready}
          loading={trial.isPending}
          onClick={() => trial.run()}
        >
          Try the transform
        </Button>
        {draft.webhook.trim() === '' && (
          <Text span size="sm" c="dimmed" ms="sm">
            The webhook is needed for it.
          </Text>
        )}
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

function headOf({ method, webhook_url, headers }: TestedTransform): string {
  return [`${method} ${webhook_url}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
}

function bodyOf({ body }: TestedTransform): string {
  return typeof body === 'string' ? body : printPretty(body);
}
