/** Form of a native query. Errors of the SQL are marked at their line. */
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useInitialVersion } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { Editor } from '../../ui/editor/editor.tsx';
import type { Mark } from '../../ui/editor/editor-props.ts';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { sentence } from '../../ui/format.ts';
import {
  lineErrorOf,
  lineMark,
  type QueryDraft,
  type QueryEntry,
  queryDraftOf,
  queryErrors,
  queryFrom,
} from './native-draft.ts';
import { saveQuery } from './native-queries-api.ts';
import { TypedRows } from './typed-rows.tsx';

const noMarks: readonly Mark[] = [];

interface QueryFormProps {
  readonly source: string;
  /** The names of the logical models of the source. */
  readonly models: readonly string[];
  /** Undefined for a new one. */
  readonly before: QueryEntry | undefined;
  readonly onClose: () => void;
}

export function QueryForm({ source, models, before, onClose }: QueryFormProps) {
  const opened = useInitialVersion();
  const form = useDraftForm({ initial: queryDraftOf(before, models), validate: queryErrors });
  const command = useCommand(
    (client, draft: QueryDraft) => saveQuery(client, source, queryFrom(draft, before), before, opened),
    { notice: (_result, { name }) => ({ title: `Native query ${name.trim()} tracked` }), onDone: onClose },
  );
  const { code } = form.values;
  const { failure, input } = command;
  // The error is about the SQL that was sent; it is not shown once that is edited.
  const message = failure !== undefined && input?.code === code ? failure.message : '';
  const lineError = useMemo(() => lineErrorOf(message), [message]);
  const marks = useMemo(() => (lineError === undefined ? noMarks : [lineMark(code, lineError)]), [code, lineError]);
  const problem = lineError === undefined ? form.errors.code : sentence(`line ${lineError.line}: ${lineError.message}`);
  return (
    <form onSubmit={form.onSubmit((draft) => command.run(draft))} noValidate>
      <Stack gap="lg">
        <TextField label="Root field" required {...form.getInputProps('name')} />
        <div>
          <Editor
            label="SQL"
            language="sql"
            height="14rem"
            text={code}
            marks={marks}
            onChange={(text) => form.change({ code: text })}
          />
          <Text
            size="sm"
            mt={6}
            role="status"
            style={{ overflowWrap: 'anywhere' }}
            c={problem === undefined ? 'dimmed' : 'var(--mantine-color-error)'}
          >
            {problem ??
              'A single statement that only reads. Write {{name}} for the value of an argument, without quotes.'}
          </Text>
        </div>
        <TypedRows
          legend="Arguments"
          noun="argument"
          rows={form.values.arguments}
          onChange={(rows) => form.change({ arguments: rows })}
          error={typeof form.errors.arguments === 'string' ? form.errors.arguments : undefined}
        />
        <NativeSelect
          label="Returns"
          data={[...models]}
          value={form.values.returns}
          onChange={(event) => form.change({ returns: event.currentTarget.value })}
          error={form.errors.returns}
        />
        <TextField label="Description" {...form.getInputProps('description')} />
        <FormActions
          submit={before === undefined ? 'Track the native query' : 'Save the native query'}
          command={command}
          failed="The native query was not tracked"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
