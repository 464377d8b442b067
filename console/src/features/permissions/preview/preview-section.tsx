/** Preview of the visible rows, by the saved permission or the rule in the form. */

import { Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../../api/failure.ts';
import type { JsonObject } from '../../../api/json.ts';
import { useCommand } from '../../../api/use-command.ts';
import { isSessionProblem, sessionHeaders } from '../../../shared/graphql/role-session.ts';
import { headerName } from '../../../shared/roles/known-names.ts';
import { readRule } from '../../../shared/rules/rule.ts';
import type { RuleTable } from '../../../shared/rules/rule-table.ts';
import { readRuleTable, useRuleTerms } from '../../../shared/rules/use-rule-table.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import classes from '../permissions.module.css';
import { type Count, type Seen, SHOWN_ROWS, seenAs, seenBy } from './preview-api.ts';
import { asWhere } from './preview-where.ts';

interface PreviewSectionProps {
  readonly role: string;
  readonly table: RuleTable;
  /** The rule in the form. Undefined when none is chosen. */
  readonly rule: JsonObject | undefined;
  /** Columns to show. */
  readonly columns: readonly string[];
  /** Verb of the text: `sees`. */
  readonly verb: string;
  /** Whether the saved permission allows select. Undefined when not applicable. */
  readonly saved: boolean | undefined;
  /** Whether the role can count rows. */
  readonly counts: boolean;
}

type Basis = 'form' | 'saved';

export function PreviewSection(props: PreviewSectionProps) {
  const { role, table, rule, verb, saved } = props;
  const { prefix } = useRuleTerms();
  const [session, setSession] = useSession(role);
  const [basis, setBasis] = useState<Basis>('form');
  const headers = sessionHeaders(role, session, prefix);
  const { run, reset, result, failure, isPending } = usePreview(props, headers, basis);
  const change = (chosen: Basis): void => {
    setBasis(chosen);
    reset();
  };
  return (
    <Stack gap="sm">
      <Textarea
        label={`Session variables of ${role}`}
        description={`One on each line, such as ${headerName(prefix, 'user-id')}: 1. Kept in this tab.`}
        classNames={{ input: classes.code ?? '' }}
        autosize
        minRows={2}
        maxRows={6}
        spellCheck={false}
        value={session}
        error={isSessionProblem(headers) ? headers.problem : undefined}
        onChange={(event) => setSession(event.currentTarget.value)}
      />
      <Group gap="sm">
        {saved !== undefined && (
          <SegmentedControl
            size="xs"
            aria-label="By which permission"
            value={basis}
            onChange={(chosen) => change(chosen as Basis)}
            data={[
              { value: 'form', label: 'By this form' },
              { value: 'saved', label: 'As saved' },
            ]}
          />
        )}
        <ReasonButton
          size="xs"
          variant="default"
          loading={isPending}
          reason={reasonAgainst(headers, basis === 'form' && rule === undefined)}
          onClick={() => run()}
        >
          Show the rows
        </ReasonButton>
      </Group>
      {failure !== undefined && <FailureNotice title="The rows cannot be shown" failure={failure} />}
      {result !== undefined && <SeenRows seen={result} subject={`${role} ${verb}`} table={table} />}
    </Stack>
  );
}

function reasonAgainst(headers: ReturnType<typeof sessionHeaders>, isInvalid: boolean): string | undefined {
  if (isSessionProblem(headers)) return `Session variables: ${headers.problem}`;
  return isInvalid ? 'Correct the rule first.' : undefined;
}

function usePreview(
  { table, rule, columns, saved, counts }: PreviewSectionProps,
  headers: ReturnType<typeof sessionHeaders>,
  basis: Basis,
) {
  const queries = useQueryClient();
  const { source, prefix } = useRuleTerms();
  return useCommand(
    async (client): Promise<Seen> => {
      const target = { source: source.name, table };
      if (isSessionProblem(headers)) throw notPossible(headers.problem);
      if (basis === 'saved') {
        if (saved !== true) throw notPossible('the role has no select permission that is saved');
        return seenAs(client, target, headers, counts);
      }
      const tableNamed = (name: RuleTable['table']) => readRuleTable(queries, client, source, name);
      const found = await asWhere(readRule(rule ?? {}), table, { session: headers, prefix, tableNamed });
      if ('why' in found) throw notPossible(`${found.why}. Save the permission, and look at it “As saved”`);
      const names = table.columns.map(({ name }) => name);
      return seenBy(client, target, found.where, columns.length > 0 ? columns : names);
    },
    { changes: [] },
  );
}

function notPossible(message: string): Failure {
  return new Failure({ code: 'preview', message });
}

/** Session variables per role, in session storage. */
function useSession(role: string): readonly [string, (text: string) => void] {
  const key = `joinery:session:${role}`;
  const [text, setText] = useState(() => window.sessionStorage.getItem(key) ?? '');
  const change = (changed: string): void => {
    setText(changed);
    window.sessionStorage.setItem(key, changed);
  };
  return [text, change];
}

interface SeenRowsProps {
  readonly seen: Seen;
  /** Subject of the text: `clerk sees`. */
  readonly subject: string;
  readonly table: RuleTable;
}

function SeenRows({ seen: { rows, matching, all }, subject, table }: SeenRowsProps) {
  const columns = Object.keys(rows[0] ?? {});
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {subject} <strong>{written(matching)}</strong> of {written(all)} {all.rows === 1 ? 'row' : 'rows'} of{' '}
        {table.table.name}
        {rows.length === SHOWN_ROWS && matching.rows > SHOWN_ROWS ? `; the first ${SHOWN_ROWS} of them:` : '.'}
      </Text>
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={classes.frame} aria-label={`Rows that ${subject}`} tabIndex={0}>
          <PlainTable
            className={classes.rows ?? ''}
            horizontalSpacing="sm"
            verticalSpacing={4}
            rows={rows}
            // Rows need have no key that the role may see.
            keyOf={(_row, index) => index}
            columns={columns.map((column) => ({
              key: column,
              header: column,
              cell: (row: Seen['rows'][number]) => cell(row[column]),
            }))}
          />
        </section>
      )}
    </Stack>
  );
}

function written({ rows, is }: Count): string {
  const number = rows.toLocaleString('en');
  return is === 'exact' ? number : is === 'more' ? `more than ${number}` : `about ${number}`;
}

function cell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
