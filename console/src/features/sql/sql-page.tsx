/** The SQL page: editor, options, result and history. */
import { Button, Group, Kbd, NativeSelect, Paper, Stack, Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Client } from '../../api/client.ts';
import type { Timed } from '../../api/polling.ts';
import { useCommand } from '../../api/use-command.ts';
import { useLocation } from '../../router/location.ts';
import { readSourceTables } from '../../shared/sources/sources-api.ts';
import { type TableName, tableKey } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { runSql, type SqlRequest, type SqlResult } from '../../shared/sql/sql-api.ts';
import { CreatedTables, SqlFailure, SqlResultView } from '../../shared/sql/sql-result.tsx';
import { canCreateTables } from '../../shared/sql/sql-text.ts';
import { Editor } from '../../ui/editor/editor.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Section } from '../../ui/page/section.tsx';
import { forgetSql, type RanSql, rememberSql, sqlHistory } from './sql-history.ts';

export interface Ran {
  readonly request: SqlRequest;
  readonly result: Timed<SqlResult>;
  /** New tables and views. */
  readonly created: readonly TableName[];
}

export function SqlPage() {
  const queries = useQueryClient();
  const { search } = useLocation();
  const sources = useSources();
  const [sql, setSql] = useState(search.get('sql') ?? '');
  const [source, setSource] = useState(search.get('source') ?? 'default');
  const [readOnly, setReadOnly] = useState(false);
  const [cascade, setCascade] = useState(false);
  const [check, setCheck] = useState<'auto' | 'always' | 'never'>('auto');
  const [history, setHistory] = useState(() => sqlHistory(window.localStorage));
  const running = useRef<AbortController>(undefined);
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: ['metadata'] });
    void queries.invalidateQueries({ queryKey: ['rows'] });
  };
  const statement = useCommand(
    (client, request: SqlRequest) => {
      running.current = new AbortController();
      return perform(client, request, running.current.signal);
    },
    // The result is shown before the metadata is read again.
    { onDone: refresh, onFailure: refresh, changes: [] },
  );
  const { result, failure, isPending, input } = statement;
  const run = (): void => {
    if (sql.trim() === '' || isPending) return;
    setHistory(rememberSql(window.localStorage, { sql, source, at: new Date().toISOString() }));
    statement.run({ source, sql, readOnly, cascade, check: check === 'auto' ? undefined : check === 'always' });
  };
  const stop = (): void => {
    statement.reset();
    running.current?.abort();
    notify({ title: 'Stopped', text: 'The database cancels it and undoes what it did.' });
  };
  return (
    <>
      <PageHeader
        title="SQL"
        about="Statements for a database, run in one transaction as the user of its connection."
      />
      <Stack gap="md">
        <Editor label="SQL" language="sql" height="14rem" text={sql} onChange={setSql} onRun={run} />
        <Group gap="md" align="end">
          <NativeSelect
            size="xs"
            label="Source"
            data={sources.data?.map(({ name }) => name) ?? [source]}
            value={source}
            onChange={(event) => setSource(event.currentTarget.value)}
          />
          <NativeSelect
            size="xs"
            label="Check the metadata"
            data={[
              { value: 'auto', label: 'Where it may change tables' },
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
            label="Drop from the metadata what it breaks"
            checked={cascade}
            onChange={(event) => setCascade(event.currentTarget.checked)}
          />
          <Group gap="xs" ms="auto">
            <Text size="xs" c="dimmed" visibleFrom="sm">
              <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
            </Text>
            {isPending && (
              <Button variant="default" onClick={stop}>
                Stop
              </Button>
            )}
            <Button onClick={run} loading={isPending} disabled={sql.trim() === ''}>
              Run
            </Button>
          </Group>
        </Group>
        {failure !== undefined && input !== undefined && <SqlFailure failure={failure} sql={input.sql} />}
        {failure === undefined && result !== undefined && (
          <>
            <SqlResultView result={result.result} />
            <CreatedTables source={result.request.source} created={result.created} />
          </>
        )}
        <History
          history={history}
          onChoose={(one) => {
            setSql(one.sql);
            setSource(one.source);
          }}
          onForget={() => {
            forgetSql(window.localStorage);
            setHistory([]);
          }}
        />
      </Stack>
    </>
  );
}

async function perform(client: Client, request: SqlRequest, signal: AbortSignal): Promise<Ran> {
  const { source, sql, readOnly } = request;
  const compares = !readOnly && canCreateTables(sql);
  const before = compares ? await readSourceTables(client, source, signal) : [];
  const result = await runSql(client, request, signal);
  const after = compares ? await readSourceTables(client, source, signal) : [];
  const known = new Set(before.map(tableKey));
  return { request, result, created: after.filter((table) => !known.has(tableKey(table))) };
}

interface HistoryProps {
  readonly history: readonly RanSql[];
  readonly onChoose: (ran: RanSql) => void;
  readonly onForget: () => void;
}

function History({ history, onChoose, onForget }: HistoryProps) {
  if (history.length === 0) {
    return (
      <EmptyState title="Nothing was run yet">
        What you run is kept in this browser, so that it can be run again.
      </EmptyState>
    );
  }
  return (
    <Section title="Run before, in this browser">
      <Paper withBorder bg="var(--joinery-surface)">
        {history.slice(0, 10).map((one) => (
          <Button
            key={`${one.source} ${one.sql}`}
            variant="subtle"
            color="gray"
            fullWidth
            justify="flex-start"
            size="xs"
            fw={400}
            ff="monospace"
            onClick={() => onChoose(one)}
          >
            {one.sql.replaceAll(/\s+/g, ' ').slice(0, 140)}
          </Button>
        ))}
      </Paper>
      <Button size="compact-sm" variant="subtle" color="gray" mt="xs" ms={-8} fw={400} onClick={onForget}>
        Forget them
      </Button>
    </Section>
  );
}
