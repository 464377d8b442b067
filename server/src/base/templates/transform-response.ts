/** Applies a response transform: the answer of a webhook as its templates shape it. */
import { parseJson } from '../json-value.ts';
import { evaluateTemplate } from './kriti/evaluate.ts';
import {
  type Body,
  formEncoded,
  IssueCollector,
  memberPath,
  type ResponseTransform,
  renderText,
  type SessionVariables,
  templateInput,
} from './transform.ts';
import { type PlainRequest, requestVariables } from './transform-request.ts';

export interface ResponseTransformInput {
  readonly status: number;
  /** As it came. */
  readonly body: string;
  /** As it was before its own transform. */
  readonly request: PlainRequest;
  readonly session: SessionVariables;
}

/**
 * What stands for the body of the answer: a JSON value, and whether it is what the client is told of an error. Undefined
 * where the transform has nothing to say about this answer. Throws a TemplateError.
 */
export function transformResponse(
  transform: ResponseTransform,
  answer: ResponseTransformInput,
): { readonly value: unknown; readonly refusal: boolean } | undefined {
  const input = templateInput(variablesOf(answer), answer.session);
  const success = answer.status >= 200 && answer.status < 300;
  if (transform.errors !== undefined && !success) {
    const at = transform.errors.findIndex(({ statuses }) => statuses.some((one) => covers(one, answer.status)));
    const template = transform.errors[at]?.template;
    if (template === undefined) return undefined;
    return { value: evaluated(`.errors[${at}].body.template`, () => evaluateTemplate(template, input)), refusal: true };
  }
  const { body } = transform;
  if (body === undefined) return undefined;
  return { value: evaluated('.body', () => bodyOf(body, input)), refusal: false };
}

function evaluated<Result>(path: string, act: () => Result): Result {
  const issues = new IssueCollector();
  const result = issues.collect(path, act);
  issues.check();
  return result as Result;
}

/** `status` is a number or as in `4xx`. */
function covers(status: string, found: number): boolean {
  return status.endsWith('xx') ? String(found).startsWith(status.charAt(0)) : Number(status) === found;
}

function bodyOf(body: Body, input: Parameters<typeof evaluateTemplate>[1]): unknown {
  switch (body.kind) {
    case 'remove':
      return null;
    case 'template':
      return evaluateTemplate(body.template, input);
    case 'form': {
      const issues = new IssueCollector();
      const fields = body.fields.map(([name, template]) => {
        const path = `.body.form_template${memberPath(name)}`;
        return [name, issues.collect(path, () => renderText(template, input)) ?? ''] as const;
      });
      issues.check();
      return formEncoded(fields);
    }
    default:
      return body satisfies never;
  }
}

/**
 * `$body` is null where the answer is no JSON; `$response.text` then has it as it came. `$request` shows the request once
 * for each of its parts, as existing templates expect, and the members of its body beside.
 */
function variablesOf({ status, body, request, session }: ResponseTransformInput): Readonly<Record<string, unknown>> {
  const { $body: sent, $base_url, $query_params } = requestVariables(request);
  const whole = { body: sent, base_url: $base_url, query_params: $query_params, session_variables: session };
  const members = typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? sent : {};
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
