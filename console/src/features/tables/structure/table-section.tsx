/** The table itself: name, schema, comment, SQL of a view, and its removal. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import { Alert, Button, Checkbox, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { navigate } from '../../../router/location.ts';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { sourcePath, tableLabel, tablePath } from '../../../shared/sources/table-paths.ts';
import { defaultName } from '../../../shared/sources/track-names.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { AlertIcon } from '../../../ui/page/icons.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { kindOf } from '../table-text.ts';
import { bytesText } from './bytes-text.ts';
import { SqlForm } from './forms/sql-form.tsx';
import { ViewForm } from './forms/view-form.tsx';
import { changeTableSql, dropTableSql, type TableDraft, tableErrors } from './sql/table-sql.ts';
import { restoreViewSql, undoChangeTableSql } from './sql/undo-sql.ts';
import classes from './structure.module.css';
import type { Structure } from './structure-api.ts';

interface TableSectionProps {
  readonly source: string;
  readonly info: TableInfo;
  readonly structure: Structure;
  readonly entry: TableEntry | undefined;
}

type Form = 'change' | 'query' | 'drop';

const titles: Readonly<Record<Form, string>> = { change: 'Change', query: 'Query of', drop: 'Drop' };

export function TableSection(props: TableSectionProps) {
  const { info, structure } = props;
  const [open, setOpen] = useState<Form>();
  const close = (): void => setOpen(undefined);
  return (
    <Section title={kindOf(info)}>
      <Stack gap="sm" align="flex-start">
        <DescriptionList
          facts={[
            ['Name', tableLabel(info.table)],
            ['Comment', info.comment ?? undefined],
            ['Size', structure.bytes === 0 ? undefined : `${bytesText(structure.bytes)} with indexes`],
            [
              'Views that read it',
              structure.views.length === 0 ? undefined : structure.views.map(tableLabel).join(', '),
            ],
          ]}
        />
        {structure.view !== null && (
          <Code block className={classes.code ?? ''}>
            {structure.view}
          </Code>
        )}
        <Group gap="xs">
          {structure.view !== null && (
            <Button size="xs" variant="default" onClick={() => setOpen('query')}>
              Edit the query
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => setOpen('change')}>
            Rename or comment
          </Button>
          <Button size="xs" variant="default" color="red" onClick={() => setOpen('drop')}>
            Drop {info.kind.endsWith('view') ? 'the view' : 'the table'}
          </Button>
        </Group>
      </Stack>
      <DetailDrawer
        subject={open}
        title={(shown) => `${titles[shown]} ${tableLabel(info.table)}`}
        size="form"
        onClose={close}
      >
        {(shown) => {
          if (shown === 'change') return <ChangeForm {...props} onClose={close} />;
          if (shown === 'drop') return <DropForm {...props} onClose={close} />;
          return <QueryForm {...props} onClose={close} />;
        }}
      </DetailDrawer>
    </Section>
  );
}

interface FormProps extends TableSectionProps {
  readonly onClose: () => void;
}

function ChangeForm({ source, info, entry, onClose }: FormProps) {
  const { table, kind, comment } = info;
  return (
    <SqlForm<TableDraft>
      source={source}
      initial={{ ...table, comment: comment ?? '' }}
      validate={tableErrors}
      sqlOf={(draft) => changeTableSql(table, kind, comment, draft)}
      undoOf={(draft) => undoChangeTableSql(table, kind, comment, draft)}
      submit="Change it"
      done={`${tableLabel(table)} changed`}
      onDone={({ schema, name }) => {
        onClose();
        navigate(tablePath(source, { schema: schema.trim(), name: name.trim() }, 'structure'));
      }}
      onClose={onClose}
    >
      {(form) => {
        const renamed = { schema: form.values.schema.trim(), name: form.values.name.trim() };
        const isRenamed = defaultName(renamed) !== defaultName(table);
        return (
          <>
            <div className={classes.two}>
              <TextInput label="Name" required autoComplete="off" spellCheck={false} {...form.getInputProps('name')} />
              <TextInput
                label="Schema"
                required
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('schema')}
              />
            </div>
            <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
            {entry !== undefined && isRenamed && entry.configuration?.custom_name == null && (
              <Alert color="yellow" variant="outline" icon={<AlertIcon />} title="Its names in GraphQL change too">
                {isGraphqlName(defaultName(renamed))
                  ? `Requests that use ${defaultName(table)} fail afterwards. Relationships and permissions stay.`
                  : `GraphQL does not permit the name "${defaultName(renamed)}": the table is in no schema until you set a name in GraphQL.`}
              </Alert>
            )}
          </>
        );
      }}
    </SqlForm>
  );
}

function QueryForm({ source, info, structure, onClose }: FormProps) {
  const { table, kind, comment } = info;
  const indexes = structure.indexes.map(({ definition }) => definition);
  const view = { table, kind, comment, options: structure.options, indexes };
  return <ViewForm source={source} view={view} query={structure.view ?? ''} onClose={onClose} />;
}

function DropForm({ source, info, structure, onClose }: FormProps) {
  const { table, kind } = info;
  return (
    <SqlForm<{ readonly cascade: boolean }>
      source={source}
      initial={{ cascade: false }}
      sqlOf={({ cascade }) => dropTableSql(table, kind, cascade)}
      undoOf={({ cascade }) =>
        kind === 'view' && !cascade && structure.view !== null ? restoreViewSql(table, structure.view) : undefined
      }
      drop={({ cascade }) => ({ object: { kind: 'table', table }, cascade })}
      submit={`Drop ${tableLabel(table)}`}
      isRemoval
      done={`${tableLabel(table)} dropped`}
      onDone={() => navigate(sourcePath(source))}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Text size="sm">{kind.endsWith('view') ? 'The view is lost.' : 'All its rows are lost.'}</Text>
          <Checkbox
            label="Also drop what depends on it in the database"
            {...form.getInputProps('cascade', { type: 'checkbox' })}
          />
        </>
      )}
    </SqlForm>
  );
}
