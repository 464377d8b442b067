/** The condition of a trigger: every change, or those for which a rule on the changed row holds. */
import { Alert, Radio, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import { jsonProblem, parseExactly, printPretty } from '../../../api/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../../api/json.ts';
import { RuleEditor } from '../../../shared/rules/rule-editor.tsx';
import { type RuleTerms, RuleTermsContext } from '../../../shared/rules/use-rule-table.ts';
import type { SourceEntry } from '../../../shared/sources/sources-api.ts';
import { AlertIcon } from '../../../ui/page/icons.tsx';
import type { TriggerFields } from './column-picker.tsx';
import { changedRows, hasRowEvents } from './trigger-draft.ts';

interface ConditionFieldsProps extends TriggerFields {
  readonly source: SourceEntry | undefined;
}

export function ConditionFields({ form, info, source }: ConditionFieldsProps) {
  const { headerPrefix } = useClient();
  const draft = form.values;
  const { condition: error } = form.errors;
  const rows = changedRows(draft);
  const key = rows.join();
  const terms = useMemo((): RuleTerms | undefined => {
    if (source === undefined || info === undefined) return undefined;
    const changed = key === '' ? [] : (key.split(',') as typeof rows);
    // Conditions depend on the changed row only: no other table and no session variable is offered.
    return { source: { ...source, tables: [] }, table: info.table, prefix: headerPrefix, variables: [], changed };
  }, [source, info, headerPrefix, key]);
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Condition"
        description="Evaluated in the database: a change that does not match costs nothing."
        value={draft.conditional ? 'rule' : 'all'}
        onChange={(chosen) => form.change({ conditional: chosen === 'rule' }, ['conditional', 'condition'])}
      >
        <Stack gap={6} mt="xs">
          <Radio value="all" label="Every change causes an event" />
          <Radio value="rule" label="Changes for which a condition holds" disabled={!hasRowEvents(draft)} />
        </Stack>
      </Radio.Group>
      {draft.conditional && (
        <>
          {rows.length === 0 && (
            <Alert color="yellow" variant="outline" icon={<AlertIcon />}>
              The operations have no row in common: an insert has no old row, a delete no new one. Define a trigger for
              each of them.
            </Alert>
          )}
          {terms === undefined ? (
            <Text size="sm" c="dimmed">
              Choose a table first.
            </Text>
          ) : (
            <RuleTermsContext value={terms}>
              <RuleEditor
                key={JSON.stringify(terms.table)}
                label="Condition"
                rule={ruleOf(draft.condition)}
                onChange={(rule) => form.change({ condition: printPretty(rule) })}
              />
            </RuleTermsContext>
          )}
          {error !== undefined && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {error}
            </Text>
          )}
        </>
      )}
    </Stack>
  );
}

function ruleOf(text: string): JsonObject {
  const rule = jsonProblem(text) === undefined ? parseExactly(text) : {};
  return isJsonObject(rule) ? rule : {};
}
