/** Sends hostile inputs over HTTP and TCP and reduces each response to its outcome. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type HttpInput, type RawInput, type Text, type TokenInput, textOf } from './corpus.ts';

/**
 * `<status> ok` for JSON without an error, `<status> <code>` of the first error, `<status>` for another body, or `closed`. Those of websockets
 * are described in websocket-frames.ts.
 */
export type Outcome = string;

export const adminSecret = 'open sesame';
export const jwtKey = 'a key that is long enough for a hash of 256 bits';
const admin = { 'x-service-admin-secret': adminSecret };
/** How long a response may take, in milliseconds. */
const RESPONSE_DEADLINE_MS = 30_000;

const paths = { graphql: '/v1/graphql', metadata: '/v1/metadata', rest: '/api/rest/', http: '' } as const;

export async function sendHttp(url: string, input: HttpInput): Promise<Outcome> {
  const body = bodyOf(input);
  const method = input.method ?? (input.to === 'graphql' || input.to === 'metadata' ? 'POST' : 'GET');
  const own = Object.entries(input.headers ?? {}).map(([name, value]) => [name, textOf(value)]);
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(input.to === 'metadata' && admin),
    ...Object.fromEntries(own),
  };
  const response = await fetch(url + paths[input.to] + textOf(input.path ?? ''), {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(RESPONSE_DEADLINE_MS),
    ...(body !== undefined && { body: input.bytes ? Buffer.from(body, 'latin1') : body }),
  });
  return outcomeOf(response.status, await response.text());
}

function bodyOf({ body, query, variables, command, args }: HttpInput): string | undefined {
  if (body !== undefined) return textOf(body);
  if (query !== undefined) {
    const given = variables === undefined ? '' : `,"variables":${textOf(variables)}`;
    return `{"query":${JSON.stringify(textOf(query))}${given}}`;
  }
  return command === undefined ? undefined : `{"type":${JSON.stringify(command)},"args":${textOf(args ?? '{}')}}`;
}

interface ErrorBody {
  readonly code?: unknown;
  readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } }[];
}

/** Reduces a response. The first response of a batch stands for all. */
function outcomeOf(status: number, body: string): Outcome {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return String(status);
  }
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const { code, errors } = (first ?? {}) as ErrorBody;
  const found = code ?? errors?.[0]?.extensions?.code;
  if (found === undefined) return status < 400 ? `${status} ok` : String(status);
  return `${status} ${typeof found === 'string' ? found : JSON.stringify(found)}`;
}

/** Sends bytes and reads until the first response is complete or the connection is closed. */
export async function sendTcp(url: string, input: RawInput): Promise<Outcome> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1');
  // The service may close the connection while bytes are sent.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const finished = new Promise<'complete' | 'closed' | 'late'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), RESPONSE_DEADLINE_MS);
    socket.on('data', (text) => {
      received += String(text);
      if (isComplete(received)) resolve('complete');
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve('closed');
    });
  });
  const bytes = Buffer.from(textOf(input.send), 'latin1');
  if (input.end) socket.end(bytes);
  else socket.write(bytes);
  const how = await finished;
  socket.destroy();
  const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1];
  if (status === undefined) return how;
  return outcomeOf(Number(status), received.slice(received.indexOf('\r\n\r\n') + 4));
}

/** Whether the text has a whole response with a content length, or a head without a body. */
function isComplete(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const head = received.slice(0, end);
  if (/^HTTP\/1\.1 (?:101|204|304)/.test(head)) return true;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return length !== undefined && received.length >= end + 4 + Number(length);
}

/** Sends a GraphQL request with a bearer token. */
export async function sendToken(url: string, input: TokenInput): Promise<Outcome> {
  const headers = { authorization: `Bearer ${tokenOf(input)}` };
  return sendHttp(url, { name: input.name, expect: '', to: 'graphql', headers, query: '{ note { id } }' });
}

function tokenOf({ token, header = { alg: 'HS256' }, claims, text, signature = 'valid' }: TokenInput): string {
  if (token !== undefined) return textOf(token);
  const part = (written: Text): string => Buffer.from(textOf(written)).toString('base64url');
  const signed = `${part(JSON.stringify(header))}.${part(text ?? JSON.stringify(claims))}`;
  const key = signature === 'valid' ? jwtKey : 'another key that is long enough for a hash of 256 bits';
  return `${signed}.${signature === 'none' ? '' : createHmac('sha256', key).update(signed).digest('base64url')}`;
}
