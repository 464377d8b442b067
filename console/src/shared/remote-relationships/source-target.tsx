/** Inputs for a relationship to the rows of a table, or to those that a tracked function returns. */
import { useSourceFunctions, useSources, useTableInfo } from '../sources/use-sources.ts';
import { proposedArguments, proposedColumns } from './mapping-proposal.ts';
import { RowsTarget } from './rows-target.tsx';
import type { TargetProps } from './target.ts';

export function TableTarget(props: TargetProps) {
  const { draft, owner } = props;
  const { data: sources = [] } = useSources();
  const tracked = sources.find(({ name }) => name === draft.source)?.tables.map(({ table }) => table) ?? [];
  const isKnown = tracked.some(({ schema, name }) => schema === draft.schema && name === draft.target);
  const table = isKnown ? { schema: draft.schema, name: draft.target } : undefined;
  const { data: info, error, refetch } = useTableInfo(draft.source, table);
  const mapped = info?.columns.map(({ name, type, base_type }) => ({
    name,
    type: base_type ?? type,
    isRequired: false,
  }));
  return (
    <RowsTarget
      {...props}
      noun="table"
      sources={sources.map(({ name }) => name)}
      targets={tracked}
      mapped={mapped}
      proposal={mapped && proposedColumns(owner, draft.target, mapped, info?.primary_key ?? [])}
      failure={error === null ? undefined : { error, refetch }}
    />
  );
}

export function FunctionTarget(props: TargetProps) {
  const { draft, owner } = props;
  const { data: sources = [] } = useSources();
  const source = sources.find(({ name }) => name === draft.source);
  const { data: functions, error, refetch } = useSourceFunctions(source?.name);
  const tracked = functions?.filter((one) => one.tracked) ?? [];
  const chosen = tracked.find(({ schema, name }) => schema === draft.schema && name === draft.target);
  const entry = source?.functions?.find(
    ({ function: { schema, name } }) => schema === draft.schema && name === draft.target,
  );
  const session = entry?.configuration?.session_argument;
  const mapped = chosen?.arguments
    .filter(({ name }) => name !== '' && name !== session)
    .map(({ name, type, has_default }) => ({ name, type, isRequired: !has_default }));
  const isOneRow = chosen?.returns_set === false;
  return (
    <RowsTarget
      {...props}
      noun="function"
      sources={sources.map(({ name }) => name)}
      targets={tracked}
      mapped={mapped}
      proposal={mapped && proposedArguments(owner, draft.target, mapped, isOneRow ? 'object' : 'array')}
      failure={error === null ? undefined : { error, refetch }}
      isOneRow={isOneRow}
    />
  );
}
