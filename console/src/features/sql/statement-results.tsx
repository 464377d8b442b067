/** The results of statements: rows with their types, numbers of changed rows, plans, and files. */

import type { StatementResult } from '@joinery/metadata/api/sources/run-sql';
import { Button, Group, Menu, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import type { Timed } from '../../api/polling.ts';
import { SHOWN_ROWS, type SqlResult } from '../../shared/sql/sql-api.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { counted } from '../../ui/format.ts';
import { ChevronIcon } from '../../ui/page/icons.tsx';
import cells from '../../ui/table/cells.module.css';
import { PlainTable } from '../../ui/table/plain-table.tsx';
import { millisecondsOf } from '../../ui/time/times.ts';
import { PlanTable } from './plan-table.tsx';
import { readPlan } from './postgres-plan.ts';
import { csvOf, isNumberType, jsonOf, saveFile } from './sql-files.ts';

export function StatementResults({ result: { value, durationMs } }: { readonly result: Timed<SqlResult> }) {
  const { statements, dropped } = value;
  const [shown, setShown] = useState<string | null>(String(Math.max(0, statements.length - 1)));
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {statements.length === 1 ? 'Done' : counted(statements.length, 'statement')} in{' '}
        {millisecondsOf(Math.round(durationMs))}.
      </Text>
      {dropped.length > 0 && (
        <Text size="sm" role="status">
          Dropped from the metadata: {dropped.join(', ')}.
        </Text>
      )}
      {statements.length > 1 ? (
        <Tabs value={shown} onChange={setShown} keepMounted={false}>
          <Tabs.List aria-label="Results">
            {statements.map((one, place) => (
              // Statements have nothing but their place.
              // biome-ignore lint/suspicious/noArrayIndexKey: results are replaced as a whole
              <Tabs.Tab key={place} value={String(place)}>
                {place + 1}. {one.command}
                {one.columns.length > 0 || one.row_count > 0 ? ` (${countOf(one)})` : ''}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {statements.map((one, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: results are replaced as a whole
            <Tabs.Panel key={place} value={String(place)} pt="xs">
              <OneResult result={one} />
            </Tabs.Panel>
          ))}
        </Tabs>
      ) : (
        statements.map((one) => <OneResult key={one.command} result={one} />)
      )}
    </Stack>
  );
}

function countOf({ row_count, more }: StatementResult): string {
  return `${row_count.toLocaleString('en')}${more ? '+' : ''}`;
}

function OneResult({ result }: { readonly result: StatementResult }) {
  const { columns, rows, command } = result;
  if (columns.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {command} returns no rows{result.row_count > 0 ? `; it changed ${counted(result.row_count, 'row')}` : ''}.
      </Text>
    );
  }
  const plan = command === 'EXPLAIN' ? readPlan(rows[0]?.[0] ?? '') : undefined;
  if (plan !== undefined) return <PlanTable plan={plan} text={rows[0]?.[0] ?? ''} />;
  return (
    <Stack gap={6}>
      <Group gap="sm">
        <Text size="xs" c="dimmed">
          {result.more
            ? `The first ${SHOWN_ROWS.toLocaleString('en')} rows. There are more: use limit and offset, or a filter.`
            : counted(rows.length, 'row')}
        </Text>
        <ExportMenu result={result} />
      </Group>
      {rows.length > 0 && <ResultTable columns={columns} rows={rows} />}
    </Stack>
  );
}

function ExportMenu({ result }: { readonly result: StatementResult }) {
  const copy = (what: string, text: string): void => {
    navigator.clipboard.writeText(text).then(
      () => notify({ title: `Copied ${counted(result.rows.length, 'row')} as ${what}` }),
      () => notify({ title: 'Not copied', text: 'The browser does not permit access to the clipboard.' }),
    );
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-xs" variant="default" rightSection={<ChevronIcon size={12} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveFile('result.csv', 'text/csv', csvOf(result))}>Download CSV</Menu.Item>
        <Menu.Item onClick={() => saveFile('result.json', 'application/json', jsonOf(result))}>Download JSON</Menu.Item>
        <Menu.Item onClick={() => copy('CSV', csvOf(result))}>Copy as CSV</Menu.Item>
        <Menu.Item onClick={() => copy('JSON', jsonOf(result))}>Copy as JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ResultTable({ columns, rows }: Pick<StatementResult, 'columns' | 'rows'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`${cells.scroll} ${cells.result}`} aria-label="Result" tabIndex={0}>
      <PlainTable
        className={cells.grid ?? ''}
        horizontalSpacing="sm"
        verticalSpacing={5}
        stickyHeader
        rows={rows}
        // Rows and columns have nothing but their place.
        keyOf={(_row, number) => number}
        columns={columns.map(({ name, type }, place) => {
          const align = isNumberType(type) ? 'right' : 'left';
          return {
            key: place,
            header: <ColumnHeader name={name} type={type} />,
            headProps: { ta: align },
            cellProps: (row: readonly (string | null)[]) => ({
              className: cells.cell ?? '',
              ta: align,
              ...titleOf(row[place] ?? ''),
            }),
            cell: (row: readonly (string | null)[]) => <Value value={row[place] ?? null} />,
          };
        })}
      />
    </section>
  );
}

function ColumnHeader({ name, type }: { readonly name: string; readonly type: string }) {
  return (
    <>
      {name}
      <Text span display="block" size="xs" c="dimmed" fw={400}>
        {type}
      </Text>
    </>
  );
}

function titleOf(value: string): { readonly title?: string } {
  return value.length > 30 ? { title: value } : {};
}

function Value({ value }: { readonly value: string | null }) {
  return value === null ? <span className={cells.null}>null</span> : value.slice(0, 500);
}
