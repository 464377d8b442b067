/** Input of a value: literal, list, or session variable. */
import { Autocomplete, SegmentedControl, Stack, TagsInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { isSessionVariable } from '../roles/known-names.ts';
import { familyOf } from '../sources/type-family.ts';
import { isTypedAsJson } from './operators.ts';
import type { RuleColumn } from './rule-table.ts';
import { parseValue, showTyped } from './rule-values.ts';
import classes from './rules.module.css';
import { useRuleTerms } from './use-rule-table.ts';
import { useProblem } from './validation-errors.tsx';

interface ValueFieldProps {
  /** Accessible name of the field. */
  readonly label: string;
  /** The type of the value. */
  readonly of: Pick<RuleColumn, 'type' | 'values'>;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

export function ValueField({ label, of, value, onChange }: ValueFieldProps) {
  const { prefix, variables } = useSessionTerms();
  const [typed, setTyped] = useState<{ readonly text: string; readonly before: unknown }>();
  // A value that changed elsewhere, for example in the JSON, replaces the typed text.
  const shown = typed !== undefined && typed.before === value ? typed.text : showTyped(value, of.type, prefix);
  const { problem } = parseValue(shown, of.type, prefix);
  useProblem(problem !== undefined);
  const change = (text: string): void => {
    const read = parseValue(text, of.type, prefix);
    // Invalid text stays in the input only and prevents saving.
    setTyped(read.problem === undefined ? undefined : { text, before: value });
    if (read.problem === undefined) onChange(read.value);
  };
  const field = {
    'aria-label': label,
    value: shown,
    error: shown === '' ? problem !== undefined : problem,
    spellCheck: false,
  };
  if (isTypedAsJson(of.type)) {
    return (
      <Textarea
        {...field}
        classNames={{ input: classes.code ?? '' }}
        autosize
        maxRows={8}
        placeholder={prefix === undefined ? 'JSON' : 'JSON, or a session variable'}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  }
  const isVariable = prefix !== undefined && isSessionVariable(shown, prefix);
  const offered = familyOf(of.type) === 'boolean' ? ['true', 'false'] : (of.values ?? []);
  return (
    <Autocomplete
      {...field}
      data={[...offered, ...variables]}
      placeholder={prefix === undefined ? 'Value' : 'Value, or a session variable'}
      rightSection={isVariable ? <span className={classes.session}>session</span> : undefined}
      rightSectionWidth={isVariable ? 58 : 8}
      rightSectionPointerEvents="none"
      onChange={change}
    />
  );
}

/** Input for several values, or one session variable that holds a list. */
export function ListField({ label, of, value, onChange }: ValueFieldProps) {
  const { prefix, variables } = useSessionTerms();
  const one = !Array.isArray(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const invalid = items
    .map((item) => parseValue(showTyped(item, of.type, prefix), of.type, prefix))
    .find((read) => read.problem);
  useProblem(invalid !== undefined);
  return (
    <Stack gap={6}>
      {one ? (
        <ValueField label={label} of={{ type: 'text' }} value={value} onChange={onChange} />
      ) : (
        <TagsInput
          aria-label={label}
          data={[...(of.values ?? []), ...variables]}
          placeholder={items.length === 0 ? 'Values: press Enter after each' : ''}
          value={items.map((item) => showTyped(item, of.type, prefix))}
          error={invalid?.problem}
          acceptValueOnBlur
          onChange={(texts) => onChange(texts.map((text) => parseValue(text, of.type, prefix).value))}
        />
      )}
      {prefix !== undefined && (
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={`${label}: from where`}
          value={one ? 'session' : 'values'}
          onChange={(from) => onChange(from === 'values' ? [] : (variables[0] ?? ''))}
          data={[
            { value: 'values', label: 'Values' },
            { value: 'session', label: 'Session variable' },
          ]}
        />
      )}
    </Stack>
  );
}

/** The session variables that values can name. The prefix is undefined where they cannot. */
function useSessionTerms(): { readonly prefix: string | undefined; readonly variables: readonly string[] } {
  const { prefix, variables, changed } = useRuleTerms();
  return changed === undefined ? { prefix, variables } : { prefix: undefined, variables: [] };
}
