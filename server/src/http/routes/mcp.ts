/** `POST /mcp` and `POST /mcp/admin`: the MCP server, by its Streamable HTTP transport without sessions. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../auth/author.ts';
import type { Session } from '../../auth/session.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { errorBody, ServiceError, toServiceError } from '../../base/errors.ts';
import { isLoopback } from '../../base/http-client/loopback.ts';
import { isJsonObject, printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { McpCaller } from '../../service/mcp/tool.ts';
import type { Toolset, Toolsets } from '../../service/mcp/toolsets.ts';
import { readBody } from '../body.ts';
import {
  type McpEndpoint,
  resourceMetadataRoutes,
  scopeChallenge,
  unauthenticatedChallenge,
  withOAuthStatus,
} from '../mcp/authorization.ts';
import { handleMessage, type McpReply } from '../mcp/protocol.ts';
import { authenticateBeforeBody, sendCookies, sessionOfRequest } from '../middleware/authenticate.ts';
import { type HttpSettings, type McpHttpSettings, showsInternal } from '../settings.ts';

export interface McpParts {
  readonly toolsets: Toolsets;
  readonly observe: Observe;
}

interface Endpoint extends McpEndpoint {
  readonly toolset: Toolset;
  readonly instructions: string;
  /** Throws for a session that may not use the endpoint. */
  check(session: Session): void;
}

const json = 'application/json; charset=utf-8';

export function mcpRoutes(
  app: FastifyInstance,
  { toolsets, observe }: McpParts,
  settings: HttpSettings,
  mcp: McpHttpSettings,
): void {
  const application: Endpoint = {
    path: '/mcp',
    scopes: [],
    toolset: toolsets.application,
    instructions:
      'GraphQL data of a PostgreSQL service, as your role. Saved operations are tools. For other data, search the schema, validate the operation, and run it.',
    check: () => undefined,
  };
  const developer: Endpoint = {
    path: '/mcp/admin',
    scopes: mcp.scopes,
    toolset: toolsets.developer,
    instructions:
      'Administration of a Joinery service: metadata, SQL, operations as a role, events and documentation. Tools that change something need "confirm": true; without it they return what they would do. Every call is logged.',
    check: mustBeAdmin,
  };
  const endpoints = [
    ...(settings.apis.has('graphql') ? [application] : []),
    ...(settings.apis.has('metadata') && mcp.scopes.length > 0 ? [developer] : []),
  ];
  resourceMetadataRoutes(app, mcp, endpoints);
  for (const endpoint of endpoints) route(app, endpoint, observe, settings, mcp);
}

