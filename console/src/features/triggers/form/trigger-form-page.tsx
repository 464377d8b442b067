/** The pages that create, copy and edit an event trigger. */
import { toFailure } from '../../../api/failure.ts';
import { useLocation } from '../../../router/location.ts';
import { Problems } from '../../../shared/rules/validation-errors.tsx';
import { type TableName, tableKey } from '../../../shared/sources/table-paths.ts';
import { useSources } from '../../../shared/sources/use-sources.ts';
import { useLast } from '../../../ui/dialog/use-last.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { triggerPath, triggersPath } from '../trigger-state.ts';
import type { TriggerName } from '../triggers-api.ts';
import { type DefinedTrigger, useDefinition } from '../use-triggers.ts';
import { emptyTriggerDraft, type TriggerDraft, triggerDraftOf } from './trigger-draft.ts';
import { TriggerForm } from './trigger-form.tsx';

const list = { to: triggersPath, label: 'Event triggers' };

/** `source`, `schema` and `table` in the query string choose the table, `source` and `copy` a trigger to copy. */
export function NewTriggerPage() {
  const { search } = useLocation();
  const { data: sources, error, refetch } = useSources();
  const copied = { source: search.get('source') ?? '', name: search.get('copy') ?? '' };
  const { isLoaded, found } = useDefinition(copied);
  const [schema, table] = [search.get('schema'), search.get('table')];
  const chosen = schema === null || table === null ? undefined : { schema, name: table };
  const source = search.get('source') ?? sources?.[0]?.name ?? '';
  return (
    <>
      <PageHeader title={copied.name === '' ? 'Create an event trigger' : 'Duplicate an event trigger'} back={list} />
      {error !== null && (
        <FailureNotice title="The tables could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {!isLoaded && error === null && <Loading />}
      {isLoaded && copied.name !== '' && found === undefined && <Missing {...copied} />}
      {isLoaded && (copied.name === '' || found !== undefined) && (
        <Problems>
          {(invalid) => (
            <TriggerForm
              initial={found === undefined ? newDraft(source, chosen) : copyOf(found, copied)}
              edited={undefined}
              back={triggersPath}
              invalid={invalid}
            />
          )}
        </Problems>
      )}
    </>
  );
}

function newDraft(source: string, table: TableName | undefined): TriggerDraft {
  return { ...emptyTriggerDraft, source, table: table === undefined ? '' : tableKey(table) };
}

/** A copy begins paused, so that a change does not call the webhook twice before the copy is changed. */
function copyOf({ trigger, table }: DefinedTrigger, { source, name }: TriggerName): TriggerDraft {
  return { ...triggerDraftOf(trigger, source, table), name: `${name}_copy`.slice(0, 63), paused: true };
}

export function EditTriggerPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const edited = { source: params.source ?? '', name: params.name ?? '' };
  const { isLoaded, found, error, refetch } = useDefinition(edited);
  // Input must survive when the trigger is removed elsewhere.
  const shown = useLast(found);
  return (
    <>
      <PageHeader title="Edit an event trigger" back={{ to: triggerPath(edited), label: edited.name }} />
      {error !== null && (
        <FailureNotice title="The trigger could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {!isLoaded && error === null && <Loading />}
      {isLoaded && shown === undefined && <Missing {...edited} />}
      {shown !== undefined && (
        <Problems>
          {(invalid) => (
            <TriggerForm
              key={JSON.stringify(edited)}
              initial={triggerDraftOf(shown.trigger, edited.source, shown.table)}
              edited={shown.trigger}
              back={triggerPath(edited)}
              invalid={invalid}
            />
          )}
        </Problems>
      )}
    </>
  );
}

function Missing({ source, name }: TriggerName) {
  return (
    <EmptyState title={`There is no event trigger “${name}” in ${source}`}>
      It may have been deleted or renamed.
    </EmptyState>
  );
}
