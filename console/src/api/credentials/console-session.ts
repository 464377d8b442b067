/** The session of a user who signed in with the OpenID Connect provider of the service. All functions throw Failure. */
import { receive } from '../client.ts';
import { rejectionOf } from '../failure.ts';
import { sessionHeader } from './console-session-header.ts';

export interface ConsoleSession {
  /** The e-mail address or the subject; null without a session. */
  readonly user: string | null;
  /** Why the last attempt to sign in failed. The service returns it once. */
  readonly error?: string;
}

export async function readConsoleSession(signal?: AbortSignal): Promise<ConsoleSession> {
  const { status, body } = await receive('/console/oidc/session', {
    credentials: 'same-origin',
    signal: signal ?? null,
  });
  if (status !== 200) throw rejectionOf(status, body);
  return body as ConsoleSession;
}

/** Ends the session in this browser. The provider keeps its own. */
export async function endConsoleSession(): Promise<void> {
  const { status, body } = await receive('/console/oidc/logout', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { [sessionHeader.name]: sessionHeader.value },
  });
  if (status !== 200) throw rejectionOf(status, body);
}

/** The address that leads to the provider, and from there to `path`. */
export function signInAddress(path: string): string {
  return `/console/oidc/login?return=${encodeURIComponent(path)}`;
}
