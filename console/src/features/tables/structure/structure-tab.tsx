/** The structure of a table: columns, keys, indexes, checks, names, computed fields, types and triggers. */
import { Stack, Switch } from '@mantine/core';
import { toFailure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import { setIsEnum, type TableEntry } from '../../../shared/sources/sources-api.ts';
import { sameTable, type TableTabProps, tableLabel } from '../../../shared/sources/table-paths.ts';
import { useSources, useTableInfo } from '../../../shared/sources/use-sources.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { NamesSection } from '../columns/names-section.tsx';
import { ColumnsSection } from './columns-section.tsx';
import { ComputedFieldsSection } from './computed-fields-section.tsx';
import { ChecksSection, KeysSection } from './constraints-section.tsx';
import { EnumTypesSection } from './enum-types-section.tsx';
import { FunctionsSection } from './functions-section.tsx';
import { IndexesSection } from './indexes-section.tsx';
import { SectionLinks } from './section-links.tsx';
import { useStructure } from './structure-api.ts';
import { TableSection } from './table-section.tsx';
import { TriggersSection } from './triggers-section.tsx';

export function StructureTab({ source, table }: TableTabProps) {
  const { data: info } = useTableInfo(source, table);
  const { data: structure, error, refetch } = useStructure(source, table);
  const sources = useSources();
  if (info === undefined || sources.data === undefined) return <Loading />;
  const entry = sources.data.find((one) => one.name === source)?.tables.find((one) => sameTable(one.table, table));
  const isView = info.kind === 'view' || info.kind === 'materialized_view';
  return (
    <Stack gap="xl">
      <SectionLinks />
      <ColumnsSection source={source} info={info} entry={entry} />
      {error !== null && (
        <FailureNotice title="The structure could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {structure === undefined
        ? error === null && <Loading />
        : structure && (
            <>
              {!isView && <KeysSection source={source} info={info} structure={structure} />}
              {info.kind !== 'view' && <IndexesSection source={source} info={info} structure={structure} />}
              {!isView && <ChecksSection source={source} info={info} structure={structure} />}
              <TableSection source={source} info={info} structure={structure} entry={entry} />
            </>
          )}
      {entry !== undefined && <NamesSection source={source} entry={entry} />}
      {structure && <EnumTypesSection source={source} types={structure.enums} />}
      {entry !== undefined && <EnumSwitch source={source} entry={entry} />}
      {structure && entry !== undefined && (
        <ComputedFieldsSection source={source} info={info} entry={entry} functions={structure.functions} />
      )}
      {structure && <FunctionsSection source={source} info={info} functions={structure.functions} />}
      {structure && <TriggersSection triggers={structure.triggers} />}
    </Stack>
  );
}

function EnumSwitch({ source, entry }: { readonly source: string; readonly entry: TableEntry }) {
  const { run, failure, isPending } = useCommand(
    (client, isEnum: boolean) => setIsEnum(client, source, entry.table, isEnum),
    {
      notice: (_result, isEnum) => ({
        title: isEnum ? `${tableLabel(entry.table)} is an enum` : `${tableLabel(entry.table)} is no longer an enum`,
      }),
    },
  );
  return (
    <Section title="Enum table">
      <Stack gap="sm">
        <Switch
          label="Its rows are the values of a GraphQL enum"
          description="For a small table whose primary key is one text column, with a comment column at most."
          checked={entry.is_enum === true}
          disabled={isPending}
          onChange={(event) => run(event.currentTarget.checked)}
        />
        {failure !== undefined && <FailureNotice title="The setting was not changed" failure={failure} />}
      </Stack>
    </Section>
  );
}
