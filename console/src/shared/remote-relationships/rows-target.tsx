/** Inputs for a relationship to rows: shape, source, schema, table or function, and the pairs of its mapping. */
import { NativeSelect, Select, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { toFailure } from '../../api/failure.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import form from '../../ui/form/form.module.css';
import { type DefinitionDraft, emptyRows } from './definition-draft.ts';
import { MappingRows } from './mapping-fields.tsx';
import { type Mapped, mappingKeys } from './mapping-proposal.ts';
import type { TargetProps } from './target.ts';

interface RowsTargetProps extends TargetProps {
  readonly noun: 'table' | 'function';
  readonly sources: readonly string[];
  /** Tracked tables or functions of the source. */
  readonly targets: readonly { readonly schema: string; readonly name: string }[];
  /** The columns of the table or the arguments of the function. Undefined until loaded. */
  readonly mapped: readonly Mapped[] | undefined;
  /** The mapping by names, entered when a target is chosen. */
  readonly proposal: Pick<DefinitionDraft, 'rows' | 'shape'> | undefined;
  readonly failure: { readonly error: Error; readonly refetch: () => unknown } | undefined;
  /** The function returns one row. */
  readonly isOneRow?: boolean;
}

export function RowsTarget(props: RowsTargetProps) {
  const { draft, owner, errors, noun, sources, targets, mapped, failure, isOneRow, onChange } = props;
  const schemas = [...new Set([draft.schema, ...targets.map((one) => one.schema)])].sort();
  const names = targets.filter(({ schema }) => schema === draft.schema).map(({ name }) => name);
  const isKnown = names.includes(draft.target);
  const what = noun === 'table' ? 'column' : 'argument';
  const unmapped =
    mapped?.filter(({ name, isRequired }) => isRequired && !draft.rows.some(({ to }) => to === name)) ?? [];
  useProposal(props, isKnown);
  return (
    <>
      <NativeSelect
        label="Relationship type"
        value={draft.shape}
        data={[
          { value: 'object', label: 'Object: one row, or null' },
          { value: 'array', label: 'Array: any number of rows' },
        ]}
        error={isOneRow && draft.shape === 'array' && 'The function returns one row. Choose Object.'}
        onChange={(event) => onChange({ shape: event.currentTarget.value === 'array' ? 'array' : 'object' })}
      />
      <div className={form.pair}>
        <Select
          label="Reference source"
          allowDeselect={false}
          data={[...sources]}
          value={draft.source}
          onChange={(source) => source !== null && onChange({ source, target: '', rows: emptyRows })}
        />
        <Select
          label="Reference schema"
          allowDeselect={false}
          data={schemas}
          value={draft.schema}
          onChange={(schema) => schema !== null && onChange({ schema, target: '', rows: emptyRows })}
        />
        <Select
          label={noun === 'table' ? 'Reference table' : 'Function'}
          placeholder={noun === 'table' ? 'Table' : 'Function'}
          searchable
          allowDeselect={false}
          data={[...new Set(names)]}
          nothingFoundMessage={`No tracked ${noun} of that name`}
          value={isKnown ? draft.target : null}
          error={draft.target === '' || isKnown ? errors.target : `There is no tracked ${noun} ${draft.target}.`}
          onChange={(target) => target !== null && onChange({ target, rows: emptyRows })}
        />
      </div>
      {failure !== undefined && (
        <FailureNotice
          title={`The ${what}s could not be read`}
          failure={toFailure(failure.error)}
          onRetry={failure.refetch}
        />
      )}
      {isKnown && (
        <MappingRows
          legend={`${owner.noun === 'column' ? 'Columns' : 'Fields'} of ${owner.name}, and the ${what}s that they ${noun === 'table' ? 'equal' : 'supply'}`}
          noun={owner.noun}
          target={what}
          rows={draft.rows}
          keys={mapped && mappingKeys(owner, mapped, what)}
          onChange={(rows) => onChange({ rows })}
        />
      )}
      {isKnown && errors.rows !== undefined && (
        <Text size="sm" c="dimmed" role="status">
          {errors.rows}
        </Text>
      )}
      {unmapped.length > 0 && (
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          The function needs a value for {unmapped.map(({ name }) => name).join(', ')}.
        </Text>
      )}
    </>
  );
}

/** Enters the proposed mapping once for each target, when its columns or arguments are loaded and none is chosen yet. */
function useProposal({ draft, mapped, proposal, onChange }: RowsTargetProps, isKnown: boolean): void {
  const target = JSON.stringify([draft.kind, draft.source, draft.schema, draft.target]);
  const proposedFor = useRef<string>(undefined);
  const isUntouched = draft.rows.every(({ from, to }) => from === null && to === null);
  useEffect(() => {
    if (!isKnown || mapped === undefined || proposedFor.current === target) return;
    proposedFor.current = target;
    if (isUntouched && proposal !== undefined) onChange(proposal);
  }, [isKnown, mapped, target, isUntouched, proposal, onChange]);
}
