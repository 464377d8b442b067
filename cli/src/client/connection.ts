/** HTTP client for the APIs of a running service. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import type { CommandName, CommandResponse } from '@joinery/metadata/api/responses';
import { CliError } from '../cli-error.ts';
import { openProject, type Project } from '../project/config.ts';
import type { ProjectFlags } from '../project/flags.ts';
import { prefixInError, publishedPrefix } from './header-prefix.ts';
import { type HttpResponse, request, type Sent } from './http-request.ts';
import { warnWhileSilent } from './silence.ts';

export type Api = '/v1/metadata' | '/v1/query' | '/v2/query' | '/v1/graphql';

export interface Connection {
  /** Base URL without a trailing slash. */
  readonly endpoint: string;
  /** Resolves to the prefix of the service's headers: the configured one, or the one that the service publishes. */
  headerPrefix(): Promise<string>;
  /** Runs a metadata command. Throws CliError where the service cannot be reached, ServiceError where it returns an error. */
  command<Type extends CommandName, Version extends number = 1>(
    type: Type,
    args: CommandArguments[Type],
    options?: CommandOptions<Version>,
  ): Promise<CommandResponse<Type, Version>>;
  /** POSTs JSON with the admin's headers, which `headers` override. */
  post(path: string, body: unknown, options?: PostOptions): Promise<HttpResponse>;
  /** As `post`, with a body that is JSON text, so that its numbers keep their digits. */
  postText(path: string, body: string, options?: PostOptions): Promise<HttpResponse>;
  /** Resolves to the headers that make a request that of an admin. */
  adminHeaders(): Promise<Readonly<Record<string, string>>>;
  /** GETs with the admin's headers. The timeout in milliseconds is 60,000 by default. */
  get(path: string, timeoutMs?: number): Promise<HttpResponse>;
}

export interface CommandOptions<Version extends number = number> {
  readonly api?: Api;
  /** Version of the command's format. Default 1. */
  readonly version?: Version;
  /** The service returns `conflict` if the metadata has another version. */
  readonly resourceVersion?: number | undefined;
  /** Default 60,000; 0 disables the timeout. */
  readonly timeoutMs?: number;
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** An error that the service returned. */
export class ServiceError extends CliError {
  /** An error code of docs/errors.md. */
  readonly code: string;
  /** JSON path into the request. */
  readonly path: string;
  readonly internal: unknown;
  /** The message of the service. */
  readonly reason: string;

  constructor(code: string, path: string, reason: string, internal: unknown) {
    super(`the service returned an error (${code} at ${path}): ${reason}`);
    this.name = 'ServiceError';
    this.code = code;
    this.path = path;
    this.reason = reason;
    this.internal = internal;
  }
}

const defaultTimeoutMs = 60_000;

/** Reads the project's configuration and creates a client of its service. Sends nothing. */
export async function connectProject(
  flags: ProjectFlags,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly project: Project; readonly connection: Connection }> {
  const project = await openProject(flags, environment);
  return { project, connection: connect(project) };
}

type Service = Pick<Project, 'endpoint' | 'adminSecret' | 'headerPrefix'> &
  Partial<Pick<Project, 'tls' | 'apiPaths' | 'hasHeaderPrefix'>>;

export function connect(to: Service): Connection {
  const send = async (path: string, init: Sent, timeoutMs: number): Promise<HttpResponse> => {
    const url = to.endpoint + (to.apiPaths?.[path] ?? path);
    try {
      return await warnWhileSilent(to.endpoint, timeoutMs, () => request(url, { ...init, tls: to.tls }, timeoutMs));
    } catch (cause) {
      throw new CliError(unreachable(to.endpoint, cause as Error, timeoutMs), { cause });
    }
  };
  let found: Promise<string> | undefined;
  const headerPrefix = (): Promise<string> => {
    if (to.hasHeaderPrefix !== false) return Promise.resolve(to.headerPrefix);
    found ??= send('/console/config.json', { method: 'GET', headers: {} }, defaultTimeoutMs).then(
      (response) => publishedPrefix(response) ?? to.headerPrefix,
    );
    return found;
  };
  const admin = async (): Promise<Readonly<Record<string, string>>> => {
    // Without a secret the role header has no effect that differs from its default.
    const prefix = to.adminSecret === undefined ? to.headerPrefix : await headerPrefix();
    return {
      [`${prefix}Role`]: 'admin',
      ...(to.adminSecret !== undefined && { [`${prefix}Admin-Secret`]: to.adminSecret }),
    };
  };
  const postText: Connection['postText'] = async (path, sent, { headers = {}, timeoutMs = defaultTimeoutMs } = {}) => {
    const attempt = async (): Promise<HttpResponse> => {
      const own = { 'content-type': 'application/json', ...(await admin()), ...headers };
      return send(path, { method: 'POST', headers: own, body: sent }, timeoutMs);
    };
    const response = await attempt();
    const named = to.hasHeaderPrefix === false && to.adminSecret !== undefined ? prefixInError(response) : undefined;
    if (named === undefined || named === (await headerPrefix())) return response;
    // A service without a console names the header in its error only.
    found = Promise.resolve(named);
    return attempt();
  };
  const post: Connection['post'] = (path, body, options) => postText(path, JSON.stringify(body), options);
  return {
    endpoint: to.endpoint,
    headerPrefix,
    post,
    postText,
    adminHeaders: admin,
    get: async (path, timeoutMs = defaultTimeoutMs) => send(path, { method: 'GET', headers: await admin() }, timeoutMs),
    async command<Type extends CommandName, Version extends number>(
      type: Type,
      args: CommandArguments[Type],
      options: CommandOptions<Version> = {},
    ) {
      const { api = '/v1/metadata', version, resourceVersion, timeoutMs = defaultTimeoutMs } = options;
      const request = {
        type,
        args,
        ...(version !== undefined && { version }),
        ...(resourceVersion !== undefined && { resource_version: resourceVersion }),
      };
      const response = await post(api, request, { timeoutMs });
      if (response.status >= 200 && response.status < 300) return response.body as CommandResponse<Type, Version>;
      throw errorOf(response, to.endpoint, await headerPrefix());
    },
  };
}

function unreachable(endpoint: string, error: NodeJS.ErrnoException, timeoutMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `${endpoint} did not respond within ${timeoutMs / 1000} s`;
  }
  const why = error.code ?? error.message;
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/.test(why)) {
    return `the certificate of ${endpoint} is not trusted (${why}); name its authority as "certificate_authority" in config.yaml`;
  }
  return `cannot connect to ${endpoint} (${why}); start the service with "joinery serve" or "joinery dev", or give --endpoint`;
}

function errorOf({ status, body }: HttpResponse, endpoint: string, headerPrefix: string): CliError {
  const { code, path, error, internal } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly code?: string;
    readonly path?: string;
    readonly error?: string;
    readonly internal?: unknown;
  };
  if (typeof code !== 'string' || typeof error !== 'string') {
    return new CliError(
      `${endpoint} returned status ${status} without a Joinery error; check the endpoint and that the service serves its metadata API`,
    );
  }
  if (status === 401 || code === 'access-denied') {
    return new ServiceError(
      code,
      path ?? '$',
      `${error}; give the admin secret with --admin-secret or JOINERY_ADMIN_SECRET, and the prefix of its headers (now ${headerPrefix}) with --header-prefix`,
      internal,
    );
  }
  return new ServiceError(code, path ?? '$', error, internal);
}
