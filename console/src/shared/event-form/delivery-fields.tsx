/** Inputs for the body, signature and transform of the request. */
import { Button, Input, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { printPretty } from '../../api/exact-json.ts';
import { emptyRequest, readRequest, requestFromText } from '../transforms/transform-draft.ts';
import { RequestFields, type TemplateExamples } from '../transforms/transform-fields.tsx';
import { type DeliveryDraft, exampleTransform } from './delivery-draft.ts';
import type { Draft, FieldName } from './event-draft.ts';
import classes from './event-form.module.css';
import { TransformTest } from './transform-test.tsx';

interface DeliveryFieldsProps {
  readonly draft: Draft;
  readonly onChange: (delivery: DeliveryDraft, field: FieldName) => void;
  readonly errorOf: (field: FieldName) => ReactNode;
}

const order = ['label', 'input', 'description', 'error'] as const;

const examples: TemplateExamples = { id: '$body.payload.id', header: ['X-Event', '{{$body.id}}'] };
const emptyTransform = printPretty(readRequest(emptyRequest));

export function DeliveryFields({ draft, onChange, errorOf }: DeliveryFieldsProps) {
  const { delivery } = draft;
  const { body, signing, variable, transform } = delivery;
  const changeTransform = (text: string): void => onChange({ ...delivery, transform: text }, 'request_transform');
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>Request</legend>
      <Stack gap="md">
        <div className={classes.retries}>
          <NativeSelect
            label="Body"
            description={
              body === 'envelope'
                ? 'The payload with the id and the times of the event.'
                : 'The JSON only, without an envelope.'
            }
            inputWrapperOrder={[...order]}
            value={body}
            data={[
              { value: 'envelope', label: 'Envelope' },
              { value: 'payload', label: 'Payload alone' },
            ]}
            onChange={(event) =>
              onChange({ ...delivery, body: event.currentTarget.value as DeliveryDraft['body'] }, 'body')
            }
            error={errorOf('body')}
          />
          <NativeSelect
            label="Signature"
            description="As in Standard Webhooks, so that receivers can authenticate requests."
            inputWrapperOrder={[...order]}
            value={signing}
            data={[
              { value: 'settings', label: 'Keys of the service' },
              { value: 'own', label: 'Keys in a variable' },
              { value: 'none', label: 'Not signed' },
            ]}
            onChange={(event) =>
              onChange({ ...delivery, signing: event.currentTarget.value as DeliveryDraft['signing'] }, 'signing')
            }
            error={signing === 'own' ? undefined : errorOf('signing')}
          />
          {signing === 'own' && (
            <TextInput
              label="Variable with the keys"
              description="Of the service's environment; whsec_ or whsk_."
              inputWrapperOrder={[...order]}
              placeholder="SHOP_HOOK_KEY"
              autoComplete="off"
              spellCheck={false}
              value={variable}
              onChange={(event) => onChange({ ...delivery, variable: event.currentTarget.value }, 'signing')}
              error={errorOf('signing')}
            />
          )}
        </div>
        <div>
          <RequestFields
            enabled={transform.trim() !== ''}
            examples={examples}
            draft={requestFromText(emptyRequest, transform)}
            onToggle={(isOn) => changeTransform(isOn ? emptyTransform : '')}
            onChange={(request) => changeTransform(request.unread?.text ?? printPretty(readRequest(request)))}
          />
          <Input.Error mt={4}>{errorOf('request_transform')}</Input.Error>
          {transform.trim() === '' ? (
            <Button
              size="compact-sm"
              variant="default"
              fw={400}
              mt={8}
              onClick={() => changeTransform(exampleTransform)}
            >
              Start from an example
            </Button>
          ) : (
            <TransformTest draft={draft} />
          )}
        </div>
      </Stack>
    </fieldset>
  );
}
