/** The SQL page: editor, options, results, saved queries and history. */

import { statementsOf } from '@joinery/metadata/sql/statements';
import { Button, Group, Kbd, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { EditorView, type Extension } from '@uiw/react-codemirror';
import { useMemo, useRef, useState } from 'react';
import type { Client } from '../../api/client.ts';
import type { Failure } from '../../api/failure.ts';
import type { Timed } from '../../api/polling.ts';
import { useCommand } from '../../api/use-command.ts';
import { useLocation } from '../../router/location.ts';
import { readSourceTables } from '../../shared/sources/sources-api.ts';
import { type TableName, tableKey } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { runSql, type SqlRequest, type SqlResult } from '../../shared/sql/sql-api.ts';
import { CreatedTables, SqlFailure } from '../../shared/sql/sql-result.tsx';
import { canCreateTables, indexOf, postgresErrorOf } from '../../shared/sql/sql-text.ts';
import { Editor } from '../../ui/editor/editor.tsx';
import type { Mark } from '../../ui/editor/editor-props.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { useShortcuts } from '../../ui/shortcuts/use-shortcuts.ts';
import { SidePanel } from './side-panel.tsx';
import classes from './sql.module.css';
import { sqlNamesKey, useNameCompletion } from './sql-names.ts';
import { StatementResults } from './statement-results.tsx';
import { draftSql, forgetSql, keepDraft, type RanSql, rememberSql, sqlHistory } from './stored-sql.ts';

/** SQL to run, or to explain, and where it begins in the text of the editor. */
interface Run extends SqlRequest {
  readonly start: number;
  /** What precedes the SQL of the user. */
  readonly lead: string;
}

interface Ran {
  readonly run: Run;
  readonly result: Timed<SqlResult>;
  /** New tables and views. */
  readonly created: readonly TableName[];
}

type Explain = 'no' | 'plan' | 'measured';
const leads: Readonly<Record<Explain, string>> = {
  no: '',
  plan: 'explain (format json) ',
  measured: 'explain (analyze, buffers, format json) ',
};

export function SqlPage() {
  const queries = useQueryClient();
  const { search } = useLocation();
  const sources = useSources();
  const [draft, setDraft] = useState(() => initialDraft(search));
  const { sql, source } = draft;
  const [readOnly, setReadOnly] = useState(false);
  const [cascade, setCascade] = useState(false);
  const [check, setCheck] = useState<'auto' | 'always' | 'never'>('auto');
  const [history, setHistory] = useState(() => sqlHistory(window.localStorage));
  const [hasSelection, setHasSelection] = useState(false);
  const view = useRef<EditorView>(undefined);
  const running = useRef<AbortController>(undefined);
  const change = (changed: Partial<typeof draft>): void => {
    const next = { ...draft, ...changed };
    setDraft(next);
    keepDraft(window.localStorage, next);
  };
  const refresh = (): void => {
    for (const key of [['metadata'], ['rows'], sqlNamesKey]) void queries.invalidateQueries({ queryKey: [...key] });
  };
  const remember = ({ sql, source, lead }: Run, ran: Pick<RanSql, 'outcome' | 'durationMs'>): void => {
    if (lead !== '') return;
    setHistory(rememberSql(window.localStorage, { sql, source, at: new Date().toISOString(), ...ran }));
  };
  const statement = useCommand(
    (client, run: Run) => {
      running.current = new AbortController();
      return perform(client, run, running.current.signal);
    },
    {
      onDone: ({ result }, run) => {
        remember(run, { outcome: 'succeeded', durationMs: result.durationMs });
        // The result is shown before the metadata is read again.
        refresh();
      },
      onFailure: (_failure, run) => {
        remember(run, { outcome: running.current?.signal.aborted === true ? 'stopped' : 'failed' });
        refresh();
      },
      changes: [],
    },
  );
  const { result, failure, isPending, input } = statement;
  const run = (explain: Explain): void => {
    const { from, to } = view.current?.state.selection.main ?? { from: 0, to: 0 };
    const chosen = from === to ? { text: sql, start: 0 } : { text: sql.slice(from, to), start: from };
    if (chosen.text.trim() === '' || isPending) return;
    if (explain !== 'no' && statementsOf(chosen.text).length !== 1) {
      notify({ title: 'Select one statement', text: 'A plan is that of one statement.' });
      return;
    }
    statement.run({
      source,
      sql: leads[explain] + chosen.text,
      start: chosen.start,
      lead: leads[explain],
      // A measured statement is run, and must not change rows.
      readOnly: readOnly || explain !== 'no',
      cascade: cascade && explain === 'no',
      check: check === 'auto' ? undefined : check === 'always',
    });
  };
  const stop = (): void => {
    running.current?.abort();
    statement.reset();
    notify({ title: 'Stopped', text: 'The database cancels the SQL and undoes its changes.' });
  };
  useShortcuts('SQL', [
    { keys: 'Mod+Enter', label: 'Run the text, or the selection' },
    { keys: 'Mod+Shift+S', label: 'Stop the statement', run: () => statement.isPending && stop() },
  ]);
  const completion = useNameCompletion(source);
  const extensions = useMemo<Extension>(
    () => [
      completion,
      EditorView.updateListener.of((update) => {
        view.current = update.view;
        if (update.selectionSet || update.docChanged) setHasSelection(!update.state.selection.main.empty);
      }),
    ],
    [completion],
  );
  const marks = useMemo(() => marksOf(failure, input, sql), [failure, input, sql]);
  const disabledReason = sql.trim() === '' ? 'Enter SQL.' : undefined;
  const what = hasSelection ? ' selection' : '';
  return (
    <>
      <PageHeader title="SQL" about="Runs statements in one transaction, as the database user of the source." />
      <div className={classes.page}>
        <Stack gap="md" className={classes.main ?? ''}>
          <Editor
            label="SQL"
            language="sql"
            height="16rem"
            text={sql}
            onChange={(text) => change({ sql: text })}
            onRun={() => run('no')}
            extensions={extensions}
            {...(marks !== undefined && { marks })}
          />
          <Group gap="md" align="end">
            <NativeSelect
              size="xs"
              label="Source"
              data={sources.data?.map(({ name }) => name) ?? [source]}
              value={source}
              onChange={(event) => change({ source: event.currentTarget.value })}
            />
            <NativeSelect
              size="xs"
              label="Check the metadata"
              data={[
                { value: 'auto', label: 'If the SQL may change tables' },
                { value: 'always', label: 'Always' },
                { value: 'never', label: 'Never' },
              ]}
              value={check}
              onChange={(event) => setCheck(event.currentTarget.value as typeof check)}
            />
            <Switch
              size="sm"
              mb={6}
              label="Read only"
              checked={readOnly}
              onChange={(event) => setReadOnly(event.currentTarget.checked)}
            />
            <Switch
              size="sm"
              mb={6}
              label="Drop metadata objects that the SQL breaks"
              checked={cascade}
              onChange={(event) => setCascade(event.currentTarget.checked)}
            />
            <Group gap="xs" ms="auto">
              <ReasonButton
                variant="default"
                title="Shows the plan. Does not run the SQL."
                reason={disabledReason ?? (isPending ? 'A statement is running.' : undefined)}
                onClick={() => run('plan')}
              >
                Explain{what}
              </ReasonButton>
              <ReasonButton
                variant="default"
                title="Runs the SQL in a read-only transaction and shows times and rows of the plan."
                reason={disabledReason ?? (isPending ? 'A statement is running.' : undefined)}
                onClick={() => run('measured')}
              >
                Measure{what}
              </ReasonButton>
              {isPending && (
                <Button variant="default" onClick={stop}>
                  Stop
                </Button>
              )}
              <Text size="xs" c="dimmed" visibleFrom="sm">
                <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
              </Text>
              <ReasonButton onClick={() => run('no')} loading={isPending} reason={disabledReason}>
                Run{what}
              </ReasonButton>
            </Group>
          </Group>
          {failure !== undefined && input !== undefined && <SqlFailure failure={failure} sql={input.sql} />}
          {failure === undefined && result !== undefined && (
            <>
              <StatementResults key={result.run.sql + result.result.durationMs} result={result.result} />
              <CreatedTables source={result.run.source} created={result.created} />
            </>
          )}
        </Stack>
        <SidePanel
          draft={draft}
          history={history}
          onOpen={(chosen) => change({ sql: chosen.sql, source: chosen.source })}
          onForget={() => {
            forgetSql(window.localStorage);
            setHistory([]);
          }}
        />
      </div>
    </>
  );
}

/** A link replaces the draft. */
function initialDraft(search: URLSearchParams): { readonly sql: string; readonly source: string } {
  const stored = draftSql(window.localStorage) ?? { sql: '', source: 'default' };
  const linked = search.get('sql');
  return { sql: linked ?? stored.sql, source: search.get('source') ?? (linked === null ? stored.source : 'default') };
}

/** Marks the word at the position of an error, while the text is that which was run. */
function marksOf(failure: Failure | undefined, run: Run | undefined, text: string): readonly Mark[] | undefined {
  if (failure === undefined || run === undefined) return undefined;
  const { position } = postgresErrorOf(failure.internal);
  const own = run.sql.slice(run.lead.length);
  if (position === undefined || text.slice(run.start, run.start + own.length) !== own) return undefined;
  const from = Math.max(run.start, run.start + indexOf(run.sql, position) - run.lead.length);
  const [word = ''] = /^[\w$"]+|^./u.exec(text.slice(from)) ?? [];
  return [{ from, to: from + Math.max(1, word.length), message: failure.message, severity: 'error' }];
}

async function perform(client: Client, run: Run, signal: AbortSignal): Promise<Ran> {
  const { source, sql, readOnly } = run;
  const compares = !readOnly && canCreateTables(sql);
  const before = compares ? await readSourceTables(client, source, signal) : [];
  const result = await runSql(client, run, signal);
  const after = compares ? await readSourceTables(client, source, signal) : [];
  const known = new Set(before.map(tableKey));
  return { run, result, created: after.filter((table) => !known.has(tableKey(table))) };
}
