/**
 * Tracks tables in batches. Requests names where GraphQL does not permit those of the database, shows the progress, and lists
 * tables that could not be tracked.
 */
import type { CommandWarning } from '@joinery/metadata/api/metadata';
import { Button, Code, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';
import { useCommand } from '../../api/use-command.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { useLast } from '../../ui/dialog/use-last.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { counted, sentence } from '../../ui/format.ts';
import { inBatches } from './batches.ts';
import { readUnnamedColumns, type TrackedTable, trackTables } from './sources-api.ts';
import { type TableName, tableKey, tableLabel } from './table-paths.ts';
import { suggestedNames, type TableNameDraft, withNames } from './track-names.ts';
import { TrackNamesForm } from './track-names-form.tsx';
import { useSources } from './use-sources.ts';

interface TrackDialogProps {
  readonly source: string;
  /** Empty: nothing to do. */
  readonly tables: readonly TableName[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Number of tables per command. Each command is one metadata change. */
const BATCH = 100;

export function TrackDialog({ source, tables, onClose, onDone }: TrackDialogProps) {
  const [done, setDone] = useState(0);
  const tracked = useLast(tables.length === 0 ? undefined : tables) ?? [];
  const { run, reset, result, failure, isPending } = useCommand(
    (client, some: readonly TrackedTable[]) => trackAll(client, source, some, setDone),
    {
      onDone: (warnings, some) => {
        if (warnings.length > 0) return;
        const [first] = some;
        const named =
          some.length === 1 && first !== undefined ? tableLabel(first.table) : counted(some.length, 'table');
        notify({ title: `${named} tracked`, text: 'It is part of the GraphQL schema now.' });
        onDone();
      },
    },
  );
  // The tables for which the command was started, and the names that were last given.
  const [started, setStarted] = useState('');
  const [given, setGiven] = useState<{ readonly key: string; readonly names: readonly TableNameDraft[] }>();
  const key = tables.map(tableKey).join('\n');
  const suggested = useSuggestedNames(source, tables, key);
  const isNamed = key !== '' && suggested?.length === 0;
  const start = (names: readonly TableNameDraft[]): void => {
    setStarted(key);
    setGiven({ key, names });
    setDone(0);
    run(withNames(tables, names));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: started once for each choice of tables
  useEffect(() => {
    if (key === '') {
      reset();
      setStarted('');
    } else if (isNamed && started !== key) start([]);
  }, [key, isNamed]);
  const warnings = result ?? [];
  const close = warnings.length > 0 ? onDone : onClose;
  const choosing = key !== '' && started !== key && suggested !== undefined && suggested.length > 0;
  const opened =
    choosing || (key !== '' && (failure !== undefined || warnings.length > 0 || (isPending && tables.length > BATCH)));
  return (
    <Dialog
      opened={opened}
      onClose={close}
      isBusy={isPending}
      title={choosing ? 'Names in GraphQL' : isPending ? `Tracking ${counted(tracked.length, 'table')}` : notTracked}
    >
      {choosing ? (
        <TrackNamesForm
          key={key}
          tables={tables}
          suggested={given?.key === key ? given.names : suggested}
          onTrack={start}
          onClose={close}
        />
      ) : (
        <Stack gap="md">
          {isPending && (
            <>
              <Progress value={(100 * done) / tracked.length} aria-label="Done so far" />
              <Text size="sm" c="dimmed">
                {done.toLocaleString('en')} of {tracked.length.toLocaleString('en')}
              </Text>
            </>
          )}
          {failure !== undefined && <FailureNotice title="The tables were not tracked" failure={failure} />}
          {warnings.slice(0, 20).map(({ path, message }) => (
            <div key={path}>
              <Text size="sm">{sentence(message)}</Text>
              <Code>{path}</Code>
            </div>
          ))}
          {warnings.length > 20 && <Text size="sm">And {counted(warnings.length - 20, 'other')}.</Text>}
          {!isPending && (
            <Group justify="flex-end">
              {failure !== undefined && given !== undefined && given.names.length > 0 && (
                <Button variant="default" onClick={() => setStarted('')}>
                  Change the names
                </Button>
              )}
              <Button variant="default" onClick={close} data-autofocus>
                Close
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Dialog>
  );
}

const notTracked = 'Not everything was tracked';

/** Returns drafts for the tables that need names. Undefined while loading. */
function useSuggestedNames(
  source: string,
  tables: readonly TableName[],
  key: string,
): readonly TableNameDraft[] | undefined {
  const client = useClient();
  const sources = useSources();
  const { data, error, isFetching } = useQuery({
    queryKey: ['unnamed-columns', source, key],
    enabled: key !== '',
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) => readUnnamedColumns(client, source, signal),
  });
  const entries = sources.data?.find(({ name }) => name === source)?.tables;
  // A database that cannot be read is the error of the command that tracks.
  const columns = error === null ? data : [];
  if (key === '' || columns === undefined || isFetching || entries === undefined) return undefined;
  return suggestedNames(tables, columns, entries);
}

async function trackAll(
  client: Client,
  source: string,
  tables: readonly TrackedTable[],
  onProgress: (done: number) => void,
): Promise<readonly CommandWarning[]> {
  const warnings: CommandWarning[] = [];
  let done = 0;
  for (const batch of inBatches(tables, BATCH)) {
    warnings.push(...(await trackTables(client, source, batch)));
    done += batch.length;
    onProgress(done);
  }
  return warnings;
}
