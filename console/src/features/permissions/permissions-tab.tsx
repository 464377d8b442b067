/** Permissions of a table by role, with a form for each. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Alert, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import type { KnownNames } from '../../shared/roles/known-names.ts';
import { ruleTable } from '../../shared/rules/rule-table.ts';
import { RuleTermsContext, useKnownNames, useSource } from '../../shared/rules/use-rule-table.ts';
import { Problems } from '../../shared/rules/validation-errors.tsx';
import type { SourceEntry, TableEntry } from '../../shared/sources/sources-api.ts';
import { sameTable, type TableTabProps, tableLabel } from '../../shared/sources/table-paths.ts';
import { useTableInfo } from '../../shared/sources/use-sources.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { AlertIcon } from '../../ui/page/icons.tsx';
import { accessOf, ancestorsOf, entryOf, type Operation } from './access.ts';
import { PermissionForm } from './permission-form.tsx';
import { PermissionMatrix } from './permission-matrix.tsx';
import { suggestedPermissions } from './suggested-permissions.ts';

export function PermissionsTab({ source, table }: TableTabProps) {
  const sources = useSource(source);
  const info = useTableInfo(source, table);
  const names = useKnownNames();
  const entry = sources.data?.tables.find((one) => sameTable(one.table, table));
  const error = sources.error ?? names.error;
  const again = (): void => {
    void sources.refetch();
    void names.refetch();
  };
  if (error !== null) {
    return <FailureNotice title="The permissions could not be read" failure={toFailure(error)} onRetry={again} />;
  }
  if (sources.data === undefined || info.data === undefined || names.data === undefined) return <Loading />;
  if (entry === undefined) {
    return (
      <EmptyState title={`${tableLabel(table)} is not tracked`}>
        Track it first: only tracked tables are part of the API, and have permissions.
      </EmptyState>
    );
  }
  return <Permissions source={sources.data} entry={entry} info={info.data} names={names.data} />;
}

interface PermissionsProps {
  readonly source: SourceEntry;
  readonly entry: TableEntry;
  readonly info: TableInfo;
  readonly names: KnownNames;
}

interface OpenForm {
  readonly role: string;
  readonly operation: Operation;
}

function Permissions({ source, entry, info, names }: PermissionsProps) {
  const [opened, setOpened] = useState<OpenForm>();
  const columns = info.columns.map(({ name }) => name);
  const { roles, inherited } = names;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Choose a cell to edit a permission. Enter a name in the last row to add a role.
      </Text>
      <PermissionMatrix
        roles={roles}
        inherited={inherited}
        accessOf={(role, operation) => accessOf(entry, operation, role, inherited, columns)}
        onOpen={(role, operation) => setOpened({ role, operation })}
      />
      <PermissionDrawer
        opened={opened}
        source={source}
        entry={entry}
        info={info}
        names={names}
        onClose={() => setOpened(undefined)}
      />
    </Stack>
  );
}

/** Operations that the database supports on the table or view. */
const possible: Readonly<Record<Operation, (info: TableInfo) => boolean>> = {
  select: () => true,
  insert: ({ insertable }) => insertable,
  update: ({ updatable }) => updatable,
  delete: ({ deletable }) => deletable,
};

interface PermissionDrawerProps extends PermissionsProps {
  readonly opened: OpenForm | undefined;
  readonly onClose: () => void;
}

function PermissionDrawer({ opened, source, entry, info, names, onClose }: PermissionDrawerProps) {
  const { headerPrefix } = useClient();
  const { table } = entry;
  const terms = useMemo(
    () => ({ source, table, prefix: headerPrefix, variables: names.variables }),
    [source, table, headerPrefix, names.variables],
  );
  const columns = info.columns.map(({ name }) => name);
  const isInherited = ({ role, operation }: OpenForm): boolean =>
    accessOf(entry, operation, role, names.inherited, columns).from === 'inherited';
  return (
    <DetailDrawer
      subject={opened}
      title={({ role, operation }) => `${role}: ${operation} on ${tableLabel(table)}`}
      size="wide"
      onClose={onClose}
    >
      {(shown) => (
        <RuleTermsContext value={terms}>
          {isInherited(shown) && (
            <Alert variant="outline" mb="lg" title="Inherited">
              {shown.role} may {shown.operation} because it is made of{' '}
              {ancestorsOf(shown.role, names.inherited).join(', ')}. A permission that is saved here replaces theirs.
            </Alert>
          )}
          {!possible[shown.operation](info) && (
            <Alert color="yellow" variant="outline" mb="lg" icon={<AlertIcon />} title="Without effect">
              The database does not support {shown.operation} on {tableLabel(table)}. The permission has no effect.
            </Alert>
          )}
          <Problems key={`${shown.role} ${shown.operation}`}>
            {(problems) => (
              <PermissionForm
                target={{ source: source.name, table, ...shown }}
                table={ruleTable(info, entry)}
                others={entry}
                before={entryOf(entry, shown.operation, shown.role)}
                suggestions={suggestedPermissions(info, shown.operation, terms)}
                selects={accessOf(entry, 'select', shown.role, names.inherited, columns).level !== 'none'}
                problems={problems}
                onClose={onClose}
              />
            )}
          </Problems>
        </RuleTermsContext>
      )}
    </DetailDrawer>
  );
}
