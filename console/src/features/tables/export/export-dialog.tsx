/** Exports all rows of the filter, in their order and with the visible columns, to a file. */
import { Alert, Button, Checkbox, Group, Progress, Radio, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { type Failure, toFailure } from '../../../api/failure.ts';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { counted } from '../../../ui/format.ts';
import type { RowsScope } from '../row-model/rows-scope.ts';
import { type ExportFormat, exportFormats, fileOf, textWriter } from './export-text.ts';
import { openFile } from './open-file.ts';
import { readAllRows, totalOrder } from './read-all-rows.ts';

interface ExportDialogProps {
  readonly opened: boolean;
  readonly scope: RowsScope;
  /** Number of rows, as far as it is known. */
  readonly total: number | undefined;
  readonly onClose: () => void;
}

export function ExportDialog({ opened, scope, total, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<ExportFormat>('CSV');
  const [byKey, setByKey] = useState(false);
  const isSorted = sortedBy(scope).length > 0 && totalOrder(scope) !== undefined;
  const ordered = isSorted && byKey ? { ...scope, order: [] } : scope;
  const exporting = useExport(ordered, (rows, name) => {
    notify({ title: `${counted(rows, 'row')} exported to ${name}` });
    onClose();
  });
  const { written, failure, isCanceled } = exporting;
  const isRunning = written !== undefined;
  const close = (): void => {
    exporting.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title="Export rows" isBusy={isRunning}>
      <Stack gap="md">
        <Text size="sm">{describe(ordered)}</Text>
        {isSorted && (
          <Checkbox
            size="sm"
            label="In the order of the primary key"
            checked={byKey}
            disabled={isRunning}
            onChange={(event) => setByKey(event.currentTarget.checked)}
          />
        )}
        <Radio.Group
          label="Format"
          value={format}
          onChange={(value) => setFormat(exportFormats.find((one) => one === value) ?? 'CSV')}
        >
          <Group gap="md" mt={4}>
            {exportFormats.map((one) => (
              <Radio key={one} size="sm" value={one} label={one} disabled={isRunning} />
            ))}
          </Group>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          {notes[format]} {guarantee(ordered)}
        </Text>
        {failure !== undefined && <FailureNotice title="Nothing was exported" failure={failure} />}
        {isCanceled && (
          <Alert color="gray" variant="outline" title="Canceled">
            No file was written.
          </Alert>
        )}
        {isRunning && (
          <Stack gap={4}>
            <Progress
              value={total === undefined ? 100 : Math.min(100, (written / Math.max(1, total)) * 100)}
              animated={total === undefined}
              aria-label="Progress of the export"
            />
            <Text size="sm" c="dimmed" role="status">
              {counted(written, 'row')} written
            </Text>
          </Stack>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={isRunning ? exporting.cancel : close}>
            {isRunning ? 'Cancel the export' : 'Cancel'}
          </Button>
          <Button loading={isRunning} data-autofocus onClick={() => exporting.start(format)}>
            Export
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const notes: Readonly<Record<ExportFormat, string>> = {
  CSV: 'Null is an empty field, the empty text is "". Lists and JSON are written as JSON. Values are not changed: a spreadsheet may run those that begin with =.',
  JSON: 'An array of objects. Numbers keep all digits.',
  'JSON lines': 'An object on each line. Numbers keep all digits.',
  'SQL inserts': 'Insert statements of 500 rows, without columns that only the database writes.',
};

/** What the file has of rows that are written while they are exported. */
function guarantee(scope: RowsScope): string {
  const columns = sortedBy(scope);
  if (totalOrder(scope) === undefined) return 'Rows without a readable key are read by one request.';
  if (columns.length === 0) {
    return 'Rows are read in pages by their key: those that exist throughout the export and keep their key are in the file once, as they are when their page is read.';
  }
  return `Rows are read in pages: those whose ${columns.join(', ')} changes meanwhile can be missing or occur twice. The order of the primary key prevents this.`;
}

/** Returns the columns of the order that are not part of the primary key. */
function sortedBy({ info, order }: RowsScope): readonly string[] {
  return order.map(({ column }) => column).filter((column) => info.primary_key?.includes(column) !== true);
}

function describe({ where, columns, order, session }: RowsScope): string {
  const rows = Object.keys(where).length === 0 ? 'All rows' : 'All rows of the filter';
  const reader = session === undefined ? '' : ', as the chosen role sees them';
  const sorted = order.length === 0 ? 'in the order of the key' : 'in the order of the grid';
  return `${rows} ${sorted}, with ${counted(columns.length, 'visible column')}${reader}.`;
}

function useExport(scope: RowsScope, onDone: (rows: number, name: string) => void) {
  const client = useClient();
  const [written, setWritten] = useState<number>();
  const [failure, setFailure] = useState<Failure>();
  const [isCanceled, setIsCanceled] = useState(false);
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const reset = (): void => {
    setFailure(undefined);
    setIsCanceled(false);
  };
  const start = async (format: ExportFormat): Promise<void> => {
    reset();
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    const chosen = fileOf(format, scope.info);
    const file = await openFile(chosen).catch((error: unknown) => setFailure(toFailure(error)));
    if (file === undefined) return;
    setWritten(0);
    try {
      const writer = textWriter(format, scope.columns, scope.info);
      let count = 0;
      await file.write(writer.begin);
      for await (const rows of readAllRows(client, scope, signal)) {
        signal.throwIfAborted();
        await file.write(writer.rows(rows));
        count += rows.length;
        setWritten(count);
      }
      await file.write(writer.end());
      await file.close();
      onDone(count, chosen.name);
    } catch (error) {
      await file.discard().catch(() => undefined);
      if (signal.aborted) setIsCanceled(true);
      else setFailure(toFailure(error));
    } finally {
      setWritten(undefined);
    }
  };
  return {
    written,
    failure,
    isCanceled,
    reset,
    start: (format: ExportFormat) => void start(format),
    cancel: () => current.current?.abort(),
  };
}
