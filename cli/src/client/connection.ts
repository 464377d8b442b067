/** HTTP client for the APIs of a running service. */
import http from 'node:http';
import https from 'node:https';
import type { CommandResponse } from '@joinery/metadata/api/responses';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { openProject, type Project, type ProjectFlags } from '../project/config.ts';

export type Api = '/v1/metadata' | '/v1/query' | '/v2/query' | '/v1/graphql';

export interface Connection {
  /** Base URL without a trailing slash. */
  readonly endpoint: string;
  /** Runs a metadata command. Throws CliError where the service cannot be reached, ServiceError where it returns an error. */
  command<Type extends string, Version extends number = 1>(
    type: Type,
    args: unknown,
    options?: CommandOptions<Version>,
  ): Promise<CommandResponse<Type, Version>>;
  /** POSTs JSON with the admin's headers, which `headers` override. */
  post(path: string, body: unknown, options?: PostOptions): Promise<HttpResponse>;
  get(path: string): Promise<HttpResponse>;
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

export interface HttpResponse {
  readonly status: number;
  /** Parsed where it is JSON, otherwise text. */
  readonly body: unknown;
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

type Service = Pick<Project, 'endpoint' | 'adminSecret' | 'headerPrefix'> & Partial<Pick<Project, 'tls' | 'apiPaths'>>;

export function connect(to: Service): Connection {
  const admin = {
    [`${to.headerPrefix}Role`]: 'admin',
    ...(to.adminSecret !== undefined && { [`${to.headerPrefix}Admin-Secret`]: to.adminSecret }),
  };
  const send = async (path: string, init: Sent, timeoutMs: number): Promise<HttpResponse> => {
    try {
      const { status, text } = await request(
        to.endpoint + (to.apiPaths?.[path] ?? path),
        { ...init, tls: to.tls },
        timeoutMs,
      );
      return { status, body: parsed(text) };
    } catch (cause) {
      throw new CliError(unreachable(to.endpoint, cause as Error, timeoutMs), { cause });
    }
  };
  const post: Connection['post'] = (path, body, { headers = {}, timeoutMs = defaultTimeoutMs } = {}) =>
    send(
      path,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...admin, ...headers },
        body: JSON.stringify(body),
      },
      timeoutMs,
    );
  return {
    endpoint: to.endpoint,
    post,
    get: (path) => send(path, { method: 'GET', headers: admin }, defaultTimeoutMs),
    async command<Type extends string, Version extends number>(
      type: Type,
      args: unknown,
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
      throw errorOf(response, to);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls?: Project['tls'] | undefined;
}

/** Uses node:http because `fetch` times out after five minutes, and a migration may take longer. */
function request(
  url: string,
  { body, tls, ...options }: Sent,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const signal = timeoutMs > 0 ? { signal: AbortSignal.timeout(timeoutMs) } : {};
    const trust = tls === undefined ? {} : { ca: tls.authority, rejectUnauthorized: tls.verify };
    const secure = url.startsWith('https:');
    const sent = (secure ? https : http).request(url, { ...options, ...signal, ...(secure && trust) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
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

function errorOf({ status, body }: HttpResponse, to: Pick<Project, 'endpoint' | 'headerPrefix'>): CliError {
  const { code, path, error, internal } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly code?: string;
    readonly path?: string;
    readonly error?: string;
    readonly internal?: unknown;
  };
  if (typeof code !== 'string' || typeof error !== 'string') {
    return new CliError(
      `${to.endpoint} returned status ${status} without a Joinery error; check the endpoint and that the service serves its metadata API`,
    );
  }
  if (status === 401 || code === 'access-denied') {
    return new ServiceError(
      code,
      path ?? '$',
      `${error}; give the admin secret with --admin-secret or JOINERY_ADMIN_SECRET, and the prefix of its headers (now ${to.headerPrefix}) with --header-prefix`,
      internal,
    );
  }
  return new ServiceError(code, path ?? '$', error, internal);
}

/** Adds the options of commands that call a service. */
export function connectionOptions(command: Command): Command {
  return command
    .option('--project <folder>', 'folder of the project, where config.yaml is', '.')
    .option('--envfile <file>', 'environment file, relative to the project (default: ".env")')
    .option('--endpoint <url>', 'the running service [JOINERY_ENDPOINT] (default: http://127.0.0.1:8080)')
    .option('--admin-secret <secret>', 'admin secret of the service [JOINERY_ADMIN_SECRET]')
    .option('--header-prefix <prefix>', 'prefix of its headers [JOINERY_HEADER_PREFIX] (default: X-Service-)');
}
