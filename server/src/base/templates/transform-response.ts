/** Applies a response transform to the response of a webhook. */
import { isJsonObject, parseJson } from '../json-value.ts';
import { evaluateTemplate } from './kriti/evaluate.ts';
import {
  type Body,
  IssueCollector,
  type ResponseTransform,
  renderForm,
  type SessionVariables,
  templateInput,
} from './transform.ts';
import { type PlainRequest, requestVariables } from './transform-request.ts';

export interface ResponseTransformInput {
  readonly status: number;
  /** The text of the body. */
  readonly body: string;
  /** The request before its transform. */
  readonly request: PlainRequest;
  readonly session: SessionVariables;
}

/**
 * Returns the value that replaces the body of the response, and whether it is an error for the client. Undefined if the
 * transform does not apply to the response. Throws a TemplateError.
 */
export function transformResponse(
  transform: ResponseTransform,
  response: ResponseTransformInput,
): { readonly value: unknown; readonly isError: boolean } | undefined {
  const input = templateInput(variablesOf(response), response.session);
  const success = response.status >= 200 && response.status < 300;
  if (transform.errors !== undefined && !success) {
    const at = transform.errors.findIndex(({ statuses }) => statuses.some((one) => covers(one, response.status)));
    const template = transform.errors[at]?.template;
    if (template === undefined) return undefined;
    return { value: evaluated(`.errors[${at}].body.template`, () => evaluateTemplate(template, input)), isError: true };
  }
  const { body } = transform;
  if (body === undefined) return undefined;
  return { value: evaluated('.body', () => bodyOf(body, input)), isError: false };
}

function evaluated<Result>(path: string, act: () => Result): Result {
  const issues = new IssueCollector();
  const result = issues.collect(path, act);
  issues.check();
  return result as Result;
}

/** Whether the pattern, a number or `4xx`, contains the status. */
function covers(status: string, found: number): boolean {
  return status.endsWith('xx') ? String(found).startsWith(status.charAt(0)) : Number(status) === found;
}

function bodyOf(body: Body, input: Parameters<typeof evaluateTemplate>[1]): unknown {
  switch (body.kind) {
    case 'remove':
      return null;
    case 'template':
      return evaluateTemplate(body.template, input);
    case 'form':
      return renderForm(body.fields, input);
    default:
      return body satisfies never;
  }
}

/**
 * Returns the variables of response templates. `$body` is null if the response is not JSON; `$response.text` has its text.
 * `$request` has the request and, as existing templates expect, the members of its body.
 */
function variablesOf({ status, body, request, session }: ResponseTransformInput): Readonly<Record<string, unknown>> {
  const { $body: sent, $base_url, $query_params } = requestVariables(request);
  const whole = { body: sent, base_url: $base_url, query_params: $query_params, session_variables: session };
  const members = isJsonObject(sent) ? sent : {};
  return {
    $body: jsonOf(body),
    $request: {
      ...whole,
      method: whole,
      url: whole,
      body: { ...members, ...whole },
      query_params: whole,
      request_headers: whole,
    },
    $response: { status, text: body },
  };
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
