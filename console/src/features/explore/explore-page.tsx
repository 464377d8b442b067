/** The explorer: operations in tabs, run as any role, with their responses and plans. */
import { Alert, VisuallyHidden } from '@mantine/core';
import type { EditorView } from '@uiw/react-codemirror';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { prettyText } from '../../api/exact-json.ts';
import { toFailure } from '../../api/failure.ts';
import type { Headers } from '../../shared/graphql/graphql-api.ts';
import { operationsIn } from '../../shared/graphql/operation-draft.ts';
import { sharedLink } from '../../shared/graphql/shared-link.ts';
import { applied, type Edit } from '../../shared/graphql/text-edits.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { useShortcuts } from '../../ui/shortcuts/use-shortcuts.ts';
import { CodeDialog } from './code/code-dialog.tsx';
import type { DocPlace } from './docs/search-index.ts';
import { moveCaret } from './editor/caret.ts';
import { OperationPane } from './editor/operation-pane.tsx';
import { prettyOperation } from './editor/prettify.ts';
import classes from './explore.module.css';
import { forgetOperations, pastOperations, rememberOperation } from './history/history.ts';
import { PlanPane } from './plan/plan-pane.tsx';
import { RequestPane } from './request/request-pane.tsx';
import { sentHeaders } from './request/sent-headers.ts';
import { useRequestParts } from './request/use-request-parts.ts';
import { useRoleSchema } from './request/use-role-schema.ts';
import { withVariable } from './request/with-variable.ts';
import { ResponsePane } from './response/response-pane.tsx';
import { operationAt, textToSend } from './run/operation-at.ts';
import { type Run, statusOf } from './run/runs.ts';
import { type RunRequest, useRuns } from './run/use-runs.ts';
import { SideButtons, type SideName, SidePanel, storedSide, storeSide } from './side-panel.tsx';
import { TabBar } from './tabs/tab-bar.tsx';
import { useTabs } from './tabs/use-tabs.ts';
import { Workbench } from './workbench.tsx';

