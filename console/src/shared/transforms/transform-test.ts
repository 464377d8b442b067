/** The arguments of `test_webhook_transform` for a sample request. Pure. */
import { type HeaderDraft, sentHeaders } from '../headers/header-draft.ts';
import { headersBeforeTransform } from '../request-preview/request-head.ts';
import type { SavedRequest } from './transform-draft.ts';
import { variablesIn } from './transform-result.ts';

/** A request as a form describes it. */
export interface TestedRequest {
  readonly webhook: { readonly url: string; readonly fromEnvironment?: boolean };
  readonly headers: readonly HeaderDraft[];
  /** Undefined without a transform. */
  readonly request: SavedRequest | undefined;
  /** The body as JSON text. */
  readonly call: string;
}

interface SentHeader {
  readonly name: string;
  readonly value?: string;
  readonly value_from_env?: string;
}

/** Returns the values of the variables in the URL and the headers: the typed ones, or examples. */
export function testVariables(
  { webhook, headers }: TestedRequest,
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const url = webhook.url.trim();
  const ofUrl = webhook.fromEnvironment === true ? [url] : variablesIn(url);
  const ofHeaders = headersIn(headers).flatMap(({ value = '', value_from_env: variable }) =>
    variable === undefined ? variablesIn(value) : [variable],
  );
  const exampleOf = (name: string): string =>
    ofUrl.includes(name) ? `https://${name.toLowerCase().replaceAll('_', '-')}.example` : `value of ${name}`;
  const names = [...new Set([...ofUrl, ...ofHeaders])].filter((name) => name !== '');
  return Object.fromEntries(names.map((name) => [name, typed[name] ?? exampleOf(name)]));
}

/** Returns the arguments without the body. Session variables are those of the sample. */
export function testArguments({ webhook, headers, request, call }: TestedRequest, env: object): object {
  const url = webhook.url.trim();
  const session = sessionOf(JSON.parse(call) as unknown);
  return {
    webhook_url: webhook.fromEnvironment === true ? { from_env: url } : url,
    env,
    request_headers: [
      ...headersBeforeTransform(
        headersIn(headers).map(({ name, value, value_from_env: variable }) => [name, value ?? `{{${variable}}}`]),
      ),
    ],
    ...(session !== undefined && { session_variables: session }),
    // Without a method, the service tests a GET request.
    request_transform: { ...(request ?? { version: 2 }), method: request?.method ?? 'POST' },
  };
}

function headersIn(headers: readonly HeaderDraft[]): readonly SentHeader[] {
  return (sentHeaders(headers) as readonly SentHeader[]).filter(({ name }) => name !== '');
}

/** Returns the session variables of a call of an action, of an event of a trigger, or of the first one of a list. */
function sessionOf(call: unknown): unknown {
  const [first] = [call].flat();
  if (typeof first !== 'object' || first === null) return undefined;
  const { session_variables: own, event } = first as {
    readonly session_variables?: unknown;
    readonly event?: { readonly session_variables?: unknown } | null;
  };
  return own ?? event?.session_variables ?? undefined;
}
