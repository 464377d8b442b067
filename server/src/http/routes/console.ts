/** Serves the console under `/console`: its page, files, configuration and content security policy. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../base/errors.ts';

/** Placeholder of the nonce in the built page. */
const nonceMark = '__STYLE_NONCE__';

/** What the console reads before authentication, at `/console/config.json`. */
export interface PublishedSettings {
  /** In lower case, such as `x-service-`. */
  readonly headerPrefix: string;
  readonly version: string;
  readonly secretRequired: boolean;
  /** The name of the OpenID Connect provider that users may sign in with. */
  readonly oidc?: { readonly name: string };
  /** The project that changes are written to, where `joinery console` or `joinery dev` serves the console. */
  readonly project?: { readonly name: string; readonly folder: string };
}

/** Returns the folder of the built console, which may not exist; undefined if the package is not installed. */
export function installedConsole(): string | undefined {
  try {
    return fileURLToPath(new URL('dist/', import.meta.resolve('@joinery/console/package.json')));
  } catch {
    return undefined;
  }
}

/**
 * Registers the routes. Every path below `/console` that is not a file returns the page, which routes by the path. Files in
 * `assets/` have content hashes in their names and are cached for a year; the page is revalidated each time.
 */
export async function consoleRoutes(
  app: FastifyInstance,
  directory: string | undefined,
  settings: PublishedSettings,
): Promise<void> {
  app.get('/console/config.json', (_request, reply) => reply.header('cache-control', 'no-cache').send(settings));
  if (directory !== undefined) await serveAssets(app, join(directory, 'assets'));
  const respond = async (reply: FastifyReply): Promise<FastifyReply> => {
    const page = directory === undefined ? undefined : await readPage(join(directory, 'index.html'));
    return page === undefined ? sendNotBuilt(reply) : sendPage(reply, page);
  };
  app.get('/console', (_request, reply) => respond(reply));
  app.get('/console/*', (request, reply) => {
    const [path = ''] = request.url.split('?');
    if (/\.\w+$/.test(path)) throw new ServiceError('not-found', `the console has no file ${path}`);
    return respond(reply);
  });
}

async function serveAssets(app: FastifyInstance, root: string): Promise<void> {
  const { default: fastifyStatic } = await import('@fastify/static');
  await app.register(fastifyStatic, {
    root,
    prefix: '/console/assets/',
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
    setHeaders: (response) => {
      response.setHeader('vary', 'accept-encoding');
      response.setHeader('x-content-type-options', 'nosniff');
    },
  });
}

/** Reads the page for each request, because a build while the service runs changes the asset names. */
async function readPage(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** Sends the page without a validator, so that a cached page is never used with the nonce of a later response. */
function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({
      'content-security-policy': contentPolicy(nonce),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    })
    .type('text/html; charset=utf-8')
    .send(page.replace(nonceMark, nonce));
}

/** Allows only resources of this service, and style elements of the component library by their nonce. */
function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .header('cache-control', 'no-store')
    .type('text/plain; charset=utf-8')
    .send('The console has not been built here. Run "npm run build" in the project, then load this page again.\n');
}
