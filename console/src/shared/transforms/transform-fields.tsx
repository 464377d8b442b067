/** Inputs of the request and response transforms. */
import { ActionIcon, Button, Checkbox, NativeSelect, Stack, Text } from '@mantine/core';
import { Editor } from '../../ui/editor/editor.tsx';
import form from '../../ui/form/form.module.css';
import { PairFields } from '../../ui/form/pair-fields.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import { TransformBesideJson } from './transform-beside-json.tsx';
import {
  type BodyDraft,
  type ErrorDraft,
  type RequestDraft,
  type ResponseDraft,
  readRequest,
  readResponse,
  requestFromText,
  responseFromText,
} from './transform-draft.ts';

/** What a change of an input removes from a draft. */
const asInputs = { written: undefined, unread: undefined };

/** Templates for the placeholders of inputs. */
export interface TemplateExamples {
  /** An expression for the value of an id, such as `$body.input.id`. */
  readonly id: string;
  readonly header: readonly [name: string, template: string];
}

interface RequestFieldsProps {
  readonly enabled: boolean;
  readonly examples: TemplateExamples;
  readonly draft: RequestDraft;
  readonly onToggle: (enabled: boolean) => void;
  readonly onChange: (draft: RequestDraft) => void;
}

export function RequestFields({ enabled, examples, draft, onToggle, onChange }: RequestFieldsProps) {
  const change = (part: Partial<RequestDraft>): void => onChange({ ...draft, ...asInputs, ...part });
  const id = `{{${examples.id}}}`;
  return (
    <Stack gap="md">
      <Checkbox
        label="Transform the request"
        description="Templates see $body, $base_url, $query_params and $session_variables."
        checked={enabled}
        onChange={(event) => onToggle(event.currentTarget.checked)}
      />
      {enabled && (
        <TransformBesideJson
          label="Request transform"
          saved={readRequest(draft)}
          unread={draft.unread}
          onText={(text) => onChange(requestFromText(draft, text))}
        >
          <div className={form.pair}>
            <NativeSelect
              label="Method"
              value={draft.method}
              data={[{ value: '', label: 'POST, as usual' }, 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
              onChange={(event) => change({ method: event.currentTarget.value })}
            />
            <TextField
              label="URL template"
              placeholder={`{{$base_url}}/orders/${id}`}
              value={draft.url}
              onChange={(url) => change({ url })}
            />
          </div>
          <NativeSelect
            label="Query parameters"
            value={draft.query}
            data={[
              { value: 'keep', label: 'Those of the URL' },
              { value: 'pairs', label: 'These instead' },
              { value: 'whole', label: 'One template for all of them' },
            ]}
            onChange={(event) => change({ query: event.currentTarget.value as RequestDraft['query'] })}
          />
          {draft.query === 'pairs' && (
            <PairFields
              legend="Parameters"
              noun="query parameter"
              placeholders={['id', id]}
              pairs={draft.queryPairs}
              onChange={(queryPairs) => change({ queryPairs })}
            />
          )}
          {draft.query === 'whole' && (
            <TextField
              label="Template of the query"
              placeholder={`id=${id}`}
              value={draft.queryText}
              onChange={(queryText) => change({ queryText })}
            />
          )}
          <PairFields
            legend="Headers that are added"
            noun="request header"
            placeholders={examples.header}
            pairs={draft.addHeaders}
            onChange={(addHeaders) => change({ addHeaders })}
          />
          <div className={form.pair}>
            <NativeSelect
              label="Content type"
              value={draft.contentType}
              data={[{ value: '', label: 'As usual' }, 'application/json', 'application/x-www-form-urlencoded']}
              onChange={(event) => change({ contentType: event.currentTarget.value as RequestDraft['contentType'] })}
            />
            <TextField
              label="Headers that are removed"
              placeholder="User-Agent, X-Request-Id"
              value={draft.removeHeaders}
              onChange={(removeHeaders) => change({ removeHeaders })}
            />
          </div>
          <BodyFields
            label="Body of the request"
            what="request body"
            withForm
            id={id}
            body={draft.body}
            onChange={(body) => change({ body })}
          />
        </TransformBesideJson>
      )}
    </Stack>
  );
}

interface ResponseFieldsProps {
  readonly enabled: boolean;
  readonly examples: TemplateExamples;
  /** What the transformed body is, such as `The log has the transformed body.` */
  readonly about?: string;
  /** Whether error responses have templates of their own. */
  readonly withErrors: boolean;
  readonly draft: ResponseDraft;
  readonly onToggle: (enabled: boolean) => void;
  readonly onChange: (draft: ResponseDraft) => void;
}

export function ResponseFields(props: ResponseFieldsProps) {
  const { enabled, examples, about, withErrors, draft, onToggle, onChange } = props;
  const change = (part: Partial<ResponseDraft>): void => onChange({ ...draft, ...asInputs, ...part });
  const changeError = (error: ErrorDraft): void =>
    change({ errors: draft.errors.map((one) => (one.key === error.key ? error : one)) });
  return (
    <Stack gap="md">
      <Checkbox
        label="Transform the response"
        description={`${about === undefined ? '' : `${about} `}Templates see $body, $response.status, $response.text, $request and $session_variables.`}
        checked={enabled}
        onChange={(event) => onToggle(event.currentTarget.checked)}
      />
      {enabled && (
        <TransformBesideJson
          label="Response transform"
          saved={readResponse(draft)}
          unread={draft.unread}
          onText={(text) => onChange(responseFromText(draft, text))}
        >
          <BodyFields
            label="Body of the response"
            what="response"
            withForm={draft.body.kind === 'form'}
            id={`{{${examples.id}}}`}
            body={draft.body}
            onChange={(body) => change({ body })}
          />
          {withErrors && (
            <fieldset className={form.fieldset}>
              <legend className={form.legend}>Errors, by the status of the response</legend>
              <Stack gap="sm">
                {draft.errors.length === 0 && (
                  <Text size="sm" c="dimmed">
                    None: the body above applies to all responses.
                  </Text>
                )}
                {draft.errors.map((error, index) => (
                  <div key={error.key}>
                    <div className={form.row}>
                      <TextField
                        label={`Statuses of error ${index + 1}`}
                        placeholder="404, 5xx"
                        value={error.status}
                        onChange={(status) => changeError({ ...error, status })}
                      />
                      <span />
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        size={36}
                        aria-label={`Remove error ${index + 1}`}
                        onClick={() => change({ errors: draft.errors.filter((one) => one !== error) })}
                      >
                        <CrossIcon size={16} />
                      </ActionIcon>
                    </div>
                    <Editor
                      label={`Template of error ${index + 1}`}
                      height="5rem"
                      language="json"
                      text={error.template}
                      onChange={(template) => changeError({ ...error, template })}
                    />
                  </div>
                ))}
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<PlusIcon size={14} />}
                  style={{ alignSelf: 'flex-start' }}
                  onClick={() => change({ errors: [...draft.errors, newError(draft.errors)] })}
                >
                  Add an error
                </Button>
              </Stack>
            </fieldset>
          )}
        </TransformBesideJson>
      )}
    </Stack>
  );
}

function newError(errors: readonly ErrorDraft[]): ErrorDraft {
  const key = Math.max(0, ...errors.map((one) => one.key)) + 1;
  return { key, status: '4xx', template: '{ "message": {{$body.message}} }' };
}

interface BodyFieldsProps {
  readonly label: string;
  /** Prefix of labels, such as `Request body`. */
  readonly what: string;
  readonly withForm: boolean;
  /** A template with the value of an id. */
  readonly id: string;
  readonly body: BodyDraft;
  readonly onChange: (body: BodyDraft) => void;
}

function BodyFields({ label, what, withForm, id, body, onChange }: BodyFieldsProps) {
  return (
    <Stack gap="sm">
      <NativeSelect
        label={label}
        value={body.kind}
        data={[
          { value: 'keep', label: 'As it is' },
          { value: 'template', label: 'By a template' },
          ...(withForm ? [{ value: 'form', label: 'A form (x-www-form-urlencoded)' }] : []),
          { value: 'remove', label: 'None' },
        ]}
        onChange={(event) => onChange({ ...body, kind: event.currentTarget.value as BodyDraft['kind'] })}
      />
      {body.kind === 'template' && (
        <Editor
          label={`Template of the ${what}`}
          height="9rem"
          language="json"
          text={body.template}
          onChange={(template) => onChange({ ...body, template })}
        />
      )}
      {body.kind === 'form' && (
        <PairFields
          legend={`Fields of the ${what}`}
          noun="form field"
          placeholders={['id', id]}
          pairs={body.form}
          onChange={(form) => onChange({ ...body, form })}
        />
      )}
    </Stack>
  );
}
