/** A form whose fields write SQL, which is shown and can be edited before it runs. */

import { Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCommand } from '../../../../api/use-command.ts';
import { runSql } from '../../../../shared/sql/sql-api.ts';
import { SqlFailure } from '../../../../shared/sql/sql-result.tsx';
import { CancelButton } from '../../../../ui/form/cancel-button.tsx';
import { ReasonButton } from '../../../../ui/form/reason-button.tsx';
import { type DraftForm, type FormErrors, useDraftForm } from '../../../../ui/form/use-draft-form.ts';
import { useUnsavedWork } from '../../../../ui/form/use-unsaved-work.ts';
import { isConcurrent } from '../sql/index-sql.ts';
import classes from '../structure.module.css';
import { DependentList, type Drop, useDependents } from './dependents.tsx';

interface SqlFormProps<Draft extends object> {
  readonly source: string;
  readonly initial: Draft;
  readonly validate?: (draft: Draft) => FormErrors;
  /** Returns the SQL. Empty while the draft changes nothing. */
  readonly sqlOf: (draft: Draft) => string;
  /** In a project: the SQL that undoes that of the draft. Without it, and where it is undefined, it is derived from the SQL. */
  readonly undoOf?: (draft: Draft) => string | undefined;
  /** What the SQL drops. Its dependents are listed. */
  readonly drop?: (draft: Draft) => Drop | undefined;
  /** Whether the SQL creates what it drops again, so that the metadata stays. */
  readonly keepsMetadata?: boolean;
  /** Label of the button. */
  readonly submit: string;
  readonly isRemoval?: boolean;
  /** Title of the notification. */
  readonly done: string;
  readonly onDone: (draft: Draft) => void;
  readonly onClose: () => void;
  readonly children: (form: DraftForm<Draft>) => ReactNode;
  /** Shown while the SQL runs. */
  readonly progress?: ReactNode;
}

interface Run<Draft> {
  readonly draft: Draft;
  readonly sql: string;
  readonly down: string | undefined;
}

export function SqlForm<Draft extends object>(props: SqlFormProps<Draft>) {
  const {
    source,
    initial,
    validate,
    sqlOf,
    undoOf,
    drop,
    keepsMetadata = false,
    submit,
    isRemoval = false,
    done,
    onDone,
    onClose,
    children,
    progress,
  } = props;
  const [edited, setEdited] = useState<string>();
  const [cascade, setCascade] = useState(false);
  const form = useDraftForm<Draft>({
    initial,
    // The fields do not write edited SQL.
    validate: (draft) => (edited === undefined ? (validate?.(draft) ?? {}) : {}),
  });
  const forget = useUnsavedWork(edited !== undefined);
  const written = sqlOf(form.values);
  const sql = edited ?? written;
  const command = useCommand(
    (client, run: Run<Draft>) => {
      const request = {
        source,
        sql: run.sql,
        readOnly: false,
        cascade,
        check: undefined,
        migration: { down: run.down },
      };
      return runSql(client, isConcurrent(run.sql) ? { ...request, transaction: false } : request);
    },
    {
      notice: ({ value: { dropped } }) => ({
        title: done,
        text: dropped.length === 0 ? undefined : `Removed from the metadata: ${dropped.join(', ')}.`,
      }),
      onDone: (_result, { draft }) => {
        forget();
        onDone(draft);
      },
      changes: [['metadata'], ['rows']],
    },
  );
  const { failure, isPending } = command;
  const dependents = useDependents(source, edited === undefined ? drop?.(form.values) : undefined);
  const state =
    dependents?.data && keepsMetadata ? { ...dependents, data: { ...dependents.data, removed: [] } } : dependents;
  const needsCascade = !keepsMetadata && dependents?.data?.needsCascade === true;
  return (
    <form
      onSubmit={form.onSubmit((draft) =>
        command.run({ draft, sql, down: edited === undefined ? undoOf?.(draft) : undefined }),
      )}
      noValidate
    >
      <Stack gap="md">
        {children(form)}
        {state !== undefined && <DependentList state={state} />}
        <Textarea
          label="SQL"
          description={
            edited === undefined ? 'This SQL runs. It can be edited.' : 'Edited: the fields no longer change it.'
          }
          autosize
          minRows={2}
          maxRows={14}
          spellCheck={false}
          classNames={{ input: classes.sql ?? '' }}
          value={sql}
          onChange={(event) => setEdited(event.currentTarget.value)}
        />
        {edited !== undefined && (
          <Button size="xs" variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => setEdited(undefined)}>
            Discard the edited SQL
          </Button>
        )}
        {failure !== undefined && <SqlFailure failure={failure} sql={sql} />}
        {(cascade || needsCascade || failure?.code === 'dependency-error') && (
          <Checkbox
            label="Also remove these objects from the metadata"
            checked={cascade}
            onChange={(event) => setCascade(event.currentTarget.checked)}
          />
        )}
        {isPending && progress}
        <Group>
          <ReasonButton
            type="submit"
            loading={isPending}
            reason={sql.trim() === '' ? 'The SQL is empty.' : undefined}
            {...(isRemoval && { color: 'red' })}
          >
            {submit}
          </ReasonButton>
          <CancelButton variant="subtle" color="gray" onClick={onClose}>
            Cancel
          </CancelButton>
          {sql.trim() === '' && (
            <Text size="sm" c="dimmed">
              Fill in or change a field first.
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
