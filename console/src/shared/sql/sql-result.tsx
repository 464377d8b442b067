/** Failures of SQL with their position, and new tables to track. */
import { Button, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { sentence } from '../../ui/format.ts';
import { type TableName, tableKey, tableLabel } from '../sources/table-paths.ts';
import { TrackDialog } from '../sources/track-dialog.tsx';
import { positionText, postgresErrorOf } from './sql-text.ts';

/** Shows why SQL was not run, with the position of the error in it. */
export function SqlFailure({ failure, sql }: { readonly failure: Failure; readonly sql: string }) {
  const { position, detail, hint } = postgresErrorOf(failure.internal);
  const message = [
    failure.message,
    ...(position === undefined ? [] : [`At ${positionText(sql, position)}`]),
    ...(detail === undefined ? [] : [detail]),
    ...(hint === undefined ? [] : [hint]),
  ]
    .map(sentence)
    .join(' ');
  const { code, path, status } = failure;
  const failureWithPosition = new Failure({ code, path, message, ...(status !== undefined && { status }) }, failure);
  return <FailureNotice title="The SQL was not run" failure={failureWithPosition} />;
}

interface CreatedTablesProps {
  readonly source: string;
  readonly created: readonly TableName[];
}

export function CreatedTables({ source, created }: CreatedTablesProps) {
  const [tracking, setTracking] = useState(false);
  const [done, setDone] = useState<readonly TableName[]>();
  if (created.length === 0 || done === created) return null;
  return (
    <Paper withBorder p="sm" bg="var(--joinery-surface)">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          New: <strong>{created.slice(0, 10).map(tableLabel).join(', ')}</strong>
          {created.length > 10 ? ` and ${created.length - 10} more` : ''}. Tracked, they are part of the GraphQL schema.
        </Text>
        <Button size="xs" variant="light" loading={tracking} onClick={() => setTracking(true)}>
          Track {created.length === 1 ? 'it' : 'them'}
        </Button>
      </Group>
      <TrackDialog
        key={created.map(tableKey).join()}
        source={source}
        tables={tracking ? created : []}
        onClose={() => setTracking(false)}
        onDone={() => {
          setTracking(false);
          setDone(created);
        }}
      />
    </Paper>
  );
}
