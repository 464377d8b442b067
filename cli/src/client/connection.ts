/** Commands to a running service over HTTP, and what it means when it does not take them. */
import http from 'node:http';
import https from 'node:https';
import type { CommandResponse } from '@joinery/metadata/api/responses';
import type { Command } from 'commander';
import { ProjectError } from '../cli-error.ts';
import { openProject, type Project, type ProjectFlags } from '../project/config.ts';

export type Api = '/v1/metadata' | '/v1/query' | '/v2/query' | '/v1/graphql';

export interface Connection {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** The answer to `{ type, args }`. Throws ProjectError where nobody answers, RefusedError where the service refuses. */
  command<Type extends string, Version extends number = 1>(
    type: Type,
    args: unknown,
    options?: CommandOptions<Version>,
  ): Promise<CommandResponse<Type, Version>>;
  /** POSTs JSON to a path, with the headers of an admin; those given win. Status and the body, parsed where it is JSON. */
  post(path: string, body: unknown, options?: PostOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
}

export interface CommandOptions<Version extends number = number> {
  readonly api?: Api;
  /** The format of the command; 1 unless given. */
  readonly version?: Version;
  /** Refused with `conflict` where the metadata has moved on from it. */
  readonly resourceVersion?: number | undefined;
  /** For long work the limit is lifted with 0; 60 seconds unless given. */
  readonly timeoutMs?: number;
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The service understood and said no. */
export class RefusedError extends ProjectError {
  /** Of the catalogue in docs/errors.md. */
  readonly code: string;
  /** JSON path into what was sent. */
  readonly path: string;
  readonly internal: unknown;
  /** As the service put it. */
  readonly reason: string;

  constructor(code: string, path: string, reason: string, internal: unknown) {
    super(`the service refused it (${code} at ${path}): ${reason}`);
    this.name = 'RefusedError';
    this.code = code;
    this.path = path;
    this.reason = reason;
    this.internal = internal;
  }
}

const defaultTimeoutMs = 60_000;

/** Opens the project of the flags and the way to its service. Nothing is sent yet. */
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
  const send = async (path: string, init: Sent, timeoutMs: number): Promise<Answer> => {
    try {
      const { status, text } = await request(
        to.endpoint + (to.apiPaths?.[path] ?? path),
        { ...init, tls: to.tls },
        timeoutMs,
      );
      return { status, body: parsed(text) };
    } catch (cause) {
      throw new ProjectError(unreachable(to.endpoint, cause as Error, timeoutMs), { cause });
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
      const answer = await post(api, request, { timeoutMs });
      if (answer.status >= 200 && answer.status < 300) return answer.body as CommandResponse<Type, Version>;
      throw refusal(answer, to);
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

/** Not by `fetch`, which gives up on whoever takes more than five minutes, as a migration may. */
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
    return `${endpoint} did not answer within ${timeoutMs / 1000} s`;
  }
  const why = error.code ?? error.message;
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/.test(why)) {
    return `the certificate of ${endpoint} is not trusted (${why}); name its authority as "certificate_authority" in config.yaml`;
  }
  return `no service answers at ${endpoint} (${why}); start it with "joinery serve" or "joinery dev", or give --endpoint`;
}

function refusal({ status, body }: Answer, to: Pick<Project, 'endpoint' | 'headerPrefix'>): ProjectError {
  const { code, path, error, internal } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly code?: string;
    readonly path?: string;
    readonly error?: string;
    readonly internal?: unknown;
  };
  if (typeof code !== 'string' || typeof error !== 'string') {
    return new ProjectError(
      `${to.endpoint} answered with status ${status} and not as a Joinery service does; is the endpoint right, and are its metadata APIs served?`,
    );
  }
  if (status === 401 || code === 'access-denied') {
    return new RefusedError(
      code,
      path ?? '$',
      `${error}; give the admin secret with --admin-secret or JOINERY_ADMIN_SECRET, and the prefix of its headers (now ${to.headerPrefix}) with --header-prefix`,
      internal,
    );
  }
  return new RefusedError(code, path ?? '$', error, internal);
}

/** The options of every command that speaks to a service. */
export function connectionOptions(command: Command): Command {
  return command
    .option('--project <folder>', 'folder of the project, where config.yaml is', '.')
    .option('--envfile <file>', 'environment file, relative to the project (default: ".env")')
    .option('--endpoint <url>', 'the running service [JOINERY_ENDPOINT] (default: http://127.0.0.1:8080)')
    .option('--admin-secret <secret>', 'admin secret of the service [JOINERY_ADMIN_SECRET]')
    .option('--header-prefix <prefix>', 'prefix of its headers [JOINERY_HEADER_PREFIX] (default: X-Service-)');
}
