/** The MCP server as a resource server of OAuth 2.1: its metadata (RFC 9728) and the challenges of its responses (RFC 6750). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { secretIn } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import type { HttpSettings, McpHttpSettings } from '../settings.ts';

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** An endpoint of the MCP server. */
export interface McpEndpoint {
  /** `/mcp` or `/mcp/admin`. */
  readonly path: string;
  /** The scopes that its tools need. */
  readonly scopes: readonly string[];
}

/** Registers the metadata of each endpoint, and that of the first one without a path; none without an issuer of tokens. */
export function resourceMetadataRoutes(
  app: FastifyInstance,
  settings: McpHttpSettings,
  endpoints: readonly McpEndpoint[],
): void {
  if (settings.issuers.length === 0) return;
  for (const [index, { path, scopes }] of endpoints.entries()) {
    const respond = async (request: FastifyRequest) => ({
      resource: publicUrl(request, settings) + path,
      resource_name: 'Joinery',
      authorization_servers: settings.issuers,
      bearer_methods_supported: ['header'],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    });
    app.get(METADATA_PATH + path, respond);
    if (index === 0) app.get(METADATA_PATH, respond);
  }
}

/** Errors for which clients get another token. */
const tokenErrors: ReadonlySet<string> = new Set(['invalid-jwt', 'jwt-invalid-claims', 'jwt-missing-role-claims']);

/**
 * Returns the error with the status of OAuth: 401 where the caller is not authenticated, 403 where its token does not permit
 * the role. Other endpoints have the statuses of Hasura v2.
 */
export function withOAuthStatus(error: ServiceError, request: FastifyRequest, { session }: HttpSettings): ServiceError {
  const { code, message, path, internal } = error;
  const status = (): number | undefined => {
    if (tokenErrors.has(code)) return 401;
    if (code === 'invalid-headers' && !hasCredentials(request, session.prefix)) return 401;
    if (code === 'access-denied' && error.status === 400) return 403;
    return undefined;
  };
  const found = status();
  return found === undefined ? error : new ServiceError(code, message, { path, internal, status: found, cause: error });
}

function hasCredentials({ headers }: FastifyRequest, prefix: string): boolean {
  return headers.authorization !== undefined || secretIn(headers, prefix) !== undefined;
}

/** Returns the value of `WWW-Authenticate` for a response with the status 401. */
export function unauthenticatedChallenge(
  request: FastifyRequest,
  { code }: ServiceError,
  settings: McpHttpSettings,
  endpoint: McpEndpoint,
): string {
  const error = tokenErrors.has(code) ? ['error="invalid_token"'] : [];
  return challenge([...error, ...metadataParameter(request, settings, endpoint)]);
}

/** Returns the value of `WWW-Authenticate` for a token without the scope. */
export function scopeChallenge(
  request: FastifyRequest,
  scope: string,
  settings: McpHttpSettings,
  endpoint: McpEndpoint,
): string {
  return challenge([
    'error="insufficient_scope"',
    `scope="${scope}"`,
    ...metadataParameter(request, settings, endpoint),
  ]);
}

function challenge(parameters: readonly string[]): string {
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`;
}

function metadataParameter(
  request: FastifyRequest,
  settings: McpHttpSettings,
  { path }: McpEndpoint,
): readonly string[] {
  if (settings.issuers.length === 0) return [];
  return [`resource_metadata="${publicUrl(request, settings)}${METADATA_PATH}${path}"`];
}

/** Returns the configured address of the service, or the one that the request was sent to. */
function publicUrl({ protocol, host }: FastifyRequest, settings: McpHttpSettings): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl;
  // A host that is no host name must not end the quoted string of the challenge.
  return `${protocol}://${host.replace(/[^\w.:[\]-]/g, '')}`;
}
