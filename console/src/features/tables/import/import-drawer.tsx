/** Imports a CSV or JSON file into a table: all rows or none. */

import type { ImportedRows } from '@joinery/metadata/api/sources/import-rows';
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { CancelButton } from '../../../ui/form/cancel-button.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { useUnsavedWork } from '../../../ui/form/use-unsaved-work.ts';
import { counted } from '../../../ui/format.ts';
import { Section } from '../../../ui/page/section.tsx';
import type { RowsScope } from '../row-model/rows-scope.ts';
import { FileChooser } from './file-chooser.tsx';
import { ImportOptions } from './import-options.tsx';
import { ImportPreview } from './import-preview.tsx';
import { LineErrors } from './line-errors.tsx';
import { MappingTable } from './mapping-table.tsx';
import { type Importing, useImport } from './use-import.ts';

interface ImportDrawerProps {
  readonly opened: boolean;
  readonly scope: Pick<RowsScope, 'target' | 'info' | 'refresh'>;
  readonly onClose: () => void;
}

export function ImportDrawer({ opened, scope, onClose }: ImportDrawerProps) {
  return (
    <DetailDrawer
      subject={opened && scope}
      title={({ info }) => `Import rows into ${tableLabel(info.table)}`}
      size="wide"
      onClose={onClose}
    >
      {(shown) => <ImportForm scope={shown} onClose={onClose} />}
    </DetailDrawer>
  );
}

function ImportForm({ scope: { target, info, refresh }, onClose }: Omit<ImportDrawerProps, 'opened'>) {
  const importing = useImport(target, info, (imported) => {
    forget();
    refresh();
    notify({ title: describe(imported) });
    onClose();
  });
  const { file, read, outcome, running, problem } = importing;
  const forget = useUnsavedWork(file !== undefined);
  return (
    <>
      <FileChooser file={file} isDisabled={running?.phase === 'sending'} onChoose={importing.open} />
      {read !== undefined && (
        <>
          <ImportOptions importing={importing} read={read} />
          <Section title="Columns">
            <MappingTable importing={importing} read={read} />
          </Section>
          <Section title="First rows">
            <ImportPreview importing={importing} read={read} />
          </Section>
        </>
      )}
      {outcome.failure !== undefined && <FailureNotice title="Nothing was imported" failure={outcome.failure} />}
      {outcome.errors !== undefined && <LineErrors errors={outcome.errors} isJson={read?.format.kind === 'json'} />}
      {outcome.isCanceled === true && (
        <Alert color="gray" variant="outline" title="Canceled">
          No row was imported, unless the service had imported all of them already.
        </Alert>
      )}
      {running !== undefined && <ImportProgress running={running} />}
      <Stack gap="xs">
        {problem !== undefined && (
          <Text size="sm" c="dimmed" ta="end">
            {problem}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          {running === undefined ? (
            <CancelButton onClick={onClose}>Cancel</CancelButton>
          ) : (
            <Button variant="default" onClick={importing.cancel}>
              Cancel the import
            </Button>
          )}
          <ReasonButton
            reason={read === undefined ? 'Choose a file first.' : problem}
            loading={running !== undefined}
            onClick={importing.start}
          >
            Import rows
          </ReasonButton>
        </Group>
      </Stack>
    </>
  );
}

function ImportProgress({ running: { phase, rows, total } }: { readonly running: NonNullable<Importing['running']> }) {
  const share = total === undefined ? 100 : Math.round((rows / Math.max(1, total)) * 100);
  const text =
    phase === 'reading'
      ? 'The file is read'
      : total === undefined
        ? `${counted(rows, 'row')} checked`
        : `${rows.toLocaleString('en')} of ${counted(total, 'row')} inserted, not committed yet`;
  return (
    <Stack gap={4}>
      <Progress value={share} animated={total === undefined} aria-label="Progress of the import" />
      <Text size="sm" c="dimmed" role="status">
        {text}
      </Text>
    </Stack>
  );
}

function describe({ rows, affected_rows }: ImportedRows): string {
  if (rows === affected_rows) return `${counted(rows, 'row')} imported`;
  return `${counted(affected_rows, 'row')} imported, ${(rows - affected_rows).toLocaleString('en')} skipped`;
}
