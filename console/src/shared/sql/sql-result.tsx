/** The result of SQL: rows, an error with its position, or new tables to track. */
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Failure } from '../../api/failure.ts';
import type { Timed } from '../../api/polling.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { counted, sentence } from '../../ui/format.ts';
import classes from '../../ui/table/cells.module.css';
import { PlainTable } from '../../ui/table/plain-table.tsx';
import { millisecondsOf } from '../../ui/time/times.ts';
import { type TableName, tableKey, tableLabel } from '../sources/table-paths.ts';
import { TrackDialog } from '../sources/track-dialog.tsx';
import type { SqlResult } from './sql-api.ts';
import { bounded, positionText, postgresErrorOf, SHOWN_ROWS } from './sql-text.ts';

export function SqlResultView({ result: { value, durationMs } }: { readonly result: Timed<SqlResult> }) {
  const took = millisecondsOf(Math.round(durationMs));
  if (value.rows === undefined) {
    return (
      <Stack gap="xs">
        <Text size="sm" role="status">
          Done in {took}. The last statement returns no rows.
        </Text>
        <Dropped names={value.dropped} />
      </Stack>
    );
  }
  const { columns, values } = value.rows;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {value.more
          ? `The first ${SHOWN_ROWS.toLocaleString('en')} rows, in ${took}. There are more.`
          : `${counted(values.length, 'row')} in ${took}.`}
      </Text>
      <Dropped names={value.dropped} />
      {values.length > 0 && <ResultTable columns={columns} values={values} />}
    </Stack>
  );
}

function Dropped({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <Text size="sm" role="status">
      Dropped from the metadata: {names.join(', ')}.
    </Text>
  );
}

/** The position refers to the typed SQL, which can be part of a longer statement. */
export function SqlFailure({ failure, sql }: { readonly failure: Failure; readonly sql: string }) {
  const { position, detail, hint } = postgresErrorOf(failure.internal);
  const message = [
    failure.message,
    ...(position === undefined ? [] : [`At ${positionText(sql, position - bounded(sql).before)}`]),
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

interface ResultTableProps {
  readonly columns: readonly string[];
  readonly values: readonly (readonly string[])[];
}

function ResultTable({ columns, values }: ResultTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`${classes.scroll} ${classes.result}`} aria-label="Result" tabIndex={0}>
      <PlainTable
        className={classes.grid ?? ''}
        horizontalSpacing="sm"
        verticalSpacing={5}
        stickyHeader
        rows={values}
        // Rows and columns have nothing but their place.
        keyOf={(_row, number) => number}
        columns={columns.map((column, place) => ({
          key: place,
          header: column,
          cellProps: (row: readonly string[]) => ({ className: classes.cell ?? '', ...titleOf(row[place] ?? '') }),
          cell: (row: readonly string[]) => <Value value={row[place] ?? ''} />,
        }))}
      />
    </section>
  );
}

function titleOf(value: string): { readonly title?: string } {
  return value.length > 30 ? { title: value } : {};
}

function Value({ value }: { readonly value: string }) {
  return value === 'NULL' ? <span className={classes.null}>NULL</span> : value.slice(0, 500);
}
