/** Form that replaces the query of a view. */
import { Checkbox, Text, Textarea } from '@mantine/core';
import { type PresentView, replaceViewSql, type ViewDraft, viewErrors } from '../sql/view-sql.ts';
import classes from '../structure.module.css';
import { SqlForm } from './sql-form.tsx';

interface ViewFormProps {
  readonly source: string;
  readonly view: PresentView;
  /** The present query. */
  readonly query: string;
  readonly onClose: () => void;
}

export function ViewForm({ source, view, query, onClose }: ViewFormProps) {
  const isMaterialized = view.kind === 'materialized_view';
  const initial = { query: query.trim().replace(/;$/, ''), recreate: isMaterialized };
  return (
    <SqlForm<ViewDraft>
      source={source}
      initial={initial}
      validate={viewErrors}
      sqlOf={(draft) => (draft.query.trim() === initial.query ? '' : replaceViewSql(view, draft))}
      drop={({ recreate }) => (recreate ? { object: { kind: 'table', table: view.table }, cascade: false } : undefined)}
      keepsMetadata
      submit="Replace the query"
      done="The view was changed"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Textarea
            label="Query"
            required
            autosize
            minRows={4}
            maxRows={20}
            spellCheck={false}
            classNames={{ input: classes.sql ?? '' }}
            {...form.getInputProps('query')}
          />
          {isMaterialized ? (
            <Text size="sm" c="dimmed">
              A materialized view is dropped and created again with its indexes. Its grants are lost.
            </Text>
          ) : (
            <Checkbox
              label="Drop the view and create it again"
              description="Required to remove, reorder or retype columns. Its grants are lost, and views that read it prevent it."
              {...form.getInputProps('recreate', { type: 'checkbox' })}
            />
          )}
        </>
      )}
    </SqlForm>
  );
}
