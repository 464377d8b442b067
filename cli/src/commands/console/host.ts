/** Serves the console of a project on loopback: its files, the changes as files, and everything else from the service. */
import type { AddressInfo } from 'node:net';
import type { PreviewRequest } from '@joinery/metadata/api/project';
import { isJsonObject } from '@joinery/metadata/json';
import { consoleRoutes, installedConsole } from '@joinery/server/console';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { CliError } from '../../cli-error.ts';
import { type Connection, ServiceError } from '../../client/connection.ts';
import { versionIn } from '../../client/service-version.ts';
import type { Project } from '../../project/config.ts';
import { effectsOf, readCommand } from './command-effects.ts';
import { createGuard, type Guard } from './guard.ts';
import { createProxy, type ServiceProxy } from './proxy.ts';
import type { Recorder } from './recorder.ts';

export interface ConsoleHost {
  /** The address of the console. */
  readonly url: string;
  /** The same with the token, for a browser. */
  readonly entry: string;
  close(): Promise<void>;
}

export interface HostParts {
  readonly project: Project;
  readonly connection: Connection;
  readonly recorder: Recorder;
  readonly port: number;
}

/** Paths of commands. */
const commandPaths = ['/v1/metadata', '/v2/query', '/v1/query'];
/** A command may contain a whole import. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Throws CliError where the port cannot be used. */
export async function openHost(parts: HostParts): Promise<ConsoleHost> {
  let guard: Guard | undefined;
  const app = fastify({ bodyLimit: MAX_BODY_BYTES, forceCloseConnections: true });
  const proxy = createProxy({
    ...parts.project,
    ...parts.connection,
    secret: secretOf(await parts.connection.adminHeaders()),
  });
  app.addHook('onRequest', async (request, reply) => {
    const query = request.query as Readonly<Record<string, unknown>>;
    if (guard === undefined) return reply.code(503).send('The console starts.');
    const rejection = guard.reject(request.headers, request.method);
    if (rejection === undefined) return undefined;
    if (rejection === 'no-token' && request.method === 'GET' && guard.isToken(query.token)) return enter(reply, guard);
    return rejected(reply, rejection);
  });
  app.server.on('upgrade', (request, socket, head) => {
    if (guard === undefined || guard.reject(request.headers, 'POST') !== undefined) socket.destroy();
    else proxy.upgrade(request, socket, head);
  });
  await addRoutes(app, parts, proxy);
  try {
    await app.listen({ host: '127.0.0.1', port: parts.port });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another process uses it' : message;
    throw new CliError(`port ${parts.port} cannot be used for the console: ${why}`, { cause });
  }
  const { port } = app.server.address() as AddressInfo;
  guard = createGuard(port);
  const url = `http://127.0.0.1:${port}/console`;
  return { url, entry: `${url}?token=${guard.token}`, close: () => app.close() };
}

/** Stores the token. The page loads itself again, so that the navigation is from this site. */
function enter(reply: FastifyReply, { cookie, token }: Guard): FastifyReply {
  return reply
    .header('set-cookie', `${cookie}=${token}; Path=/; HttpOnly; SameSite=Strict`)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(
      '<!doctype html><meta http-equiv="refresh" content="0; url=/console"><link rel="icon" href="data:,"><title>Joinery</title>',
    );
}

function rejected(reply: FastifyReply, why: string): FastifyReply {
  const advice = 'open the address that "joinery console" or "joinery dev" prints: it contains a token';
  const error = why === 'no-token' ? `this browser is not signed in; ${advice}` : why;
  return sendError(reply, 403, 'access-denied', error);
}

function sendError(reply: FastifyReply, status: number, code: string, error: string): FastifyReply {
  return reply.code(status).send({ code, path: '$', error });
}

async function addRoutes(app: FastifyInstance, parts: HostParts, proxy: ServiceProxy): Promise<void> {
  const { project, connection, recorder } = parts;
  const version = versionIn((await connection.get('/v1/version')).body) ?? '';
  await consoleRoutes(app, installedConsole(), {
    headerPrefix: (await connection.headerPrefix()).toLowerCase(),
    version,
    // The secret stays in this process.
    secretRequired: false,
    project: { name: project.folder.split(/[\\/]/).at(-1) ?? project.folder, folder: project.folder },
  });
  const pass = (request: FastifyRequest, reply: FastifyReply, body?: string): FastifyReply => {
    reply.hijack();
    proxy.pass(request.raw, reply.raw, (error) => unreachable(reply, connection.endpoint, error), body);
    return reply;
  };
  await app.register(async (routes) => addProjectRoutes(routes, recorder));
  await app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    for (const path of commandPaths) {
      routes.post(path, (request, reply) => runCommand(recorder, path, request, reply, pass));
    }
  });
  await app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, _payload, done) => done(null));
    routes.all('/*', (request, reply) => pass(request, reply));
  });
}

function unreachable({ raw }: FastifyReply, endpoint: string, { message }: Error): void {
  raw.writeHead(503, { 'content-type': 'application/json' });
  raw.end(JSON.stringify({ code: 'busy', path: '$', error: `${endpoint} cannot be reached: ${message}` }));
}

function secretOf(admin: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(admin).flatMap(([name, value]) =>
      /admin-secret$/i.test(name) ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
}

type Pass = (request: FastifyRequest, reply: FastifyReply, body?: string) => FastifyReply;

/** Commands that change nothing pass as they are; the others are recorded. */
async function runCommand(
  recorder: Recorder,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  pass: Pass,
): Promise<FastifyReply> {
  const text = String(request.body ?? '');
  const command = readCommand(text);
  if (command === undefined || !effectsOf(command).metadata) return pass(request, reply, text);
  try {
    const { status, body } = await recorder.change(path, text, command);
    return await reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  } catch (error) {
    return failed(reply, error);
  }
}

function addProjectRoutes(app: FastifyInstance, recorder: Recorder): void {
  const route =
    (work: (body: unknown) => Promise<unknown>) => async (request: { body: unknown }, reply: FastifyReply) => {
      try {
        return await reply.send((await work(request.body)) ?? {});
      } catch (error) {
        return failed(reply, error);
      }
    };
  app.post(
    '/project/state',
    route(() => recorder.state()),
  );
  app.post(
    '/project/preview',
    route((body) => recorder.preview(body as PreviewRequest)),
  );
  app.post(
    '/project/undo',
    route((body) => recorder.undo(isJsonObject(body) ? Number(body.id) : Number.NaN)),
  );
  app.post(
    '/project/export',
    route(() => recorder.exportFiles()),
  );
  app.post(
    '/project/apply',
    route(() => recorder.applyFiles()),
  );
}

/** Errors of the service keep their form; those of the project have the code `project`. */
function failed(reply: FastifyReply, error: unknown): FastifyReply {
  if (error instanceof ServiceError) return sendError(reply, 400, error.code, error.reason);
  if (error instanceof CliError) return sendError(reply, 409, 'project', error.message);
  throw error;
}
