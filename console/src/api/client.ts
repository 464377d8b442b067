/** HTTP client of the service: metadata commands and other endpoints. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import type { MigrationRequest } from '@joinery/metadata/api/project';
import type { CommandName, CommandResponse } from '@joinery/metadata/api/responses';
import { connection } from './connection.ts';
import { sessionHeader } from './credentials/console-session-header.ts';
import { parseExactly } from './exact-json.ts';
import { rejectionOf, unreachable, unreadable } from './failure.ts';
import { canChangeMetadata, createMetadataWatch, type MetadataWatch } from './metadata-watch.ts';
import type { ReviewDesk } from './project-review.ts';

/** Settings that the service publishes without authentication. */
export interface ServiceSettings {
  /** In lower case, such as `x-service-`. */
  readonly headerPrefix: string;
  readonly version: string;
  readonly secretRequired: boolean;
  /** The OpenID Connect provider that users may sign in with. */
  readonly oidc?: { readonly name: string };
  /** The project that the changes are written to, where `joinery console` or `joinery dev` serves the page. */
  readonly project?: { readonly name: string; readonly folder: string };
}

export interface Readiness {
  readonly ready: boolean;
  readonly waiting_for: readonly string[];
}

/** The HTTP status and the parsed JSON body of a response. */
export interface ResponseBody {
  readonly status: number;
  readonly body: unknown;
}

/** A response with what is known of its transfer. */
export interface SentResponse extends ResponseBody {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Size of the body, decompressed. */
  readonly bytes: number;
  readonly durationMs: number;
}

export interface CommandOptions<Version extends number = number> {
  readonly signal?: AbortSignal | undefined;
  /**
   * The resource version that a change was made from. The service rejects the command with `conflict` when the metadata
   * changed since.
   */
  readonly basedOn?: number | undefined;
  /** Version of the command's format. Default 1. */
  readonly version?: Version;
  /** `/v2/query` also runs SQL. Default: the metadata API. */
  readonly api?: '/v1/metadata' | '/v2/query';
  /** In a project: the name of the migration and the SQL that undoes it, which the review suggests. */
  readonly migration?: MigrationRequest | undefined;
}

/** The arguments of the command `Type`, as a value or as JSON text. */
export type WrittenArguments<Type extends CommandName> = NonNullable<CommandArguments[Type]> | string;

