/** Serves the built documentation under `/docs`: pages, their Markdown, files, and a content security policy. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { chooseEncoding } from '../middleware/compression.ts';

/** Returns the folder of the built documentation, which may not exist; undefined if the package is not installed. */
export function installedDocs(): string | undefined {
  try {
    return fileURLToPath(new URL('dist/', import.meta.resolve('@joinery/docs/package.json')));
  } catch {
    return undefined;
  }
}

/** Names without a dot, so that no path leaves the folder. */
const pagePattern = /^(?:[\w-]+\/)*[\w-]*$/;
const filePattern = /^(?:[\w-]+\/)*[\w-]+\.(md|txt|json|css)$/;

/** Each part starts with a character other than a dot. */
const assetPattern = /^(?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*\.(\w+)$/;

const assetTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

const suffixes = { br: '.br', gzip: '.gz' } as const;

const contentTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/**
 * Registers the routes. Pages have no file extension; `.md` after a path returns the Markdown of the page, as does
 * `Accept: text/markdown`. Files in `assets/` have content hashes in their names and are cached for a year.
 * @param directory undefined if the documentation is not installed; requests then have the status 404
 */
export function docsRoutes(app: FastifyInstance, directory: string | undefined): void {
  const respond = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
    if (directory === undefined) throw new ServiceError('not-found', 'the documentation is not installed');
    const extension = filePattern.exec(path)?.[1];
    if (extension !== undefined) return sendFile(reply, join(directory, path), extension, path);
    return sendPage(request, reply, directory, path);
  };
  // The links of the pages are relative to `/docs/`. One route serves both, because the server ignores slashes at the end.
  app.get('/docs', (request, reply) =>
    /^\/docs(?:\?|$)/.test(request.url) ? reply.redirect('/docs/') : respond(request, reply, ''),
  );
  // Own code, because @fastify/static would be loaded at every start.
  app.get('/docs/assets/*', async (request, reply) => {
    if (directory === undefined) throw new ServiceError('not-found', 'the documentation is not installed');
    return sendAsset(request, reply, directory);
  });
  app.get('/docs/*', async (request, reply) => {
    const [path = ''] = request.url.slice('/docs/'.length).split('?');
    return respond(request, reply, path.replace(/\.html$/, ''));
  });
}

/** Sends a file with a content hash in its name. The build has compressed those that are text. */
async function sendAsset(request: FastifyRequest, reply: FastifyReply, directory: string): Promise<FastifyReply> {
  const [path = ''] = request.url.slice('/docs/assets/'.length).split('?');
  const type = assetTypes[assetPattern.exec(path)?.[1] ?? ''];
  if (type === undefined) throw new ServiceError('not-found', `the documentation has no file assets/${path}`);
  const file = join(directory, 'assets', path);
  const encoding = chooseEncoding(request.headers['accept-encoding'], ['br', 'gzip']);
  const compressed = encoding && (await readFile(file + suffixes[encoding]).catch(() => undefined));
  const content = compressed ?? (await readFile(file).catch(() => undefined));
  if (content === undefined) throw new ServiceError('not-found', `the documentation has no file assets/${path}`);
  if (compressed !== undefined) reply.header('content-encoding', encoding);
  return reply
    .headers({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    .type(type)
    .send(content);
}

async function sendFile(reply: FastifyReply, file: string, extension: string, path: string): Promise<FastifyReply> {
  const text = await read(file);
  if (text === undefined) throw new ServiceError('not-found', `the documentation has no file ${path}`);
  return reply
    .headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    .type(contentTypes[extension] ?? 'application/octet-stream')
    .send(text);
}

/** Sends the page, or the one that says that it does not exist. */
async function sendPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  directory: string,
  path: string,
): Promise<FastifyReply> {
  if (!pagePattern.test(path)) throw new ServiceError('not-found', `the documentation has no file ${path}`);
  const name = path === '' || path.endsWith('/') ? `${path}index` : path;
  reply.header('vary', 'accept');
  if (prefersMarkdown(headers.accept)) return sendFile(reply, join(directory, `${name}.md`), 'md', `${name}.md`);
  const page = await read(join(directory, `${name}.html`));
  const shown = page ?? (await read(join(directory, '404.html')));
  if (shown === undefined) return sendNotBuilt(reply);
  return reply
    .code(page === undefined ? 404 : 200)
    .headers({
      'content-security-policy': contentPolicy(shown),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    })
    .type('text/html; charset=utf-8')
    .send(shown);
}

function prefersMarkdown(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/markdown\b/.test(accept) && !/\btext\/html\b/.test(accept);
}

/** Reads the file for each request, because a build while the service runs changes the asset names. */
async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/**
 * Allows only resources of this service, and the inline scripts of the page by their hashes. The colors of code blocks are
 * style attributes, which have no hash.
 */
function contentPolicy(page: string): string {
  const hashes = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`.trimEnd(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
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
    .send(
      'The documentation has not been built here. Run "npm run build" in the project, then load this page again.\n',
    );
}
