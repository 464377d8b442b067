/** Calls the saved handler of an action and shows what was sent and received. */
import type { HandlerTest, ShownHeader } from '@joinery/metadata/api/action-test';
import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { jsonProblem, printPretty } from '../../../api/exact-json.ts';
import { useCommand } from '../../../api/use-command.ts';
import { isSessionProblem, sessionHeaders } from '../../../shared/graphql/role-session.ts';
import { Editor } from '../../../ui/editor/editor.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { sentence } from '../../../ui/format.ts';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import type { Action, CustomTypes } from '../actions-api.ts';
import { sampleInput } from '../sample.ts';
import { SessionFields } from '../session-fields.tsx';

interface HandlerTestProps {
  /** The saved action. */
  readonly action: Action;
  readonly types: CustomTypes;
  readonly roles: readonly string[];
  /** Whether the form has changes that the test would not use. */
  readonly isUnsaved: boolean;
}

export function HandlerTestSection({ action, types, roles, isUnsaved }: HandlerTestProps) {
  const { headerPrefix } = useClient();
  const [typed, setTyped] = useState<string>();
  const [role, setRole] = useState('');
  const [session, setSession] = useState('');
  const input = typed ?? JSON.stringify(sampleInput(action, types), null, 2);
  const variables = sessionHeaders(role, session, headerPrefix);
  const test = useCommand(
    (client) =>
      client.command(
        'test_action_handler',
        `{"name":${JSON.stringify(action.name)},"input":${input},"session_variables":${JSON.stringify(variables)}}`,
      ),
    { changes: [] },
  );
  return (
    <Section title="Test">
      <Stack gap="sm">
        <Editor label="Input" height="7rem" language="json" text={input} onChange={setTyped} />
        <SessionFields
          roles={roles}
          role={role}
          onRole={setRole}
          session={session}
          onSession={setSession}
          problem={isSessionProblem(variables) ? variables.problem : undefined}
        />
        <Group gap="sm">
          <ReasonButton
            variant="default"
            loading={test.isPending}
            reason={reasonAgainst(isUnsaved, input, isSessionProblem(variables) ? variables.problem : undefined)}
            onClick={() => test.run()}
          >
            Call the handler
          </ReasonButton>
          <Text size="sm" c="dimmed">
            Calls the real handler with all of its effects.
          </Text>
        </Group>
        {test.failure !== undefined && <FailureNotice title="The handler was not called" failure={test.failure} />}
        {test.result !== undefined && <TestResult test={test.result} />}
      </Stack>
    </Section>
  );
}

function reasonAgainst(isUnsaved: boolean, input: string, session: string | undefined): string | undefined {
  if (isUnsaved) return 'Save the changes first. The test calls the saved handler.';
  const problem = jsonProblem(input);
  if (problem !== undefined) return `Input: ${problem}`;
  return session === undefined ? undefined : `Session variables: ${session}`;
}

function TestResult({ test: { request, response, error } }: { readonly test: HandlerTest }) {
  return (
    <Stack gap="xs">
      <StatusDot tone={error === undefined ? 'good' : 'bad'}>
        {response === null ? 'No response' : `Status ${response.status} after ${Math.round(response.duration_ms)} ms`}
      </StatusDot>
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {sentence(error.message)}
        </Text>
      )}
      <Text size="sm" fw={600}>
        Sent
      </Text>
      <JsonView
        plain
        what="sent request line and headers"
        text={[`${request.method} ${request.url}`, ...headerLines(request.headers)].join('\n')}
      />
      <BodyView what="sent body" body={request.body} />
      {response !== null && (
        <>
          <Text size="sm" fw={600}>
            Received
          </Text>
          <JsonView plain what="received headers" text={headerLines(response.headers).join('\n')} />
          <BodyView what="received body" body={response.body} />
        </>
      )}
    </Stack>
  );
}

function headerLines(headers: readonly ShownHeader[]): readonly string[] {
  return headers.map(({ name, value }) => `${name}: ${value}`);
}

function BodyView({ what, body }: { readonly what: string; readonly body: unknown }) {
  const isText = typeof body === 'string';
  return <JsonView what={what} plain={isText} text={isText ? body : printPretty(body)} />;
}