export function ExplorePage() {
  const client = useClient();
  const panel = useId();
  const { tabs, tab, linkFailure, dismissLink, ...tabActions } = useTabs();
  const change = tabActions.change;
  const [caret, setCaret] = useState(0);
  const [measure, setMeasure] = useState(false);
  const [side, setSide] = useState<SideName | undefined>(() => storedSide(window.localStorage));
  const [history, setHistory] = useState(() => pastOperations(window.localStorage));
  const [places, setPlaces] = useState<readonly DocPlace[]>([]);
  const [code, setCode] = useState(false);
  const view = useRef<EditorView | undefined>(undefined);

  const onEnd = useCallback((run: Run, { request, role, session }: RunRequest) => {
    const durationMs = run.response?.durationMs;
    const { query, variables } = request;
    const past = { query, variables, role, session, at: Date.now(), status: statusOf(run), durationMs };
    setHistory(rememberOperation(window.localStorage, past));
  }, []);
  const { runs, start, stop, clear, drop } = useRuns(client, onEnd);

  const { role, session, headers, sendsSecret } = tab;
  const sent = useMemo(
    () => sentHeaders({ role, session, headers, sendsSecret }, client.headerPrefix),
    [role, session, headers, sendsSecret, client.headerPrefix],
  );
  const schema = useRoleSchema(sent.sent, sendsSecret);
  const operations = useMemo(() => operationsIn(tab.query), [tab.query]);
  const operation = operationAt(operations, caret);
  const parts = useRequestParts(tab, sent, operation, schema.data);
  const problem = problemOf(tab.query, parts.hasErrors, sent.sent !== undefined);

  const run = (): void => {
    if (problem !== undefined || sent.sent === undefined) return;
    const query = textToSend(tab.query, operations, operation);
    start(tab.id, {
      request: { query, variables: tab.variables, operationName: operation?.name },
      kind: operation?.kind,
      sent: sent.sent,
      sendsSecret,
      user: sendsSecret || !client.secretRequired ? sent.user : undefined,
      measure,
      role: role.trim(),
      session,
    });
  };
  const close = (id: string): void => {
    drop(id);
    tabActions.close(id);
  };
  const prettify = (): void => {
    const query = prettyOperation(tab.query);
    const { variables } = tab;
    change({ ...(query !== undefined && { query }), variables: variables.trim() === '' ? '' : prettyText(variables) });
    if (query !== undefined) return;
    notify({
      title: 'The operation was not formatted',
      text: 'It has a syntax error, or comments, which would be lost.',
    });
  };
  const edit = (edits: readonly Edit[]): void => {
    const changes = edits.map((one) => ({ ...one }));
    if (view.current === undefined) change({ query: applied(tab.query, edits) });
    else view.current.dispatch({ changes, userEvent: 'input.click' });
  };
  const showDocs = useCallback((place: DocPlace): void => {
    setPlaces((before) => [...before, place]);
    setSide('Docs');
    storeSide(window.localStorage, 'Docs');
  }, []);
  const showSide = (name: SideName | undefined): void => {
    setSide(name);
    storeSide(window.localStorage, name);
  };
  useShortcuts('Explorer', [
    { keys: 'Mod+Enter', label: 'Run the operation under the caret' },
    { keys: 'Mod+F', label: 'Search the response, when it has the focus' },
    { keys: 'Mod+Shift+F', label: 'Format the operation and its variables', run: prettify },
    { keys: 'Mod+Shift+S', label: 'Stop the request or subscription', run: () => stop(tab.id) },
  ]);
  useEffect(() => {
    document.title = 'Explore · Joinery';
  }, []);
  return (
    <div className={classes.page} data-fill="">
      <VisuallyHidden component="h1">Explore</VisuallyHidden>
      <div className={classes.top}>
        <SideButtons side={side} onChange={showSide} />
        <TabBar
          tabs={tabs}
          runs={runs}
          panel={panel}
          onActivate={tabActions.activate}
          onClose={close}
          onOpen={() => tabActions.open()}
          onReopen={tabActions.reopen}
        />
      </div>
      {linkFailure !== undefined && (
        <Alert
          color="red"
          variant="outline"
          title="The link was not opened"
          withCloseButton
          closeButtonLabel="Dismiss"
          onClose={dismissLink}
        >
          {linkFailure.message}
        </Alert>
      )}
      {schema.error !== null && (
        <FailureNotice
          title="The schema could not be read"
          failure={toFailure(schema.error)}
          onRetry={() => void schema.refetch()}
        />
      )}
      <div className={classes.bench} id={panel} role="tabpanel" aria-label="Operation and response">
        <Workbench
          side={
            side && (
              <SidePanel
                name={side}
                schema={schema.data}
                tab={tab}
                caret={caret}
                places={places}
                history={history}
                onEdit={edit}
                onVariable={(name, value) => change({ variables: withVariable(tab.variables, name, value) })}
                onPlaces={setPlaces}
                onDocs={showDocs}
                onOpen={tabActions.open}
                onClearHistory={() => {
                  forgetOperations(window.localStorage);
                  setHistory([]);
                }}
              />
            )
          }
          operation={
            <OperationPane
              key={tab.id}
              tab={tab}
              schema={schema.data}
              operations={operations}
              operation={operation}
              view={view}
              isRunning={runs[tab.id]?.state === 'running'}
              problem={problem}
              measure={measure}
              onMeasure={setMeasure}
              onCaret={setCaret}
              onChoose={(chosen) => moveCaret(view.current, chosen.from)}
              onChange={change}
              onRun={run}
              onPrettify={prettify}
              onDocs={showDocs}
              onCode={() => setCode(true)}
              link={async () => {
                const { query, variables } = tab;
                return `${window.location.origin}/console${await sharedLink({ query, variables, role, session })}`;
              }}
            />
          }
          request={
            <RequestPane key={tab.id} {...parts.panes} sendsSecret={sendsSecret} onChange={change} onRun={run} />
          }
          response={
            <ResponsePane
              run={runs[tab.id]}
              subscribes={operation?.kind === 'subscription'}
              onStop={() => stop(tab.id)}
              onClear={() => clear(tab.id)}
            />
          }
          plan={<PlanPane run={runs[tab.id]} sendsSecret={sendsSecret} />}
        />
      </div>
      <CodeDialog
        opened={code}
        parts={{
          query: tab.query,
          variables: tab.variables,
          operationName: operations.length > 1 ? operation?.name : undefined,
          kind: operation?.kind,
          headers: withoutContentType(sent.sent ?? {}),
          origin: window.location.origin,
          headerPrefix: client.headerPrefix,
          sendsSecret: sendsSecret && client.secretRequired,
        }}
        onClose={() => setCode(false)}
      />
    </div>
  );
}

function withoutContentType({ 'content-type': _, ...headers }: Headers): Headers {
  return headers;
}

/** The reason why the operation cannot be run. */
function problemOf(query: string, hasErrors: boolean, hasHeaders: boolean): string | undefined {
  if (query.trim() === '') return 'The operation is empty.';
  if (hasErrors) return 'The variables are not JSON.';
  return hasHeaders ? undefined : 'A header or session variable is invalid.';
}
