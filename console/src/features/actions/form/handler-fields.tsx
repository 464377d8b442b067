/** The handler of an action: its URL, headers, limits and transforms, with a test. */
import { Stack } from '@mantine/core';
import { useClient } from '../../../api/context.ts';
import { printPretty } from '../../../api/exact-json.ts';
import { TransformTester } from '../../../shared/transforms/test-transform.tsx';
import { readRequest, readResponse } from '../../../shared/transforms/transform-draft.ts';
import { RequestFields, ResponseFields, type TemplateExamples } from '../../../shared/transforms/transform-fields.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Disclosure } from '../../../ui/page/disclosure.tsx';
import type { ActionDraft } from '../action-draft.ts';
import type { Action, CustomTypes } from '../actions-api.ts';
import { sampleCall } from '../sample.ts';
import { mergeTypes } from '../sdl/sdl.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import type { ActionForm } from './use-action-form.ts';

const examples: TemplateExamples = { id: '$body.input.id', header: ['X-Action', '{{$body.action.name}}'] };

export function HandlerField({ form }: Pick<ActionForm, 'form'>) {
  return (
    <TextField
      label="Handler"
      description="An http or https URL; may contain {{NAME}} for a variable of the service's environment."
      placeholder="{{HANDLERS_URL}}/place-order"
      required
      {...form.getInputProps('handler')}
    />
  );
}

interface HandlerFieldsProps {
  readonly action: ActionForm;
  /** The types of the metadata. */
  readonly customTypes: CustomTypes;
}

export function HandlerFields({ action, customTypes }: HandlerFieldsProps) {
  const { form, isQuery } = action;
  const { headerPrefix } = useClient();
  const draft = form.values;
  const isTransformed = draft.transformsRequest || draft.transformsResponse;
  return (
    <Stack gap="lg">
      <HandlerField form={form} />
      <AdvancedFields form={form} isQuery={isQuery} />
      <Disclosure title="Transforms" hint="changes the request and the response" initiallyOpened={isTransformed}>
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
            withErrors
            draft={draft.response}
            onToggle={(transformsResponse) => form.change({ transformsResponse })}
            onChange={(response) => form.change({ response })}
          />
          {isTransformed && (
            <TransformTester
              webhook={{ url: draft.handler, name: 'handler' }}
              headers={draft.headers}
              request={draft.transformsRequest ? readRequest(draft.request) : undefined}
              response={draft.transformsResponse ? readResponse(draft.response) : undefined}
              sample={sampleText(action, draft, customTypes, headerPrefix)}
            />
          )}
        </Stack>
      </Disclosure>
    </Stack>
  );
}

/** Returns a sample request of the draft, as far as it can be parsed. */
function sampleText({ signature, types }: ActionForm, draft: ActionDraft, custom: CustomTypes, prefix: string): string {
  if ('problem' in signature || 'problem' in types) return '{}';
  const { name, ...read } = signature;
  const action = { name, definition: { ...read, kind: draft.kind, handler: draft.handler } } as Action;
  return printPretty(sampleCall(action, mergeTypes(custom, types) as CustomTypes, prefix));
}
