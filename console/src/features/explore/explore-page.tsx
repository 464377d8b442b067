/** The explorer: runs requests as any role, shows responses and plans. */
import { Autocomplete, Button, Checkbox, CopyButton, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { jsonProblem, prettyText, printPretty } from '../../api/exact-json.ts';
import { type Failure, toFailure } from '../../api/failure.ts';
import { metadataOf, useMetadata } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate, useLocation } from '../../router/location.ts';
import { curlOf } from '../../shared/graphql/curl.ts';
import { linkedOperation } from '../../shared/graphql/explore-link.ts';
import { explain, type Headers, readSchema, run } from '../../shared/graphql/graphql-api.ts';
import { type Draft, emptyDraft, operationsIn, storeDraft, storedDraft } from '../../shared/graphql/operation-draft.ts';
import { isSessionProblem, sessionHeaders } from '../../shared/graphql/role-session.ts';
import { Editor } from '../../ui/editor/editor.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { sentence } from '../../ui/format.ts';
import { PlayIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Section } from '../../ui/page/section.tsx';
import classes from './explore.module.css';
import { forgetOperations, pastOperations, rememberOperation } from './history.ts';
import { HistoryDrawer } from './history-drawer.tsx';
import { boxesOf } from './plan.ts';
import { PlanView } from './plan-view.tsx';
import { prettyOperation } from './prettify.ts';
import { rolesIn } from './roles.ts';
import { SavedOperations } from './saved-operations.tsx';
import { SchemaDocs } from './schema-docs.tsx';
import { SubscriptionView } from './subscription-view.tsx';
import { useSubscription } from './use-subscription.ts';

const TYPING_MS = 500;

export function ExplorePage() {
  const client = useClient();
  const [draft, setDraft] = useDraft();
  const [chosen, setChosen] = useState<string>();
  const [measure, setMeasure] = useState(false);
  const [docs, setDocs] = useState(false);
  const [history, setHistory] = useState(() => pastOperations(window.localStorage));
  const [historyOpened, setHistoryOpened] = useState(false);
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));

  const session = useMemo(
    () => sessionHeaders(draft.role, draft.session, client.headerPrefix),
    [draft.role, draft.session, client.headerPrefix],
  );
  const headers = isSessionProblem(session) ? undefined : session;
  const schema = useSchema(headers);
  const roles = useRoles();
  const language = useMemo(() => ({ schema: schema.data }), [schema.data]);
  const operations = useMemo(() => operationsIn(draft.query), [draft.query]);
  const operation = operations.find(({ name }) => name !== undefined && name === chosen) ?? operations[0];
  const request = { query: draft.query, variables: draft.variables, operationName: operation?.name };
  const problem = draft.variables.trim() === '' ? undefined : jsonProblem(draft.variables);
  const ready = headers !== undefined && problem === undefined && draft.query.trim() !== '';

  const response = useCommand((client, as: Headers) => run(client, request, as), { changes: [] });
  const plan = useCommand(
    (client, as: Headers) => explain(client, request, as, measure && operation?.kind === 'query'),
    { changes: [] },
  );
  const live = useSubscription(client);
  const start = (): void => {
    if (!ready) return;
    const { query, variables, role } = draft;
    setHistory(rememberOperation(window.localStorage, { query, variables, role: role.trim(), at: Date.now() }));
    // A subscription has many results over a websocket and one plan.
    if (operation?.kind === 'subscription') {
      response.reset();
      live.start(request, headers);
    } else {
      live.clear();
      response.run(headers);
    }
    plan.run(headers);
  };
  const prettify = (): void => {
    const query = prettyOperation(draft.query);
    const { variables } = draft;
    change({ ...(query !== undefined && { query }), variables: variables.trim() === '' ? '' : prettyText(variables) });
    if (query !== undefined) return;
    const text = 'It cannot be read, or has comments, which would be lost.';
    notify({ title: 'The operation was left as it is', text });
  };
  const curl =
    headers === undefined
      ? ''
      : curlOf({
          ...request,
          headers,
          origin: window.location.origin,
          headerPrefix: client.headerPrefix,
          secretRequired: client.secretRequired,
        });
  return (
    <>
      <PageHeader
        title="Explore"
        about="Run GraphQL requests as any role, and see their plans."
        actions={
          <Group gap="xs">
            <Button variant="default" onClick={() => setHistoryOpened(true)}>
              History
            </Button>
            <Button variant="default" disabled={schema.data === undefined} onClick={() => setDocs(true)}>
              Schema docs
            </Button>
          </Group>
        }
      />
      {schema.error !== null && (
        <FailureNotice
          title="The schema could not be read"
          failure={toFailure(schema.error)}
          onRetry={() => void schema.refetch()}
        />
      )}
      <div className={classes.columns}>
        <Stack gap="sm">
          <Editor
            label="Operation"
            height="18rem"
            language={language}
            text={draft.query}
            onChange={(query) => change({ query })}
            onRun={start}
          />
          <Group gap="sm">
            <Button leftSection={<PlayIcon size={16} />} loading={response.isPending} disabled={!ready} onClick={start}>
              Run
            </Button>
            {operations.length > 1 && (
              <NativeSelect
                aria-label="Which operation"
                data={operations.flatMap(({ name }) => name ?? [])}
                value={operation?.name ?? ''}
                onChange={(event) => setChosen(event.currentTarget.value)}
              />
            )}
            <Button variant="default" onClick={prettify}>
              Prettify
            </Button>
            <CopyButton value={curl} timeout={1_500}>
              {({ copied, copy }) => (
                <Button variant="default" disabled={!ready} onClick={copy}>
                  {copied ? 'Copied' : 'Copy as curl'}
                </Button>
              )}
            </CopyButton>
            <Checkbox
              label="Measure queries"
              checked={measure}
              onChange={(event) => setMeasure(event.currentTarget.checked)}
            />
          </Group>
          <Editor
            label="Variables"
            height="6rem"
            language="json"
            text={draft.variables}
            onChange={(variables) => change({ variables })}
            onRun={start}
          />
          {problem !== undefined && (
            <Text size="sm" c="var(--mantine-color-error)" role="status">
              {sentence(problem)}
            </Text>
          )}
          <SavedOperations
            query={draft.query}
            variables={draft.variables}
            onOpen={({ query, variables }) => change({ query, variables })}
          />
          <Autocomplete
            label="Role"
            placeholder="admin"
            autoComplete="off"
            // Suggestions that arrive after the text would not be shown.
            disabled={roles === undefined}
            data={roles ?? []}
            value={draft.role}
            onChange={(role) => change({ role })}
          />
          <Textarea
            label="Session variables"
            description="One on each line, such as user-id: 1. They are sent as headers beside the admin secret."
            spellCheck={false}
            autosize
            minRows={2}
            value={draft.session}
            error={isSessionProblem(session) ? sentence(session.problem) : undefined}
            onChange={(event) => change({ session: event.currentTarget.value })}
          />
        </Stack>
        <Stack gap="md">
          <Section title="Response">
            {live.subscription === undefined ? (
              <ResponseView response={response} subscribes={operation?.kind === 'subscription'} />
            ) : (
              <SubscriptionView subscription={live.subscription} onStop={live.stop} />
            )}
          </Section>
          <Section title="Plan">
            {plan.failure !== undefined && <FailureNotice title="There is no plan" failure={plan.failure} />}
            {plan.result !== undefined && <PlanView boxes={boxesOf(plan.result)} what="Plan" />}
            {plan.result?.length === 0 && <Text size="sm">It needs no statements or calls.</Text>}
            {plan.result === undefined && plan.failure === undefined && (
              <Text size="sm" c="dimmed">
                Statements, calls and joins of the operation are shown when it is run.
              </Text>
            )}
          </Section>
        </Stack>
      </div>
      {schema.data !== undefined && <SchemaDocs schema={schema.data} opened={docs} onClose={() => setDocs(false)} />}
      <HistoryDrawer
        opened={historyOpened}
        operations={history}
        onClose={() => setHistoryOpened(false)}
        onOpen={({ query, variables, role }) => {
          change({ query, variables, role });
          setHistoryOpened(false);
        }}
        onClear={() => {
          forgetOperations(window.localStorage);
          setHistory([]);
        }}
      />
    </>
  );
}

