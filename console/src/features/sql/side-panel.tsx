/** Saved queries and what was run, beside the editor. */

import { Button, Group, Paper, Tabs, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { CrossIcon } from '../../ui/page/icons.tsx';
import { millisecondsOf, relative } from '../../ui/time/times.ts';
import { useNow } from '../../ui/time/use-now.ts';
import classes from './sql.module.css';
import { type DraftSql, type RanSql, removeSql, type SavedSql, savedSql, saveSql } from './stored-sql.ts';

interface SidePanelProps {
  readonly draft: DraftSql;
  readonly history: readonly RanSql[];
  readonly onOpen: (sql: DraftSql) => void;
  readonly onForget: () => void;
}

export function SidePanel({ draft, history, onOpen, onForget }: SidePanelProps) {
  return (
    <Tabs defaultValue="history" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="history">History</Tabs.Tab>
        <Tabs.Tab value="saved">Saved</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="history" pt="xs">
        <History history={history} onOpen={onOpen} onForget={onForget} />
      </Tabs.Panel>
      <Tabs.Panel value="saved" pt="xs">
        <Saved draft={draft} onOpen={onOpen} />
      </Tabs.Panel>
    </Tabs>
  );
}

const tones = { succeeded: 'good', failed: 'bad', stopped: 'waiting' } as const;
const words = { succeeded: 'Succeeded', failed: 'Failed', stopped: 'Stopped' } as const;

function History({ history, onOpen, onForget }: Omit<SidePanelProps, 'draft'>) {
  const now = useNow();
  if (history.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        This browser stores the last 100 runs. There is none yet.
      </Text>
    );
  }
  return (
    <>
      <Paper withBorder bg="var(--joinery-surface)" className={classes.list ?? ''}>
        {history.map((one) => (
          <UnstyledButton
            key={`${one.source} ${one.sql}`}
            className={classes.entry ?? ''}
            title={`${new Date(one.at).toLocaleString()}, source ${one.source}`}
            onClick={() => onOpen(one)}
          >
            <span className={classes.text}>{one.sql.trim()}</span>
            <Group gap="xs" mt={2}>
              {one.outcome !== undefined && <StatusDot tone={tones[one.outcome]}>{words[one.outcome]}</StatusDot>}
              <Text span size="xs" c="dimmed">
                {relative(Date.parse(one.at), now)}
                {one.durationMs === undefined ? '' : ` · ${millisecondsOf(Math.round(one.durationMs))}`}
              </Text>
            </Group>
          </UnstyledButton>
        ))}
      </Paper>
      <Button size="compact-sm" variant="subtle" color="gray" mt="xs" fw={400} onClick={onForget}>
        Delete the history
      </Button>
    </>
  );
}

function Saved({ draft, onOpen }: Pick<SidePanelProps, 'draft' | 'onOpen'>) {
  const [saved, setSaved] = useState(() => savedSql(window.localStorage));
  const form = useDraftForm({ initial: { name: '' }, isTransient: true });
  const [failed, setFailed] = useState(false);
  const wanted = form.values.name.trim();
  const replaces = saved.some((one) => one.name === wanted);
  const save = (): void => {
    const stored = saveSql(window.localStorage, { ...draft, name: wanted });
    setFailed(stored === undefined);
    if (stored === undefined) return;
    setSaved(stored);
    form.change({ name: '' });
  };
  const reason = draft.sql.trim() === '' ? 'The editor is empty.' : wanted === '' ? 'Enter a name.' : undefined;
  return (
    <>
      <form
        onSubmit={form.onSubmit(() => {
          if (reason === undefined) save();
        })}
      >
        <Group gap="xs" align="flex-end" wrap="nowrap" mb="xs">
          <TextInput size="xs" label="Save the SQL as" autoComplete="off" flex={1} {...form.getInputProps('name')} />
          <ReasonButton size="xs" type="submit" variant="default" reason={reason}>
            {replaces ? 'Replace' : 'Save'}
          </ReasonButton>
        </Group>
      </form>
      {failed && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mb="xs">
          The query was not saved: the storage of the browser is full or not available.
        </Text>
      )}
      {saved.length > 0 && (
        <Paper withBorder bg="var(--joinery-surface)" className={classes.list ?? ''}>
          {saved.map((one) => (
            <SavedQuery
              key={one.name}
              query={one}
              onOpen={onOpen}
              onDelete={() => setSaved(removeSql(window.localStorage, one.name))}
            />
          ))}
        </Paper>
      )}
    </>
  );
}

interface SavedQueryProps {
  readonly query: SavedSql;
  readonly onOpen: (sql: DraftSql) => void;
  readonly onDelete: () => void;
}

function SavedQuery({ query, onOpen, onDelete }: SavedQueryProps) {
  return (
    <Group gap={0} wrap="nowrap" align="flex-start">
      <UnstyledButton className={classes.entry ?? ''} onClick={() => onOpen(query)}>
        <Text size="sm" fw={600}>
          {query.name}
        </Text>
        <span className={classes.text}>{query.sql.trim()}</span>
      </UnstyledButton>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        m={6}
        aria-label={`Delete ${query.name}`}
        onClick={onDelete}
      >
        <CrossIcon size={14} />
      </Button>
    </Group>
  );
}
