/** Functions that use a table: definitions, with forms that create, replace and drop them. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { linkTo } from '../../../router/location.ts';
import { sourcePath, tableKey, tableLabel } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { Disclosure } from '../../../ui/page/disclosure.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { CreateFunctionForm, DropFunctionForm, ReplaceFunctionForm } from './forms/function-forms.tsx';
import { functionOfRows } from './sql/function-sql.ts';
import classes from './structure.module.css';
import type { TableFunction } from './structure-api.ts';
import { RowButton } from './structure-table.tsx';

interface FunctionsProps {
  readonly source: string;
  readonly info: TableInfo;
  readonly functions: readonly TableFunction[];
}

type Open =
  | { readonly form: 'create' }
  | { readonly form: 'edit'; readonly called: TableFunction }
  | { readonly form: 'drop'; readonly called: TableFunction };

const volatility = { i: 'immutable', s: 'stable', v: 'volatile' } as const;

export function FunctionsSection({ source, info, functions }: FunctionsProps) {
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  return (
    <Section title="Functions">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Functions with an argument or a result of the type of the table, and those of its triggers. All functions of
          the database are on the page{' '}
          <Anchor inherit {...linkTo(`${sourcePath(source)}/functions`)}>
            Functions
          </Anchor>
          , where those that return rows are tracked as root fields.
        </Text>
        {functions.map((called) => (
          <FunctionEntry key={`${tableKey(called)}(${called.identity})`} called={called} onOpen={setOpen} />
        ))}
        <Button
          size="xs"
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setOpen({ form: 'create' })}
        >
          Create a function that returns rows
        </Button>
      </Stack>
      <DetailDrawer subject={open} title={titleOf} size="form" onClose={close}>
        {(shown) => {
          if (shown.form === 'create')
            return <CreateFunctionForm source={source} initial={functionOfRows(info)} onDone={close} onClose={close} />;
          return shown.form === 'edit' ? (
            <ReplaceFunctionForm source={source} called={shown.called} onDone={close} onClose={close} />
          ) : (
            <DropFunctionForm source={source} called={shown.called} onDone={close} onClose={close} />
          );
        }}
      </DetailDrawer>
    </Section>
  );
}

function titleOf(open: Open): string {
  if (open.form === 'create') return 'Create a function that returns rows';
  return `${open.form === 'edit' ? 'Edit' : 'Drop'} function ${tableLabel(open.called)}`;
}

function FunctionEntry({ called, onOpen }: { readonly called: TableFunction; readonly onOpen: (open: Open) => void }) {
  const label = tableLabel(called);
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <strong>{label}</strong>({called.arguments}): {called.result}, {volatility[called.volatility]}
        </Text>
        <RowButton label={`Edit function ${label}`} onClick={() => onOpen({ form: 'edit', called })}>
          Edit
        </RowButton>
        <RowButton label={`Drop function ${label}`} onClick={() => onOpen({ form: 'drop', called })}>
          Drop
        </RowButton>
      </Group>
      {called.comment !== null && (
        <Text size="sm" c="dimmed">
          {called.comment}
        </Text>
      )}
      <Disclosure title={`Definition of ${label}`}>
        <Code block className={classes.code ?? ''}>
          {called.definition}
        </Code>
      </Disclosure>
    </div>
  );
}
