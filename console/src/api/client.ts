/** HTTP client of the service: metadata commands and other endpoints. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import type { CommandName, CommandResponse } from '@joinery/metadata/api/responses';
import { connection } from './connection.ts';
import { parseExactly } from './exact-json.ts';
import { rejectionOf, unreachable, unreadable } from './failure.ts';
import { canChangeMetadata, createMetadataWatch, type MetadataWatch } from './metadata-watch.ts';

/** Settings that the service publishes without authentication. */
export interface ServiceSettings {
  /** In lower case, such as `x-service-`. */
  readonly headerPrefix: string;
  readonly version: string;
  readonly secretRequired: boolean;
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
  /** The headers that `post` sends, for transports other than HTTP. `own` replaces the admin headers. */
  headersOf(own: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  version(signal?: AbortSignal): Promise<{ readonly server_type: string; readonly version: string }>;
  readiness(signal?: AbortSignal): Promise<Readiness>;
  /** The headers that make a caller admin, without the secret. For examples to copy. */
  readonly headerPrefix: string;
  readonly secretRequired: boolean;
  /** Receives every command that can change the metadata. */
  readonly watch: MetadataWatch;
}

interface ClientParts {
  readonly settings: ServiceSettings;
  readonly secret: string | undefined;
  /** Called when the service rejects the secret or requires one. */
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
    async command<Type extends CommandName, Version extends number>(
      type: Type,
      args: WrittenArguments<Type>,
      { signal, basedOn, version, api = '/v1/metadata' }: CommandOptions<Version> = {},
    ) {
      const written = typeof args === 'string' ? args : JSON.stringify(args);
      const members = JSON.stringify({ type, version, resource_version: basedOn });
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
  const response = await call('/console/config.json', { signal });
  if (response.status !== 200) throw unreadable(response.status);
  return response.body as ServiceSettings;
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
    connection.onResponse();
    return { response, text };
  } catch (error) {
    // A request that the console canceled is not a failure of the service.
    if (request.signal?.aborted === true) throw error;
    connection.onFailure(Date.now());
    throw unreachable(error);
  }
}
