/**
 * `POST /v1/import_rows`: rows for one table as newline-delimited JSON, all or none, for admins. A client that accepts
 * `application/x-ndjson` receives the progress, and the outcome as the last line.
 */
import { PassThrough } from 'node:stream';
import { type ImportLine, ImportRows, type RowError } from '@joinery/metadata/api/sources/import-rows';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf } from '../../auth/author.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { errorBody, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import { readArguments } from '../../service/commands/command.ts';
import { readImportBody } from '../../service/import/body-lines.ts';
import type { Service } from '../../service/service.ts';
import { sessionOfRequest } from '../middleware/authenticate.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';
import { type AdminParts, adminRoute } from './admin-route.ts';

const LINES = 'application/x-ndjson';

type ImportParts = AdminParts & { readonly service: Pick<Service, 'importRows'> };

export async function importRowsRoute(app: FastifyInstance, parts: ImportParts, settings: HttpSettings): Promise<void> {
  // A context of its own, whose bodies are not text and have another limit.
  await app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: settings.maxImportBytes },
      (_request, body, done) => done(null, body),
    );
    const { onRequest, respond } = adminRoute(parts, settings);
    routes.post('/v1/import_rows', { onRequest, bodyLimit: settings.maxImportBytes }, (request, reply) =>
      respond(request, reply, async () => {
        const { args: first, rows } = readImportBody(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
        const args = readArguments(ImportRows, first);
        const closed = new Cancellation();
        reply.raw.once('close', () => closed.abort());
        const errors: RowError[] = [];
        const run = async (onProgress: (processed: number) => void) => {
          const session = await sessionOfRequest(request, settings);
          const author = authorOf(request.headers, session, settings.session);
          const origin = { signal: closed, span: request.span, address: request.ip, requestId: request.id, author };
          const onRowError = (error: RowError) => errors.push(error);
          return parts.service.importRows({ args, rows, onProgress, onRowError }, session, origin);
        };
        /** Returns the body for an error, with the rows that cause it. */
        const rejected = (thrown: unknown) => {
          const role = request.session?.role;
          const error = toServiceError(thrown);
          parts.observe({ kind: 'refused', error, requestId: request.id, role, span: request.span });
          const body = { ...errorBody(error, showsInternal(settings, role)), ...(errors.length > 0 && { errors }) };
          return { status: error.status, body };
        };
        if (!acceptsLines(request)) {
          try {
            return reply.send(await run(() => undefined));
          } catch (thrown) {
            const { status, body } = rejected(thrown);
            return reply.code(status).type('application/json; charset=utf-8').send(printJson(body));
          }
        }
        const lines = new PassThrough();
        const write = (line: unknown) => lines.write(`${printJson(line)}\n`);
        void run((processed) => write({ processed } satisfies ImportLine))
          .then(write, (thrown) => write(rejected(thrown).body))
          .finally(() => lines.end());
        // Proxies such as nginx would deliver the progress at the end.
        return reply.type(LINES).header('x-accel-buffering', 'no').send(lines);
      }),
    );
  });
}

function acceptsLines({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes(LINES) === true;
}