export interface Client {
  /**
   * Runs a metadata command. `args` is JSON text where numbers must keep all digits, or where the service validates what the user wrote. The response is trusted to
   * have the documented shape. Throws Failure.
   */
  command<Type extends CommandName, Version extends number = 1>(
    type: Type,
    args: WrittenArguments<Type>,
    options?: CommandOptions<Version>,
  ): Promise<CommandResponse<Type, Version>>;
  /**
   * Sends a POST request. `headers`, with names in lower case, replace the admin headers; the secret is always sent.
   * `body` is JSON text. Returns error responses. Throws Failure when there is no response.
   */
  post(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<ResponseBody>;
  /**
   * Sends a POST request with the given headers only, and no secret of its own. `body` is JSON text. Returns error
   * responses. Throws Failure when there is no response.
   */
  send(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<SentResponse>;
  /**
   * Sends a POST request with a body of any size, and returns the response before its body is read, also error responses.
   * `headers` are as in `post`. Throws Failure when there is no response.
   */
  open(path: string, body: Blob, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
  /** The headers that `post` sends, for transports other than HTTP. `own` replaces the admin headers. */
  headersOf(own: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  version(signal?: AbortSignal): Promise<{ readonly server_type: string; readonly version: string }>;
  readiness(signal?: AbortSignal): Promise<Readiness>;
  /** The headers that make a caller admin, without the secret. For examples to copy. */
  readonly headerPrefix: string;
  readonly secretRequired: boolean;
  /** The user who signed in with the provider. Undefined where a secret or nothing authenticates. */
  readonly user: string | undefined;
  /** Receives every command that can change the metadata. */
  readonly watch: MetadataWatch;
  /** Undefined outside of a project. */
  readonly reviewDesk: ReviewDesk | undefined;
}

interface ClientParts {
  readonly settings: ServiceSettings;
  readonly secret: string | undefined;
  /** The user of the session of the console, which authenticates in place of a secret. */
  readonly user?: string | undefined;
  /** Called when the service rejects the secret or the session, or requires one. */
  readonly onDenied: () => void;
  /** Shows the files that a change would write. Undefined outside of a project. */
  readonly reviewDesk?: ReviewDesk | undefined;
}

export function createClient({ settings, secret, user, onDenied, reviewDesk }: ClientParts): Client {
  const { headerPrefix } = settings;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    [`${headerPrefix}role`]: 'admin',
    ...(secret === undefined ? {} : { [`${headerPrefix}admin-secret`]: secret }),
    ...(user === undefined ? {} : { [sessionHeader.name]: sessionHeader.value }),
  };
  const watch = createMetadataWatch();
  // Cookies of other pages of this host must not sign in.
  const usesCookie = settings.project !== undefined || user !== undefined;
  const credentials: RequestCredentials = usesCookie ? 'same-origin' : 'omit';
  const call = (path: string, request: RequestInit): Promise<ResponseBody> =>
    receive(path, { credentials, ...request });
  return {
    watch,
    reviewDesk,
    headerPrefix,
    secretRequired: settings.secretRequired,
    user,
    async command<Type extends CommandName, Version extends number>(
      type: Type,
      args: WrittenArguments<Type>,
      { signal, basedOn, version, api = '/v1/metadata', migration: suggested }: CommandOptions<Version> = {},
    ) {
      const written = typeof args === 'string' ? args : JSON.stringify(args);
      const migration = await reviewDesk?.review(type, written, suggested);
      const members = JSON.stringify({ type, version, resource_version: basedOn, migration });
      const body = `${members.slice(0, -1)},"args":${written}}`;
      const response = await call(api, { method: 'POST', headers, body, signal: signal ?? null });
      if (response.status === 401) onDenied();
      if (response.status !== 200) throw rejectionOf(response.status, response.body);
      if (canChangeMetadata(type, written)) watch.changedHere();
      return response.body as CommandResponse<Type, Version>;
    },
    async post(path, body, own, signal) {
      const response = await call(path, {
        method: 'POST',
        headers: { ...headers, ...own },
        body,
        signal: signal ?? null,
      });
      if (response.status === 401) onDenied();
      const [, type] = /^\/v\d\/(?:metadata|query)$/.test(path) ? (/"type":\s*"(\w+)"/.exec(body) ?? []) : [];
      if (response.status === 200 && type !== undefined && canChangeMetadata(type)) watch.changedHere();
      return response;
    },
    async send(path, body, sent, signal) {
      const started = performance.now();
      const bySession = user !== undefined && sent[sessionHeader.name] !== undefined;
      const { response, text } = await fetchText(path, {
        ...{ method: 'POST', headers: sent, body, signal: signal ?? null },
        ...(bySession && { credentials: 'same-origin' }),
      });
      const durationMs = performance.now() - started;
      // Credentials that the user wrote are not those of the sign-in.
      const bySecret = secret !== undefined && sent[`${headerPrefix}admin-secret`] === secret;
      if (response.status === 401 && (bySecret || bySession)) onDenied();
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        bytes: new TextEncoder().encode(text).length,
        durationMs,
        body: parsedBody(response, text),
      };
    },
    async open(path, body, own, signal) {
      const request = { method: 'POST', headers: { ...headers, ...own }, body, signal, credentials };
      const response = await respond(path, request);
      if (response.status === 401) onDenied();
      return response;
    },
    headersOf: (own) => ({ ...headers, ...own }),
    async version(signal) {
      const response = await call('/v1/version', { signal: signal ?? null });
      if (response.status !== 200) throw rejectionOf(response.status, response.body);
      return response.body as { server_type: string; version: string };
    },
    async readiness(signal) {
      const response = await call('/readyz', { signal: signal ?? null });
      const body = response.body as Partial<Readiness> | undefined;
      if (typeof body?.ready !== 'boolean') throw unreadable(response.status);
      return { ready: body.ready, waiting_for: body.waiting_for ?? [] };
    },
  };
}

/** Throws Failure. */
export async function readSettings(signal: AbortSignal): Promise<ServiceSettings> {
  const response = await receive('/console/config.json', { signal, credentials: 'same-origin' });
  if (response.status !== 200) throw unreadable(response.status);
  return response.body as ServiceSettings;
}

/** Sends a request and parses the response as JSON. Throws Failure. */
export async function receive(path: string, request: RequestInit): Promise<ResponseBody> {
  const { response, text } = await fetchText(path, request);
  return { status: response.status, body: parsedBody(response, text) };
}

/** Throws Failure for text that is not JSON. */
function parsedBody(response: Response, text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw unreadable(response.status);
  }
}

async function fetchText(path: string, request: RequestInit): Promise<{ response: Response; text: string }> {
  let text = '';
  const response = await respond(path, request, async (opened) => {
    text = await opened.text();
  });
  return { response, text };
}

async function respond(
  path: string,
  request: RequestInit,
  read: (response: Response) => Promise<void> = async () => undefined,
): Promise<Response> {
  try {
    const response = await fetch(path, { credentials: 'omit', ...request, cache: 'no-store' });
    await read(response);
    connection.onResponse();
    return response;
  } catch (error) {
    // A request that the console canceled is not a failure of the service.
    if (request.signal?.aborted === true) throw error;
    connection.onFailure(Date.now());
    throw unreachable(error);
  }
}
