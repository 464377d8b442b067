/** The sign-in to the console by OpenID Connect, under `/console/oidc`. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { CONSOLE_HEADER } from '../../auth/console/console-header.ts';
import type { ConsoleSignIn, SignInStep } from '../../auth/console/console-sign-in.ts';
import { ServiceError, toServiceError } from '../../base/errors.ts';
import type { Observe } from '../../base/telemetry/observe.ts';

/**
 * Registers the routes. `login` and `callback` are pages that redirect; an error leads to the sign-in page, which reads its
 * message from `session`. `session` and `logout` serve the scripts of the console only.
 */
export function consoleSignInRoutes(
  app: FastifyInstance,
  signIn: ConsoleSignIn,
  { observe }: { readonly observe: Observe },
): void {
  const redirect = async (
    reply: FastifyReply,
    requestId: string,
    step: () => Promise<SignInStep>,
  ): Promise<FastifyReply> => {
    const { location, cookies } = await step().catch(async (thrown): Promise<SignInStep> => {
      const error = toServiceError(thrown);
      observe({ kind: 'refused', requestId, error });
      return { location: '/console', cookies: [await signIn.fail(error.message)] };
    });
    return notStored(reply)
      .header('set-cookie', [...cookies])
      .redirect(location);
  };

  app.get('/console/oidc/login', (request, reply) => {
    const { return: returnTo } = request.query as Readonly<Record<string, unknown>>;
    return redirect(reply, request.id, () => signIn.begin(typeof returnTo === 'string' ? returnTo : '/console'));
  });

  app.get('/console/oidc/callback', (request, reply) => {
    const [, query = ''] = /\?(.*)$/.exec(request.url) ?? [];
    return redirect(reply, request.id, () => signIn.finish(request.headers, `?${query}`));
  });

  app.get('/console/oidc/session', async (request, reply) => {
    const user = await signIn.sessions.user(request.headers);
    if (user !== undefined) {
      return notStored(reply).send({ user: user.name, expires_at: new Date(user.expiresAt).toISOString() });
    }
    const error = await signIn.failure(request.headers);
    return notStored(reply).send({ user: null, ...(error !== undefined && { error }) });
  });

  app.post('/console/oidc/logout', async (request, reply) => {
    if (request.sender !== 'own' || request.headers[CONSOLE_HEADER] === undefined) {
      throw new ServiceError('access-denied', 'only the console may sign out', { status: 403 });
    }
    return notStored(reply)
      .header('set-cookie', signIn.cookies.print('session', '', 0))
      .send({});
  });
}

/** No cache stores who signs in, and no address with a code is sent to another site. */
function notStored(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
}