/** Returns the stored draft. An operation in the URL replaces it once. */
function useDraft() {
  const { search } = useLocation();
  const [draft, setDraft] = useState((): Draft => {
    const linked = linkedOperation(search);
    return linked === undefined ? storedDraft(window.sessionStorage) : { ...emptyDraft, ...linked };
  });
  useEffect(() => storeDraft(window.sessionStorage, draft), [draft]);
  useEffect(() => {
    const linked = linkedOperation(search);
    if (linked === undefined) return;
    setDraft({ ...emptyDraft, ...linked });
    navigate('/explore', { replace: true });
  }, [search]);
  return [draft, setDraft] as const;
}

/** Returns the roles of the metadata for completion; undefined until the metadata is read. */
function useRoles(): string[] | undefined {
  const { data, isPending } = useMetadata(metadataOf);
  return useMemo(() => (isPending ? undefined : [...rolesIn(data)]), [data, isPending]);
}

/** Queries the schema of the role, refetched when the metadata changes here. */
function useSchema(headers: Headers | undefined) {
  const client = useClient();
  const [typed] = useDebouncedValue(headers, TYPING_MS);
  return useQuery({
    queryKey: ['metadata', 'schema', typed],
    queryFn: ({ signal }) => readSchema(client, typed ?? {}, signal),
    enabled: typed !== undefined,
    staleTime: 60_000,
    // The open documentation remains while another schema loads.
    placeholderData: keepPreviousData,
  });
}

interface ResponseViewProps {
  readonly response: {
    readonly result: { response: unknown; durationMs: number } | undefined;
    readonly failure: Failure | undefined;
  };
  readonly subscribes: boolean;
}

function ResponseView({ response: { result, failure }, subscribes }: ResponseViewProps) {
  if (failure !== undefined) return <FailureNotice title="No response" failure={failure} />;
  if (result === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {subscribes
          ? 'Run the subscription: its results are shown as they come, until it is stopped.'
          : 'Run the operation, with the button or with Ctrl and Enter.'}
      </Text>
    );
  }
  return (
    <>
      <JsonView what="response" text={printPretty(result.response)} />
      <Text size="xs" c="dimmed" mt={4}>
        After {Math.max(1, Math.round(result.durationMs)).toLocaleString('en')} ms
      </Text>
    </>
  );
}
