/** Rows of a permission: not chosen, all, or by a rule. */
import { Alert, Radio, Stack, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { RuleEditor } from '../../shared/rules/rule-editor.tsx';
import { useProblem } from '../../shared/rules/validation-errors.tsx';
import { AlertIcon } from '../../ui/page/icons.tsx';
import { isEmpty } from './access.ts';
import classes from './permissions.module.css';

interface RowsSectionProps {
  readonly label: string;
  /** Label of the option for all rows. */
  readonly all: string;
  /** Label of the option for no choice. Undefined when a choice is required. */
  readonly none?: string;
  /** Warning about allowing all rows. */
  readonly warning: string;
  /** Undefined when nothing is chosen. */
  readonly rule: JsonObject | undefined;
  readonly onChange: (rule: JsonObject | undefined) => void;
}

type Choice = 'none' | 'all' | 'rule';

export function RowsSection({ label, all, none, warning, rule, onChange }: RowsSectionProps) {
  const [choice, setChoice] = useState<Choice | undefined>(() => choiceOf(rule, none !== undefined));
  const [last, setLast] = useState<JsonObject>(isJsonObject(rule) ? rule : {});
  const unfinished = choice === 'rule' && isEmpty(rule);
  useProblem(unfinished);
  const choose = (chosen: Choice): void => {
    setChoice(chosen);
    if (rule !== undefined && !isEmpty(rule)) setLast(rule);
    onChange(chosen === 'none' ? undefined : chosen === 'all' ? {} : last);
  };
  return (
    <Stack gap="sm">
      <Radio.Group
        label={<VisuallyHidden>{label}</VisuallyHidden>}
        labelProps={{ className: classes.unseen }}
        value={choice ?? null}
        onChange={(chosen) => choose(chosen as Choice)}
      >
        <Stack gap={6}>
          {none !== undefined && <Radio value="none" label={none} />}
          <Radio value="all" label={all} />
          <Radio value="rule" label="Rows for which a rule holds" />
        </Stack>
      </Radio.Group>
      {choice === 'all' && (
        <Alert color="yellow" variant="outline" icon={<AlertIcon />}>
          {warning}
        </Alert>
      )}
      {choice === 'rule' && (
        <>
          {unfinished && (
            <Alert color="yellow" variant="outline" icon={<AlertIcon />}>
              A rule without a condition opens all rows. Add a condition, or choose all rows above.
            </Alert>
          )}
          <RuleEditor label={label} rule={last} onChange={onChange} />
        </>
      )}
    </Stack>
  );
}

function choiceOf(rule: JsonObject | undefined, optional: boolean): Choice | undefined {
  if (rule === undefined) return optional ? 'none' : undefined;
  return isEmpty(rule) ? 'all' : 'rule';
}
