/** Runs an action as a role and shows the response and the plan. Polls the result of an asynchronous action. */
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../api/client.ts';
import { useClient } from '../../../api/context.ts';
import { jsonProblem, printPretty } from '../../../api/exact-json.ts';
import { toFailure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import { navigate } from '../../../router/location.ts';
import {
  type ExplainedStep,
  explain,
  type GraphQLRequest,
  type Headers,
  run,
} from '../../../shared/graphql/graphql-api.ts';
import { storeDraft } from '../../../shared/graphql/operation-draft.ts';
import { boxesOf } from '../../../shared/graphql/plan/plan.ts';
import { PlanView } from '../../../shared/graphql/plan/plan-view.tsx';
import { isSessionProblem, sessionHeaders } from '../../../shared/graphql/role-session.ts';
import { useAdminSchema } from '../../../shared/graphql/use-admin-schema.ts';
import { Editor } from '../../../ui/editor/editor.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import form from '../../../ui/form/form.module.css';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { sentence } from '../../../ui/format.ts';
import { PlayIcon } from '../../../ui/page/icons.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import classes from '../actions.module.css';
import type { Action, CustomTypes } from '../actions-api.ts';
import { isAsynchronous, type JoinedFields, resultQuery } from '../sample.ts';
import { SessionFields } from '../session-fields.tsx';
import { type AsyncResult, idIn, resultIn } from './async-result.ts';
import { type JoinedField, useRequest } from './use-request.ts';

interface CalledAction {
  readonly action: Action;
  readonly types: CustomTypes;
}

interface RunActionProps extends CalledAction {
  /** The roles of the metadata. */
  readonly roles: readonly string[];
}

export function RunAction({ action, types, roles }: RunActionProps) {
  const client = useClient();
  const { query, variables, change, joinedFields, joined } = useRequest(action, types);
  const { language } = useAdminSchema();
  const [role, setRole] = useState('');
  const [session, setSession] = useState('');
  const headers = sessionHeaders(role, session, client.headerPrefix);
  const problem = variables.trim() === '' ? undefined : jsonProblem(variables);
  const call = useCommand(
    async (client, as: Headers) => {
      const request = { query, variables, operationName: undefined };
      const [{ response, durationMs }, plan] = await Promise.all([
        run(client, request, as),
        planOf(client, request, as),
      ]);
      return { response, durationMs, as, plan };
    },
    { changes: [['action-state', action.name]] },
  );
  const reason = reasonAgainst(query, problem, isSessionProblem(headers) ? headers.problem : undefined);
  const start = (): void => {
    if (reason === undefined && !isSessionProblem(headers)) call.run(headers);
  };
  const asynchronous = isAsynchronous(action);
  const id = asynchronous ? idIn(call.result?.response) : undefined;
  return (
    <div className={classes.runner}>
      <Stack gap="sm">
        {joinedFields.length > 0 && <JoinedFieldsGroup fields={joinedFields} />}
        <Editor
          label="Request"
          height="16rem"
          language={language}
          text={query}
          onChange={(changed) => change({ query: changed })}
          onRun={start}
        />
        <Editor
          label="Variables"
          height="7rem"
          language="json"
          text={variables}
          onChange={(changed) => change({ variables: changed })}
          onRun={start}
        />
        {problem !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="status">
            {sentence(problem)}
          </Text>
        )}
        <SessionFields
          roles={roles}
          role={role}
          onRole={setRole}
          session={session}
          onSession={setSession}
          problem={isSessionProblem(headers) ? headers.problem : undefined}
        />
        <Group gap="sm">
          <ReasonButton leftSection={<PlayIcon size={16} />} loading={call.isPending} reason={reason} onClick={start}>
            Run
          </ReasonButton>
          <Button
            variant="default"
            onClick={() => {
              storeDraft(window.sessionStorage, { query, variables, role, session });
              navigate('/explore');
            }}
          >
            Open in Explore
          </Button>
        </Group>
      </Stack>
      <Stack gap="sm">
        {call.failure !== undefined && <FailureNotice title="No response" failure={call.failure} />}
        {call.result === undefined && call.failure === undefined && (
          <Text size="sm" c="dimmed">
            Calls the real handler with all of its effects.
            {asynchronous && ' The response is an ID. The result of the handler appears here.'}
          </Text>
        )}
        {call.result !== undefined && (
          <div>
            <JsonView what="response" text={printPretty(call.result.response)} />
            <Text size="xs" c="dimmed" mt={4}>
              After {Math.max(1, Math.round(call.result.durationMs)).toLocaleString('en')} ms
            </Text>
          </div>
        )}
        {call.result !== undefined && id !== undefined && (
          <Result key={id} id={id} action={action} types={types} joined={joined} headers={call.result.as} />
        )}
        {call.result?.plan !== undefined && call.result.plan.length > 0 && (
          <Section title="Plan">
            <PlanView boxes={boxesOf(call.result.plan)} what="Plan" />
          </Section>
        )}
      </Stack>
    </div>
  );
}

function reasonAgainst(query: string, variables: string | undefined, session: string | undefined): string | undefined {
  if (query.trim() === '') return 'Enter a request.';
  if (variables !== undefined) return `Variables: ${variables}`;
  return session === undefined ? undefined : `Session variables: ${session}`;
}

/** Returns undefined where the service has no plan, such as for a request that it rejects. */
async function planOf(
  client: Client,
  request: GraphQLRequest,
  user: Headers,
): Promise<readonly ExplainedStep[] | undefined> {
  try {
    return await explain(client, request, user, false);
  } catch {
    return undefined;
  }
}

/** Selects joined fields in the request. */
function JoinedFieldsGroup({ fields }: { readonly fields: readonly JoinedField[] }) {
  return (
    <fieldset className={form.fieldset}>
      <legend className={form.legend}>Joined fields</legend>
      <Group gap="md">
        {fields.map(({ name, isSelected, reason, toggle }) => (
          <Checkbox
            key={name}
            label={name}
            checked={isSelected}
            disabled={reason !== undefined}
            description={reason}
            onChange={toggle}
          />
        ))}
      </Group>
    </fieldset>
  );
}

interface ResultProps extends CalledAction {
  readonly id: string;
  readonly joined: JoinedFields;
  readonly headers: Headers;
}

const PAUSE_MS = 1_000;

/** Polls until the action has completed or failed. */
function Result({ id, action, types, joined, headers }: ResultProps) {
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: ['action-result', action.name, id],
    queryFn: async () => {
      const variables = JSON.stringify({ id });
      const request = { query: resultQuery(action, types, joined), variables, operationName: undefined };
      return resultIn((await run(client, request, headers)).response, action.name);
    },
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' || state.data === undefined ? PAUSE_MS : false),
    gcTime: 0,
  });
  if (error !== null) return <FailureNotice title="The result could not be read" failure={toFailure(error)} />;
  const { state, shown }: AsyncResult = data ?? { state: 'waiting', shown: undefined };
  return (
    <div>
      <StatusDot tone={state === 'waiting' ? 'busy' : state === 'done' ? 'good' : 'bad'}>
        {state === 'waiting' ? 'Waiting for the handler' : state === 'done' ? 'Done' : 'Failed'}
      </StatusDot>
      {state !== 'waiting' && <JsonView what="result" text={printPretty(shown)} />}
    </div>
  );
}
