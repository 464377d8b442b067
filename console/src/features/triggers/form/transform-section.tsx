/** Transforms of a trigger, with a try-out on a row of the table. */
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { toFailure } from '../../../api/failure.ts';
import { eventHeaders } from '../../../shared/request-preview/request-head.ts';
import { TransformTester } from '../../../shared/transforms/test-transform.tsx';
import { readRequest, readResponse } from '../../../shared/transforms/transform-draft.ts';
import { RequestFields, ResponseFields, type TemplateExamples } from '../../../shared/transforms/transform-fields.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import classes from '../../../ui/form/form.module.css';
import { readSampleRows } from '../triggers-api.ts';
import type { TriggerFields } from './column-picker.tsx';
import { nameOfSample, type SampleOperation, sampleBody, sampleOperations, sampleSql } from './sample-event.ts';

const examples: TemplateExamples = {
  id: '$body.event.data.new.id',
  header: ['X-Trigger', '{{$body.trigger.name}}'],
};

export function TransformSection({ form, info }: TriggerFields) {
  const draft = form.values;
  return (
    <Stack gap="lg">
      <RequestFields
        enabled={draft.transformsRequest}
        examples={examples}
        draft={draft.request}
        onToggle={(transformsRequest) => form.change({ transformsRequest })}
        onChange={(request) => form.change({ request })}
      />
      <ResponseFields
        enabled={draft.transformsResponse}
        examples={examples}
        about="The log has the transformed body."
        withErrors={false}
        draft={draft.response}
        onToggle={(transformsResponse) => form.change({ transformsResponse })}
        onChange={(response) => form.change({ response })}
      />
      <FieldError error={form.errors.request} />
      <FieldError error={form.errors.response} />
      {info === undefined ? (
        <Text size="sm" c="dimmed">
          Choose a table to see the request for one of its rows.
        </Text>
      ) : (
        <TryOut form={form} info={info} />
      )}
    </Stack>
  );
}

function FieldError({ error }: { readonly error: ReactNode }) {
  if (error === undefined) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {error}
    </Text>
  );
}

interface TryOutProps extends TriggerFields {
  readonly info: NonNullable<TriggerFields['info']>;
}

function TryOut({ form, info }: TryOutProps) {
  const client = useClient();
  const draft = form.values;
  const sql = sampleSql(info);
  const rows = useQuery({
    queryKey: ['rows', 'sample', draft.source, sql],
    queryFn: ({ signal }) => readSampleRows(client, draft.source, sql, signal),
    // The sample must not change while it is read.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const operations = sampleOperations(draft);
  const [chosenRow, setChosenRow] = useState(0);
  const [chosenOperation, setChosenOperation] = useState<SampleOperation>();
  const [now] = useState(() => Date.now());
  const operation = operations.find((one) => one === chosenOperation) ?? operations[0] ?? 'manual';
  const row = rows.data?.[chosenRow] ?? '{}';
  const sample = useMemo(
    () => sampleBody(draft, operation, row, { prefix: client.headerPrefix, now }),
    [draft, operation, row, client.headerPrefix, now],
  );
  return (
    <Stack gap="sm">
      <div className={classes.pair}>
        <NativeSelect
          label="Row"
          description="The last rows by primary key."
          value={String(chosenRow)}
          data={(rows.data ?? []).map((one, index) => ({
            value: String(index),
            label: nameOfSample(one, info.primary_key),
          }))}
          onChange={(event) => setChosenRow(Number(event.currentTarget.value))}
        />
        <NativeSelect
          label="Operation"
          description="Of an update, both rows are the same: change one below."
          value={operation}
          data={[...operations]}
          onChange={(event) => setChosenOperation(event.currentTarget.value as SampleOperation)}
        />
      </div>
      {rows.error !== null && (
        <FailureNotice title="The rows could not be read" failure={toFailure(rows.error)} onRetry={rows.refetch} />
      )}
      {rows.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          The table has no row: write one in the sample.
        </Text>
      )}
      <TransformTester
        webhook={{ url: draft.webhook, fromEnvironment: draft.webhookFrom === 'environment', name: 'webhook' }}
        headers={draft.headers}
        request={draft.transformsRequest ? readRequest(draft.request) : undefined}
        response={draft.transformsResponse ? readResponse(draft.response) : undefined}
        sample={sample}
        ownHeaders={eventHeaders({ signing: draft.signing, variable: draft.signingVariable })}
        action="Show the request"
      />
    </Stack>
  );
}
