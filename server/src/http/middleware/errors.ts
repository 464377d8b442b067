/** Responses for unknown endpoints and for errors outside the routes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorBody, errorCodes, ServiceError, toServiceError } from '../../base/errors.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';

export function handleErrors(app: FastifyInstance, settings: HttpSettings, observe: Observe): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown, request);
    observe({ kind: 'refused', requestId: request.id, error, span: request.span });
    return reply
      .code(error.status)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(error, showsInternal(settings, undefined))));
  });
  app.setNotFoundHandler((request, reply) => {
    const error = new ServiceError('not-found', `there is no endpoint ${request.method} ${request.url.split('?')[0]}`);
    return reply
      .code(error.status)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(error, false)));
  });
}

/** Responds to a request whose URL is malformed, before routing. */
export function handleMalformedUrl(thrown: Error, _request: FastifyRequest, reply: FastifyReply): void {
  const error = new ServiceError('bad-request', thrown.message);
  reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(error, false)));
}

/** Converts errors of Fastify, such as a body that is too large, by their status. */
function fromFastify(thrown: unknown, request: FastifyRequest): ServiceError {
  if (thrown instanceof ServiceError || !(thrown instanceof Error)) return toServiceError(thrown);
  const status = (thrown as { statusCode?: number }).statusCode;
  if (status === 413) {
    const setting =
      request.routeOptions.url === '/v1/import_rows' ? 'JOINERY_MAX_IMPORT_BYTES' : 'JOINERY_MAX_BODY_BYTES';
    return new ServiceError('payload-too-large', `the request body is larger than ${setting} allows`);
  }
  if (status !== undefined && status < errorCodes.unexpected.status) {
    return new ServiceError('bad-request', thrown.message, { status });
  }
  return toServiceError(thrown);
}
