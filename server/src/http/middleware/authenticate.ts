/** Authentication of HTTP requests by their headers, before their bodies are read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../auth/session.ts';
import type { HttpSettings } from '../settings.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the request's headers, on routes that authenticate before the body is read. */
    session: Session | undefined;
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Adds the member `session` to requests. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('session', undefined);
}

/**
 * Returns an `onRequest` hook that authenticates the request. `reject` sends the response for an error, and the body is
 * discarded. `check` may throw an error for the session.
 */
export function authenticateBeforeBody(
  settings: HttpSettings,
  reject: (request: FastifyRequest, reply: FastifyReply, error: unknown) => void,
  check: (session: Session) => void = () => undefined,
): Hook {
  return (request, reply, done) => {
    const setSession = (session: Session) => {
      request.session = session;
      check(session);
    };
    const fail = (error: unknown) => reject(request, reply, error);
    try {
      const session = settings.authenticate(request.headers, undefined, request.span);
      // Most sessions are available synchronously. Awaiting would make every request slower.
      if (session instanceof Promise) {
        void session.then(setSession).then(done, fail);
        return;
      }
      setSession(session);
    } catch (error) {
      fail(error);
      return;
    }
    done();
  };
}

/** Returns the session of `authenticateBeforeBody`, or authenticates a request whose session depends on its body. */
export function sessionOfRequest(
  request: FastifyRequest,
  settings: HttpSettings,
  body?: string,
): Session | Promise<Session> {
  return request.session ?? settings.authenticate(request.headers, body, request.span);
}

/** Adds the cookies of the authentication webhook to a successful response. */
export function sendCookies(reply: FastifyReply, { cookies }: Session): void {
  // Fastify appends values of this header.
  if (cookies !== undefined) reply.header('set-cookie', [...cookies]);
}
