/** The service as the console speaks to it: metadata commands and the open endpoints, over HTTP alone. */
import { connection } from './connection.ts';
import { parseExactly } from './exact-json.ts';
import { rejectionOf, unreachable, unreadable } from './failure.ts';
import { canChangeMetadata, createMetadataWatch, type MetadataWatch } from './metadata-watch.ts';

/** What the service tells every console, before anybody has signed in. */
export interface ServiceSettings {
  /** Lower case, such as `x-service-`. */
  readonly headerPrefix: string;
  readonly version: string;
  readonly secretRequired: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  readonly waiting_for: readonly string[];
}

/** What an endpoint answered: an HTTP status and the JSON of the body. */
export interface ResponseBody {
  readonly status: number;
  readonly body: unknown;
}

export interface Client {
  /**
   * A metadata command. `args` is an object, or its JSON text where digits must be kept. Throws Failure; the answer is
   * trusted to have the shape that the API documents. With `basedOn`, the version of the metadata that a change was made
   * from, it is refused as `conflict` where somebody has changed them since.
   */
  command<Told>(type: string, args: object | string, signal?: AbortSignal, basedOn?: number): Promise<Told>;
  /**
   * A request to an endpoint as somebody else than the admin: `headers`, with names in lower case, stand in place of the
   * admin's and beside the secret. `body` is JSON text. Refusals are handed on; throws Failure where nothing was answered.
   */
  post(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<ResponseBody>;
  /** What `post` sends as headers: the admin's, the secret, and `own` in their place. For what is not sent by HTTP. */
  headersOf(own: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  version(signal?: AbortSignal): Promise<{ readonly server_type: string; readonly version: string }>;
  readiness(signal?: AbortSignal): Promise<Readiness>;
  /** For examples to copy: the headers that make a caller admin, the secret left out. */
  readonly headerPrefix: string;
  readonly secretRequired: boolean;
  /** Hears of every command that may change the metadata. */
  readonly watch: MetadataWatch;
}

interface ClientParts {
  readonly settings: ServiceSettings;
  readonly secret: string | undefined;
  /** Called when the service does not take the secret, or wants one. */
  readonly onDenied: () => void;
}

export function createClient({ settings, secret, onDenied }: ClientParts): Client {
  const { headerPrefix } = settings;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    [`${headerPrefix}role`]: 'admin',
    ...(secret === undefined ? {} : { [`${headerPrefix}admin-secret`]: secret }),
  };
  const watch = createMetadataWatch();
  return {
    watch,
    headerPrefix,
    secretRequired: settings.secretRequired,
    async command<Told>(type: string, args: object | string, signal?: AbortSignal, basedOn?: number) {
      const written = typeof args === 'string' ? args : JSON.stringify(args);
      const expected = basedOn === undefined ? '' : `"resource_version":${basedOn},`;
      const body = `{"type":${JSON.stringify(type)},${expected}"args":${written}}`;
      const answer = await call('/v1/metadata', { method: 'POST', headers, body, signal: signal ?? null });
      if (answer.status === 401) onDenied();
      if (answer.status !== 200) throw rejectionOf(answer.status, answer.body);
      if (canChangeMetadata(type, written)) watch.changedHere();
      return answer.body as Told;
    },
    async post(path, body, own, signal) {
      const answer = await call(path, {
        method: 'POST',
        headers: { ...headers, ...own },
        body,
        signal: signal ?? null,
      });
      if (answer.status === 401) onDenied();
      const [, type] = /^\/v\d\/(?:metadata|query)$/.test(path) ? (/"type":\s*"(\w+)"/.exec(body) ?? []) : [];
      if (answer.status === 200 && type !== undefined && canChangeMetadata(type)) watch.changedHere();
      return answer;
    },
    headersOf: (own) => ({ ...headers, ...own }),
    async version(signal) {
      const answer = await call('/v1/version', { signal: signal ?? null });
      if (answer.status !== 200) throw rejectionOf(answer.status, answer.body);
      return answer.body as { server_type: string; version: string };
    },
    async readiness(signal) {
      const answer = await call('/readyz', { signal: signal ?? null });
      const body = answer.body as Partial<Readiness> | undefined;
      if (typeof body?.ready !== 'boolean') throw unreadable(answer.status);
      return { ready: body.ready, waiting_for: body.waiting_for ?? [] };
    },
  };
}

/** Throws Failure. */
export async function readSettings(signal: AbortSignal): Promise<ServiceSettings> {
  const answer = await call('/console/config.json', { signal });
  if (answer.status !== 200) throw unreadable(answer.status);
  return answer.body as ServiceSettings;
}

async function call(path: string, request: RequestInit): Promise<ResponseBody> {
  const { response, text } = await fetchText(path, request);
  try {
    return { status: response.status, body: parseExactly(text) };
  } catch {
    throw unreadable(response.status);
  }
}

async function fetchText(path: string, request: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(path, { ...request, credentials: 'omit', cache: 'no-store' });
    const text = await response.text();
    connection.answered();
    return { response, text };
  } catch (error) {
    // A request that the console itself gave up is not a failure of the service.
    if (request.signal?.aborted === true) throw error;
    connection.unanswered(Date.now());
    throw unreachable(error);
  }
}
