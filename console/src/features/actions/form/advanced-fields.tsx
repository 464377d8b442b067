/** Optional settings of an action: headers, timeout, retries, limits, cache. */
import { Checkbox, NativeSelect, Stack } from '@mantine/core';
import { HeaderFields } from '../../../shared/headers/header-fields.tsx';
import formClasses from '../../../ui/form/form.module.css';
import { TextField } from '../../../ui/form/text-field.tsx';
import type { DraftForm } from '../../../ui/form/use-draft-form.ts';
import type { ActionDraft } from '../action-draft.ts';

interface AdvancedFieldsProps {
  readonly form: DraftForm<ActionDraft>;
  readonly isQuery: boolean;
}

export function AdvancedFields({ form, isQuery }: AdvancedFieldsProps) {
  const draft = form.values;
  const input = (field: TypedField, label: string, description: string, placeholder = '') => (
    <TextField
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={placeholder}
      {...form.getInputProps(field)}
    />
  );
  return (
    <Stack gap="lg">
      <HeaderFields
        headers={draft.headers}
        onChange={(headers) => form.change({ headers })}
        errorOf={() => undefined}
        none="Only Content-Type and User-Agent, which the service sets."
      />
      <Stack gap="sm">
        <Checkbox
          label="Forward the headers of the client to the handler"
          {...form.getInputProps('forwards', { type: 'checkbox' })}
        />
        {(draft.forwards || draft.ignores === 'these') && (
          <NativeSelect
            label="Headers that are not forwarded"
            value={draft.ignores}
            data={[
              { value: 'usual', label: 'The default list: headers of the connection and of the browser' },
              { value: 'these', label: 'These instead' },
            ]}
            onChange={(event) => form.change({ ignores: event.currentTarget.value as ActionDraft['ignores'] })}
          />
        )}
        {draft.ignores === 'these' &&
          input('ignored', 'Ignored headers', 'Names separated by commas. Empty: all are forwarded.', 'Cookie, Origin')}
      </Stack>
      <div className={formClasses.pair}>
        {input('timeout', 'Timeout in seconds', 'How long the handler may take.')}
        {input('maxCalls', 'Calls at once', 'From one node; others wait. Empty: no limit.')}
      </div>
      {!isQuery && draft.kind === 'asynchronous' && (
        <div className={formClasses.pair}>
          {input('retries', 'Retries', 'Calls after the first one fails.')}
          {input('retryInterval', 'Seconds between calls', 'From the end of one to the next.')}
        </div>
      )}
      {(isQuery || draft.cacheSeconds !== '') && (
        <div className={formClasses.pair}>
          {input(
            'cacheSeconds',
            'Cache responses for seconds',
            'Applies to equal requests. Empty: responses are not cached.',
          )}
          <NativeSelect
            label="Requests are equal when"
            value={draft.cacheBy}
            data={[
              { value: 'all', label: 'All session variables are the same' },
              { value: 'these', label: 'These session variables are the same' },
            ]}
            onChange={(event) => form.change({ cacheBy: event.currentTarget.value as ActionDraft['cacheBy'] })}
          />
          {draft.cacheBy === 'these' &&
            input(
              'cacheVariables',
              'Session variables that are compared',
              'Names separated by commas. Empty: none is compared.',
              'x-service-user-id',
            )}
        </div>
      )}
      {input(
        'responseHeaders',
        'Response headers for the client',
        'Names of headers that are forwarded to the client, separated by commas.',
        'X-Total',
      )}
    </Stack>
  );
}

type TypedField = {
  [Field in keyof ActionDraft]: ActionDraft[Field] extends string
    ? string extends ActionDraft[Field]
      ? Field
      : never
    : never;
}[keyof ActionDraft];