function route(
  app: FastifyInstance,
  endpoint: Endpoint,
  observe: Observe,
  settings: HttpSettings,
  mcp: McpHttpSettings,
): void {
  const reject = (request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply => {
    const role = request.session?.role;
    const error = withOAuthStatus(toServiceError(thrown), request, settings);
    observe({ kind: 'refused', error, requestId: request.id, role });
    if (error.status === 401) {
      reply.header('www-authenticate', unauthenticatedChallenge(request, error, mcp, endpoint));
    }
    return reply
      .code(error.status)
      .type(json)
      .send(printJson(errorBody(error, showsInternal(settings, role))));
  };
  const authenticate = authenticateBeforeBody(settings, reject, endpoint.check);
  app.route({
    method: ['GET', 'DELETE'],
    url: endpoint.path,
    handler: async (_request, reply) =>
      reply
        .code(405)
        .header('allow', 'POST')
        .type(json)
        .send(rpcError(-32000, 'this server has no sessions; use POST')),
  });
  app.post(
    endpoint.path,
    {
      onRequest: (request, reply, done) => {
        try {
          checkPage(request, settings, mcp);
        } catch (error) {
          reject(request, reply, error);
          return;
        }
        authenticate(request, reply, done);
      },
    },
    async (request, reply) => {
      const closed = new Cancellation();
      reply.raw.once('close', () => closed.abort());
      try {
        const session = await sessionOfRequest(request, settings);
        const body = await bodyOf(request);
        if (body === undefined) return reply.code(400).type(json).send(rpcError(-32700, 'the body is not JSON'));
        if (Array.isArray(body)) {
          return reply.code(400).type(json).send(rpcError(-32600, 'batches of messages are not supported'));
        }
        const caller = callerOf(request, session, closed, settings);
        const called = calledTool(body);
        const scope = missingScope(endpoint, session, called);
        if (called !== undefined && scope !== undefined) {
          const error = insufficientScope(scope, mcp);
          await endpoint.toolset.recordRejected(called.name, called.args, caller, error);
          reply.header('www-authenticate', scopeChallenge(request, scope, mcp, endpoint));
          return reject(request, reply, error);
        }
        const { version } = settings;
        const { instructions, toolset } = endpoint;
        const message = { body, headers: protocolHeaders(request) };
        sendCookies(reply, session);
        return send(reply, await handleMessage(message, toolset, caller, { version, instructions }));
      } catch (thrown) {
        return reject(request, reply, thrown);
      }
    },
  );
}

function mustBeAdmin({ role }: Session): void {
  if (role === ADMIN_ROLE) return;
  throw new ServiceError('access-denied', 'the tools of /mcp/admin are for the role admin', { status: 403 });
}

/**
 * Rejects pages of other origins, also where CORS permits every origin: a browser would send them with the access that its
 * network has. The own origin is accepted under a known host name only, which a page with a rebound name does not have.
 */
function checkPage(request: FastifyRequest, { host, allowedHosts = [] }: HttpSettings, mcp: McpHttpSettings): void {
  const { sender, hostname } = request;
  if (sender === 'none' || sender === 'listed') return;
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const known = [host.toLowerCase(), ...allowedHosts, ...(mcp.publicUrl ? [new URL(mcp.publicUrl).hostname] : [])];
  if (sender === 'own' && (isLoopback(name) || known.includes(name))) return;
  throw new ServiceError(
    'access-denied',
    'pages of this origin may not use the MCP server; name the origin in JOINERY_CORS_DOMAIN if it is yours, where * names none',
    { status: 403 },
  );
}

/** Returns the parsed body; undefined for one that is not JSON. */
async function bodyOf(request: FastifyRequest): Promise<unknown> {
  try {
    return await readBody(request);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid-json') return undefined;
    throw error;
  }
}

interface CalledTool {
  readonly name: string;
  readonly args: unknown;
}

/** Returns the tool that the message calls; undefined for other messages. */
function calledTool(body: unknown): CalledTool | undefined {
  if (!isJsonObject(body) || body.method !== 'tools/call' || !isJsonObject(body.params)) return undefined;
  const { name, arguments: args = {} } = body.params;
  return typeof name === 'string' ? { name, args } : undefined;
}

/** Returns the scope that the called tool needs and the token lacks. */
function missingScope({ toolset }: Endpoint, session: Session, called: CalledTool | undefined): string | undefined {
  if (session.scopes === undefined || called === undefined) return undefined;
  return toolset.missingScope(session, called.name);
}

function insufficientScope(scope: string, { scopes }: McpHttpSettings): ServiceError {
  const message = scopes.includes(scope)
    ? `the token does not have the scope ${scope}`
    : `the scope ${scope} is not enabled; JOINERY_MCP_SCOPES of the service lists those that are`;
  return new ServiceError('access-denied', message, { status: 403 });
}

function callerOf(
  { headers, id: requestId, ip: address, span }: FastifyRequest,
  session: Session,
  signal: Cancellation,
  settings: HttpSettings,
): McpCaller {
  return {
    session,
    headers,
    signal,
    requestId,
    address,
    span,
    showInternal: showsInternal(settings, session.role),
    queriesOnly: false,
    author: authorOf(headers, session, settings.session),
  };
}

function protocolHeaders({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  const named = ['accept', 'content-type', 'mcp-protocol-version'].flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return Object.fromEntries(named);
}

function send(reply: FastifyReply, { status, headers, text }: McpReply): FastifyReply {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  return reply.send(text);
}

function rpcError(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
}
