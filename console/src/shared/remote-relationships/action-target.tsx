/** Inputs for a relationship to a query action. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import { Checkbox, Select, Text } from '@mantine/core';
import { getNamedType } from 'graphql';
import { toFailure } from '../../api/failure.ts';
import { useMetadata } from '../../api/metadata.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import form from '../../ui/form/form.module.css';
import { TextField } from '../../ui/form/text-field.tsx';
import { useAdminSchema } from '../graphql/use-admin-schema.ts';
import { suggestedArguments } from '../remote-fields/argument-values.ts';
import { ArgumentsTree } from '../remote-fields/arguments-tree.tsx';
import type { TargetProps } from './target.ts';

export function ActionTarget({ draft, owner, errors, problems, onChange }: TargetProps) {
  const { data: actions = [] } = useMetadata(actionsOf);
  const { data: schema, error, refetch } = useAdminSchema().schema;
  const queries = schema?.getQueryType()?.getFields() ?? {};
  const field = queries[draft.action];
  const isKnown = actions.some(({ name }) => name === draft.action);
  const subjectsOf = (name: string) => [name, ...(queries[name] ? [getNamedType(queries[name].type).name] : [])];
  const choose = (action: string): void =>
    onChange({ action, arguments: suggestedArguments(queries[action]?.args ?? [], owner, subjectsOf(action)) });
  return (
    <>
      <Select
        label="Action"
        placeholder="Query action"
        searchable
        allowDeselect={false}
        data={actions.map(({ name, type }) =>
          type === 'query'
            ? { value: name, label: name }
            : { value: name, label: `${name} (a mutation; the target must be a query)`, disabled: true },
        )}
        nothingFoundMessage="No action of that name"
        value={isKnown ? draft.action : null}
        error={draft.action !== '' && !isKnown ? `There is no action ${draft.action}.` : errors.action}
        onChange={(action) => action !== null && choose(action)}
      />
      {!actions.some(({ type }) => type === 'query') && (
        <Text size="sm" c="dimmed">
          The service has no query action.
        </Text>
      )}
      {error !== null && (
        <FailureNotice title="The schema could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {schema === undefined && error === null && isKnown && <Loading />}
      {isKnown && field !== undefined && (
        <fieldset className={form.fieldset}>
          <legend className={form.legend}>Arguments</legend>
          {field.args.length === 0 ? (
            <Text size="sm" c="dimmed">
              The action has no arguments: each object gets the same result.
            </Text>
          ) : (
            <ArgumentsTree
              declared={field.args}
              values={draft.arguments}
              owner={owner}
              subjects={subjectsOf(draft.action)}
              isOpen
              problems={problems}
              onChange={(values) => onChange({ arguments: values })}
            />
          )}
          <Text size="sm" c="dimmed" mt={4}>
            Clients supply the arguments that are left out. The handler receives the session variables of the caller.
          </Text>
        </fieldset>
      )}
      <Checkbox
        label="The handler accepts many inputs in one call"
        description="It then receives inputs in place of input, and returns a list of the same length."
        checked={draft.batch !== undefined}
        onChange={(event) => onChange({ batch: event.currentTarget.checked ? '' : undefined })}
      />
      {draft.batch !== undefined && (
        <TextField
          label="Maximum inputs in a call"
          placeholder="100"
          inputMode="numeric"
          maw={220}
          value={draft.batch}
          onChange={(batch) => onChange({ batch })}
        />
      )}
    </>
  );
}

function actionsOf({ metadata }: MetadataExport) {
  return (metadata.actions ?? []).map(({ name, definition }) => ({ name, type: definition.type ?? 'mutation' }));
}
