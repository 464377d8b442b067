/** Tracks tables in batches, shows the progress, and lists tables that could not be tracked. */
import type { CommandWarning } from '@joinery/metadata/api/metadata';
import { Button, Code, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { useCommand } from '../../api/use-command.ts';
import { useLast } from '../../ui/dialog/use-last.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { counted, sentence } from '../../ui/format.ts';
import { inBatches } from './batches.ts';
import { trackTables } from './sources-api.ts';
import { type TableName, tableLabel } from './table-paths.ts';

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
    (client, some: readonly TableName[]) => trackAll(client, source, some, setDone),
    {
      onDone: (warnings, some) => {
        if (warnings.length > 0) return;
        const [first] = some;
        const named = some.length === 1 && first !== undefined ? tableLabel(first) : counted(some.length, 'table');
        notify({ title: `${named} tracked`, text: 'It is part of the GraphQL schema now.' });
        onDone();
      },
    },
  );
  const key = tables.map(({ schema, name }) => `${schema}.${name}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: begun once for each choice of tables
  useEffect(() => {
    setDone(0);
    reset();
    if (key !== '') run(tables);
  }, [key]);
  const warnings = result ?? [];
  const close = (): void => {
    if (warnings.length > 0) onDone();
    else onClose();
  };
  const opened =
    tables.length > 0 && (failure !== undefined || warnings.length > 0 || (isPending && tables.length > BATCH));
  return (
    <Modal
      opened={opened}
      onClose={close}
      withCloseButton={!isPending}
      closeOnEscape={!isPending}
      closeOnClickOutside={!isPending}
      title={isPending ? `Tracking ${counted(tracked.length, 'table')}` : 'Not everything was tracked'}
      centered
      zIndex={300}
    >
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
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

async function trackAll(
  client: Client,
  source: string,
  tables: readonly TableName[],
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
