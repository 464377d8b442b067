/** Tests transforms with a sample request on the service, which calls nothing. */

import type { TestedTransform } from '@joinery/metadata/api/webhook-transform';
import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { jsonProblem, parseExactly, printPretty } from '../../api/exact-json.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { Editor } from '../../ui/editor/editor.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import classes from '../../ui/form/form.module.css';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { sentence } from '../../ui/format.ts';
import { JsonView } from '../../ui/page/json-view.tsx';
import type { HeaderDraft } from '../headers/header-draft.ts';
import { type HeaderPair, requestHead } from '../request-preview/request-head.ts';
import type { SavedRequest, SavedResponse } from './transform-draft.ts';
import { templateProblems } from './transform-result.ts';
import { type TestedRequest, testArguments, testVariables } from './transform-test.ts';

interface TransformTesterProps {
  /** Where requests go. `name`: what the form calls it, such as `handler`. */
  readonly webhook: { readonly url: string; readonly fromEnvironment?: boolean; readonly name: string };
  /** The configured headers, which the transform can change. */
  readonly headers: readonly HeaderDraft[];
  /** Undefined without a transform. */
  readonly request: SavedRequest | undefined;
  readonly response: SavedResponse | undefined;
  /** The body of a sample request as JSON text. Another one replaces what was typed. */
  readonly sample: string;
  /** The headers that the service adds after the transform. */
  readonly ownHeaders?: readonly HeaderPair[];
  /** Label of the button. */
  readonly action?: string;
}

export function TransformTester(props: TransformTesterProps) {
  const {
    webhook,
    headers,
    request,
    response: transform,
    sample,
    ownHeaders = [],
    action = 'Try the transforms',
  } = props;
  const [typed, setTyped] = useState<{ readonly text: string; readonly sample: string }>();
  const [response, setResponse] = useState('{}');
  const [status, setStatus] = useState('200');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const call = typed?.sample === sample ? typed.text : sample;
  const tested: TestedRequest = { webhook, headers, request, call };
  const problem = jsonProblem(call) ?? (transform === undefined ? undefined : jsonProblem(response));
  const variables = testVariables(tested, values);
  const trial = useCommand(
    async (client) => {
      const sample = transform && { transform, response, status: Number(status) };
      const result = await testTransforms(client, tested, variables, sample);
      // Without a transform the body is sent as it is, with all digits of its numbers.
      return request === undefined ? { ...result, body: parseExactly(call) } : result;
    },
    { changes: [] },
  );
  const isUnknown = webhook.url.trim() === '';
  return (
    <Stack gap="sm">
      {Object.entries(variables).map(([name, value]) => (
        <TextField
          key={name}
          label={`Value of ${name} for the trial`}
          description="The service does not show its environment here."
          value={value}
          onChange={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      <Editor
        label="Sample of a call"
        height="11rem"
        language="json"
        text={call}
        onChange={(text) => setTyped({ text, sample })}
      />
      {transform !== undefined && (
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
        <ReasonButton
          variant="default"
          loading={trial.isPending}
          reason={isUnknown ? `Enter the ${webhook.name}.` : problem && sentence(problem)}
          onClick={() => trial.run()}
        >
          {action}
        </ReasonButton>
      </Group>
      {trial.failure !== undefined && <TestErrors error={trial.failure} />}
      {trial.result !== undefined && <Result tried={trial.result} ownHeaders={ownHeaders} />}
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

interface ResultProps {
  readonly tried: TestedTransform;
  readonly ownHeaders: readonly HeaderPair[];
}

function Result({ tried, ownHeaders }: ResultProps) {
  const { method, webhook_url: url, headers, body } = tried;
  const head = requestHead({ method, url, headers, own: ownHeaders, hasBody: body !== null });
  return (
    <>
      <Text size="sm" fw={600}>
        The request that would be sent
      </Text>
      <JsonView plain what="request line and headers" text={head} />
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

interface SampleResponse {
  readonly transform: SavedResponse;
  /** JSON text. */
  readonly response: string;
  readonly status: number;
}

/** Throws Failure. */
async function testTransforms(
  client: Client,
  tested: TestedRequest,
  variables: Readonly<Record<string, string>>,
  sample: SampleResponse | undefined,
): Promise<TestedTransform> {
  const args = {
    ...testArguments(tested, variables),
    ...(sample !== undefined && { response_transform: sample.transform }),
  };
  const response = sample === undefined ? '' : `,"response":{"status":${sample.status},"body":${sample.response}}`;
  return client.command(
    'test_webhook_transform',
    `${JSON.stringify(args).slice(0, -1)},"body":${tested.call}${response}}`,
  );
}
