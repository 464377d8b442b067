/** Inputs for what an event calls: a webhook, a saved operation or a function, with suggestions of names. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import { Autocomplete, Input, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMetadata } from '../../api/metadata.ts';
import { FormBesideText } from '../../ui/form/beside-text/form-beside-text.tsx';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import form from '../../ui/form/form.module.css';
import { PairFields } from '../../ui/form/pair-fields.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { variablesIn } from '../graphql/operation-draft.ts';
import { useKnownNames } from '../rules/use-rule-table.ts';
import { useSourceFunctions, useSources } from '../sources/use-sources.ts';
import { inputRows, inputsText, withKnown } from './input-rows.ts';
import { emptyTarget, suggestedInputs, type TargetDraft, type TargetField } from './target-draft.ts';

interface TargetFieldsProps {
  /** Undefined for a webhook. */
  readonly target: TargetDraft | undefined;
  /** The expression of the object that suggested templates read, such as `$body.payload`. Undefined: no suggestion. */
  readonly body: string | undefined;
  /** `field` is undefined when the kind of the target changes. */
  readonly onChange: (target: TargetDraft | undefined, field?: TargetField) => void;
  readonly errorOf: (field: TargetField) => ReactNode;
  /** The inputs of a webhook. */
  readonly children: ReactNode;
}

const kinds = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'operation', label: 'Saved operation' },
  { value: 'function', label: 'Function' },
];

export function TargetFields({ target, body, onChange, errorOf, children }: TargetFieldsProps) {
  const choose = (kind: string): void => {
    if (kind === 'operation' || kind === 'function') onChange({ ...(target ?? emptyTarget), kind, inputs: '' });
    else onChange(undefined);
  };
  return (
    <Stack gap="xs">
      <SegmentedControl aria-label="Target" data={kinds} value={target?.kind ?? 'webhook'} onChange={choose} />
      {target === undefined ? (
        children
      ) : (
        <Stack gap="md">
          {target.kind === 'operation' ? (
            <OperationFields {...{ target, body, onChange, errorOf }} />
          ) : (
            <FunctionFields {...{ target, body, onChange, errorOf }} />
          )}
          <Input.Error>{errorOf('target')}</Input.Error>
        </Stack>
      )}
    </Stack>
  );
}

interface PartProps extends Pick<TargetFieldsProps, 'body' | 'onChange' | 'errorOf'> {
  readonly target: TargetDraft;
}

function OperationFields({ target, body, onChange, errorOf }: PartProps) {
  const { data: collections = [] } = useMetadata(collectionsOf);
  const { data: names } = useKnownNames();
  const queriesOf = (collection: string) =>
    collections.find(({ name }) => name === collection.trim())?.definition.queries ?? [];
  const variablesOf = ({ collection, name }: TargetDraft) =>
    variablesIn(queriesOf(collection).find((one) => one.name === name.trim())?.query ?? '');
  const suggestionOf = (draft: TargetDraft): string =>
    suggestedInputs(
      variablesOf(draft).map(({ name }) => name),
      body,
    );
  const change = (part: Partial<TargetDraft>, field: TargetField): void =>
    onChange(withSuggestion({ ...target, ...part }, target, suggestionOf), field);
  const variables = variablesOf(target).map(({ name, type }) => `$${name}: ${type}`);
  return (
    <>
      <div className={form.pair}>
        <Autocomplete
          label="Collection"
          description="Of saved operations."
          required
          data={collections.map(({ name }) => name)}
          value={target.collection}
          onChange={(collection) => change({ collection }, 'target.collection')}
          error={errorOf('target.collection')}
        />
        <Autocomplete
          label="Operation"
          description="A query or a mutation of it."
          required
          data={queriesOf(target.collection).map(({ name }) => name)}
          value={target.name}
          onChange={(name) => change({ name }, 'target.name')}
          error={errorOf('target.name')}
        />
        <Autocomplete
          label="Role"
          description="Runs the operation with its permissions."
          required
          data={['admin', ...(names?.roles ?? [])]}
          value={target.role}
          onChange={(role) => onChange({ ...target, role }, 'target.role')}
          error={errorOf('target.role')}
        />
      </div>
      <InputsField label="Variables" names={variables} {...{ target, onChange, errorOf }} />
      <div>
        <PairFields
          legend="Session variables"
          noun="session variable"
          placeholders={['x-hasura-user-id', `{{${body ?? '$body'}.owner}}`]}
          pairs={target.session}
          onChange={(session) => onChange({ ...target, session }, 'target.session')}
        />
        <Input.Error mt={4}>{errorOf('target.session')}</Input.Error>
      </div>
    </>
  );
}

