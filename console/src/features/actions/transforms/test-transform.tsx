/** Tests transforms with a sample request on the service, which calls nothing. */
import type { TestedTransform } from '@joinery/metadata/api/webhook-transform';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Client } from '../../../api/client.ts';
import { jsonProblem, printPretty } from '../../../api/exact-json.ts';
import { toFailure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import { templateProblems, variablesIn } from '../../../shared/transforms/transform-result.ts';
import { Editor } from '../../../ui/editor/editor.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { sentence } from '../../../ui/format.ts';
import { JsonView } from '../../../ui/page/json-view.tsx';
import type { ActionDraft } from '../action-draft.ts';
import classes from '../actions.module.css';
import { readRequest, readResponse } from './transform-draft.ts';

interface TransformTesterProps {
  readonly draft: ActionDraft;
  /** A sample request as JSON. */
  readonly sample: string;
}

export function TransformTester({ draft, sample }: TransformTesterProps) {
  const [typed, setTyped] = useState<string>();
  const [response, setResponse] = useState('{}');
  const [status, setStatus] = useState('200');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const variables = variablesIn(draft.handler);
  const call = typed ?? sample;
  const problem = jsonProblem(call) ?? (draft.transformsResponse ? jsonProblem(response) : undefined);
  const exampleOf = (name: string) => values[name] ?? `https://${name.toLowerCase().replaceAll('_', '-')}.example`;
  const trial = useCommand(
    (client) => {
      const env = Object.fromEntries(variables.map((name) => [name, exampleOf(name)]));
      return testTransforms(client, draft, { call, env, response, status: Number(status) });
    },
    { changes: [] },
  );
  return (
    <Stack gap="sm">
      {variables.map((name) => (
        <TextField
          key={name}
          label={`Value of ${name} for the trial`}
          description="The service does not show its environment here."
          value={exampleOf(name)}
          onChange={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      <Editor label="Sample of a call" height="11rem" language="json" text={call} onChange={setTyped} />
      {draft.transformsResponse && (
        <>
          <TextField
            label="Status of a sample response"
            inputMode="numeric"
            maw={220}
            value={status}
            onChange={setStatus}
          />
          <Editor label="Sample response" height="6rem" language="json" text={response} onChange={setResponse} />
        </>
      )}
      {problem !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          {sentence(problem)}
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          loading={trial.isPending}
          disabled={problem !== undefined || draft.handler.trim() === ''}
          onClick={() => trial.run()}
        >
          Try the transforms
        </Button>
        {draft.handler.trim() === '' && (
          <Text size="sm" c="dimmed">
            The handler is needed for it.
          </Text>
        )}
      </Group>
      {trial.failure !== undefined && <TestErrors error={trial.failure} />}
      {trial.result !== undefined && <Result tried={trial.result} />}
    </Stack>
  );
}

function TestErrors({ error }: { readonly error: Error }) {
  const failure = toFailure(error);
  const problems = templateProblems(failure);
  return (
    <>
      <FailureNotice title="The transforms failed" failure={failure} />
      {problems.length > 0 && (
        <ul className={classes.problems} aria-label="Errors of the templates">
          {problems.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <strong>{path}</strong>: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Result({ tried }: { readonly tried: TestedTransform }) {
  const head = [`${tried.method} ${tried.webhook_url}`, ...tried.headers.map(([name, value]) => `${name}: ${value}`)];
  return (
    <>
      <Text size="sm" fw={600}>
        The request that would be sent
      </Text>
      <JsonView plain what="request line and headers" text={head.join('\n')} />
      {tried.body === null ? (
        <Text size="sm" c="dimmed">
          Without a body.
        </Text>
      ) : (
        <JsonView
          what="request body"
          plain={typeof tried.body === 'string'}
          text={typeof tried.body === 'string' ? tried.body : printPretty(tried.body)}
        />
      )}
      {tried.response !== undefined && (
        <>
          <Text size="sm" fw={600}>
            Transformed sample response
          </Text>
          <JsonView what="transformed response" text={printPretty(tried.response.body)} />
        </>
      )}
    </>
  );
}

interface Trial {
  /** JSON text. */
  readonly call: string;
  readonly response: string;
  readonly status: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Throws Failure. */
async function testTransforms(client: Client, draft: ActionDraft, trial: Trial): Promise<TestedTransform> {
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
