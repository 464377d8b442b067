/** `test_webhook_transform`: applies a transform to a synthetic request; sends nothing. */

import { type TestedTransform, TestWebhookTransform } from '@joinery/metadata/api/webhook-transform';
import { fillTemplates } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import {
  readRequestTransform,
  readResponseTransform,
  type SessionVariables,
  TemplateError,
} from '../../base/templates/transform.ts';
import { type PlainRequest, transformRequest } from '../../base/templates/transform-request.ts';
import { transformResponse } from '../../base/templates/transform-response.ts';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';
import { readCommand } from './command.ts';

/** Returns the request after its transform, and `response` after its transform if there is one. */
export const testWebhookTransform: ServiceCommand<CommandResult<'test_webhook_transform'>> = readCommand(
  TestWebhookTransform,
  (given) => {
    rejectLong('body', given.body);
    rejectLong('response.body', given.response?.body);
    const reading = given.response_transform ?? undefined;
    const response = reading && inTransform('response', () => readResponseTransform(reading));
    const request = plainRequest(given);
    const session = Object.fromEntries(
      Object.entries(given.session_variables ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const sent = inTransform('request', () =>
      transformRequest(readRequestTransform(given.request_transform), request, session),
    );
    const result: TestedTransform = {
      webhook_url: sent.url,
      method: sent.method,
      headers: sent.headers.map(([name, value]) => [name.toLowerCase(), value]),
      body: shownBody(sent.body),
    };
    if (response === undefined || given.response === undefined) return result;
    return { ...result, response: transformed(response, given.response, request, session) };
  },
);

/** Characters of a test body: templates run synchronously. */
const MAX_BODY_LENGTH = 1_000_000;

function rejectLong(member: string, body: unknown): void {
  const length = typeof body === 'string' ? body.length : printJson(body ?? null).length;
  if (length <= MAX_BODY_LENGTH) return;
  const message = `the body has ${length} characters; a transform is tried on at most ${MAX_BODY_LENGTH}`;
  throw new ServiceError('input-limit-exceeded', message, { path: `$.args.${member}` });
}

function transformed(
  transform: ReturnType<typeof readResponseTransform>,
  { status, body }: NonNullable<TestWebhookTransform['response']>,
  request: PlainRequest,
  session: SessionVariables,
): NonNullable<TestedTransform['response']> {
  const text = typeof body === 'string' ? body : printJson(body ?? null);
  const result = inTransform('response', () => transformResponse(transform, { status, body: text, request, session }));
  return { status, body: result === undefined ? shownBody(text) : result.value };
}

/** Returns JSON as a value, a form as text, and null for no body. */
function shownBody(body: string | undefined): unknown {
  if (body === undefined) return null;
  try {
    return parseJson(body);
  } catch {
    return body;
  }
}

function plainRequest({ webhook_url: given, body, env, request_headers: headers }: TestWebhookTransform): PlainRequest {
  const variables = env ?? {};
  const url = typeof given === 'string' ? filled(given, variables) : variableOf(given.from_env, variables);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const message = `"${url}" is not an http or https URL`;
    throw invalid('request', [{ error_code: 'Request Initialization Error', message }]);
  }
  return {
    method: 'GET',
    url,
    headers: (headers ?? []).map(([name, value]) => [name, filled(value, variables)]),
    body: body ?? null,
  };
}

type Variables = Readonly<Record<string, string>>;

function filled(text: string, variables: Variables): string {
  return fillTemplates(text, (name) => variableOf(name, variables));
}

function variableOf(name: string, variables: Variables): string {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value !== undefined) return value;
  const message = `Missing Env Var: ${name}; variables of the service cannot be seen here, give a value for it in "env"`;
  throw new ServiceError('not-found', message, { path: '$.args', status: 400 });
}

function inTransform<Result>(which: 'request' | 'response', act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const internal = error.issues.map(({ path, shown }) => ({ path: `$.args.${which}_transform${path}`, ...shown }));
    const malformed = error.issues.some(
      ({ shown }) => shown.error_code === 'Parse Error' || shown.error_code === 'Lex Error',
    );
    throw invalid(which, internal, malformed ? 'parse-failed' : 'validation-failed', error);
  }
}

function invalid(
  which: string,
  internal: readonly object[],
  code: 'parse-failed' | 'validation-failed' = 'validation-failed',
  cause?: unknown,
): ServiceError {
  return new ServiceError(code, `${which} transform validation failed`, { path: '$.args', internal, cause });
}
