/** Sends each line of standard input, a JSON-RPC message, to the MCP server of the service, and prints its response. */
import { createInterface } from 'node:readline';
import { isJsonObject } from '@joinery/metadata/json';
import { CliError } from '../../cli-error.ts';
import { type Connection, connectProject } from '../../client/connection.ts';
import { type HttpResponse, request } from '../../client/http-request.ts';
import { printLine } from '../../print.ts';
import type { Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';

export interface McpFlags extends ProjectFlags {
  readonly role?: string;
  readonly header?: readonly string[];
  readonly admin?: boolean;
}

type Message = Readonly<Record<string, unknown>>;

/** Resolves with 0 when the input has ended and all responses are printed. Throws CliError for invalid options. */
export async function mcp(flags: McpFlags): Promise<number> {
  const given = readHeaders(flags.header ?? []);
  if (
    flags.admin !== true &&
    flags.role === undefined &&
    given.authorization === undefined &&
    given.cookie === undefined
  ) {
    throw new CliError(
      'give --role, --header "Authorization: Bearer <token>", or --admin; without them the command would act as admin where the service has no admin secret',
    );
  }
  const { project, connection } = await connectProject(flags, process.env);
  const bridge = createBridge(project, () => headersOf(flags, given, project, connection));
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    const work = bridge(line, flags.admin === true && flags.role === undefined ? '/mcp/admin' : '/mcp').then(
      (response) => {
        running.delete(work);
        if (response !== undefined) printLine(JSON.stringify(response));
      },
    );
    running.add(work);
  }
  await Promise.all(running);
  return 0;
}

/** Returns the headers by lower-case name. */
function readHeaders(written: readonly string[]): Readonly<Record<string, string>> {
  const entries = written.map((header): [string, string] => {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(header) ?? [];
    if (name !== undefined && value !== undefined) return [name.toLowerCase(), value];
    throw new CliError(`--header "${header}" must be a name and a value, such as "X-Service-User-Id: 1"`);
  });
  return Object.fromEntries(entries);
}

/** The admin secret is sent with `--admin` only. */
async function headersOf(
  { role, admin }: McpFlags,
  given: Readonly<Record<string, string>>,
  { adminSecret }: Project,
  connection: Connection,
): Promise<Readonly<Record<string, string>>> {
  const prefix = role === undefined && admin !== true ? '' : await connection.headerPrefix();
  const acting = role ?? (admin === true ? 'admin' : undefined);
  return {
    ...given,
    ...(acting !== undefined && { [`${prefix}Role`]: acting }),
    ...(admin === true && adminSecret !== undefined && { [`${prefix}Admin-Secret`]: adminSecret }),
  };
}

/** Returns a function that sends a line to a path. It never rejects; undefined is no response. */
function createBridge(
  { endpoint, tls }: Pick<Project, 'endpoint' | 'tls'>,
  headers: () => Promise<Readonly<Record<string, string>>>,
): (line: string, path: string) => Promise<Message | undefined> {
  /** The version that the client and the server have agreed on. */
  let protocol: string | undefined;
  const calls = new Map<unknown, AbortController>();

  async function send(line: string, path: string, signal: AbortSignal): Promise<HttpResponse> {
    const all = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(protocol !== undefined && { 'mcp-protocol-version': protocol }),
      ...(await headers()),
    };
    return request(endpoint + path, { method: 'POST', headers: all, body: line, tls, signal }, 0);
  }

  return async (line, path) => {
    const message = parse(line);
    if (message === undefined) return errorOf(null, -32700, 'the line is not a JSON-RPC message');
    if (message.method === 'notifications/cancelled' && isJsonObject(message.params)) {
      calls.get(message.params.requestId)?.abort();
    }
    const controller = new AbortController();
    if (message.id !== undefined) calls.set(message.id, controller);
    try {
      const response = await send(line, path, controller.signal);
      const body = responseOf(message, response, path);
      if (message.method === 'initialize' && isJsonObject(body?.result)) protocol = String(body.result.protocolVersion);
      return body;
    } catch (error) {
      // A canceled request has no response.
      if (controller.signal.aborted || message.id === undefined) return undefined;
      const reason = error instanceof CliError ? error.message : unreachable(endpoint, error as NodeJS.ErrnoException);
      return errorOf(message.id, -32000, reason);
    } finally {
      calls.delete(message.id);
    }
  };
}

function parse(line: string): Message | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function responseOf({ id }: Message, { status, body }: HttpResponse, path: string): Message | undefined {
  if (isJsonObject(body) && body.jsonrpc === '2.0') return { ...body, id: body.id ?? id ?? null };
  if (id === undefined) return undefined;
  if (status === 404) {
    const settings = path === '/mcp' ? 'JOINERY_ENABLE_MCP=true' : 'JOINERY_ENABLE_MCP=true and JOINERY_MCP_SCOPES';
    return errorOf(id, -32000, `the service has no endpoint ${path}; start it with ${settings}`);
  }
  const reason = isJsonObject(body) && typeof body.error === 'string' ? body.error : `status ${status}`;
  const code = isJsonObject(body) && typeof body.code === 'string' ? ` (${body.code})` : '';
  return errorOf(id, -32000, `the service rejected the request${code}: ${reason}`);
}

function unreachable(endpoint: string, { code, message }: NodeJS.ErrnoException): string {
  return `cannot connect to ${endpoint} (${code ?? message}); start the service, or give --endpoint`;
}

function errorOf(id: unknown, code: number, message: string): Message {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