function FunctionFields({ target, body, onChange, errorOf }: PartProps) {
  const { data: sources = [] } = useSources();
  const source = sources.find(({ name }) => name === (target.source.trim() || 'default'));
  const { data: functions = [] } = useSourceFunctions(source?.name);
  const inSchema = ({ schema }: TargetDraft) => functions.filter((one) => one.schema === (schema.trim() || 'public'));
  const argumentsOf = (draft: TargetDraft) =>
    (inSchema(draft).find(({ name }) => name === draft.called.trim())?.arguments ?? []).filter(
      ({ name }) => name !== '',
    );
  const suggestionOf = (draft: TargetDraft): string =>
    suggestedInputs(
      argumentsOf(draft).map(({ name }) => name),
      body,
    );
  const change = (part: Partial<TargetDraft>, field: TargetField): void =>
    onChange(withSuggestion({ ...target, ...part }, target, suggestionOf), field);
  const names = argumentsOf(target).map(({ name, type }) => `${name}: ${type}`);
  return (
    <>
      <div className={form.pair}>
        <Autocomplete
          label="Source of the function"
          description="Empty for default."
          placeholder="default"
          data={sources.map(({ name }) => name)}
          value={target.source}
          onChange={(name) => change({ source: name }, 'target.source')}
          error={errorOf('target.source')}
        />
        <TextField
          label="Schema"
          description="Empty for public."
          placeholder="public"
          value={target.schema}
          onChange={(schema) => change({ schema }, 'target.schema')}
          error={errorOf('target.schema')}
        />
        <Autocomplete
          label="Function name"
          description="It need not be tracked."
          required
          data={[...new Set(inSchema(target).map(({ name }) => name))]}
          value={target.called}
          onChange={(called) => change({ called }, 'target.called')}
          error={errorOf('target.called')}
        />
      </div>
      <InputsField label="Arguments" names={names} {...{ target, onChange, errorOf }} />
    </>
  );
}

interface InputsFieldProps extends Omit<PartProps, 'body'> {
  readonly label: string;
  /** The inputs with their types. Empty where they are unknown. */
  readonly names: readonly string[];
}

function InputsField({ label, names, target, onChange, errorOf }: InputsFieldProps) {
  const set = (inputs: string): void => onChange({ ...target, inputs }, 'target.inputs');
  const read = inputRows(target.inputs);
  const known = names.map((name) => name.replace(/^\$/, '').replace(/:.*$/, ''));
  const rows = read instanceof Unreadable ? [] : withKnown(read, known);
  return (
    <FormBesideText
      reason={read instanceof Unreadable ? read.reason : undefined}
      editor={
        <Textarea
          label={label}
          description="A JSON object. Strings are templates; $body is the body that a webhook would receive."
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
          placeholder="{}"
          spellCheck={false}
          autosize
          minRows={4}
          maxRows={24}
          value={target.inputs}
          onChange={(event) => set(event.currentTarget.value)}
          error={errorOf('target.inputs')}
        />
      }
    >
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          Without inputs, or they are unknown: write them as JSON.
        </Text>
      )}
      {rows.map((row, index) => (
        <TextField
          key={row.name}
          label={names[index] ?? row.name}
          description={index < known.length ? undefined : 'There is no input of this name.'}
          placeholder="A template, a text or JSON"
          value={row.text}
          onChange={(text) => set(inputsText(rows.map((one) => (one === row ? { ...row, text } : one))))}
        />
      ))}
    </FormBesideText>
  );
}

function collectionsOf({ metadata }: MetadataExport) {
  return metadata.query_collections ?? [];
}

/** Replaces inputs that are empty or as suggested for `before` by the suggestion for `draft`. */
function withSuggestion(
  draft: TargetDraft,
  before: TargetDraft,
  suggestionOf: (draft: TargetDraft) => string,
): TargetDraft {
  const isTyped = draft.inputs.trim() !== '' && draft.inputs !== suggestionOf(before);
  return isTyped ? draft : { ...draft, inputs: suggestionOf(draft) };
}
