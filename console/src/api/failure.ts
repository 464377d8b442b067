/** Why a request failed: an error of the service, or no response. */

interface FailureDetails {
  /** An error code of the service, `unreachable`, or `unreadable`. */
  readonly code: string;
  readonly message: string;
  /** JSON path into the request. */
  readonly path?: string;
  /** HTTP status. Undefined when there was no response. */
  readonly status?: number;
  readonly internal?: unknown;
}

export class Failure extends Error {
  readonly code: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly internal: unknown;

  constructor(details: FailureDetails, cause?: unknown) {
    super(details.message, { cause });
    this.name = 'Failure';
    this.code = details.code;
    this.path = details.path ?? '$';
    this.status = details.status;
    this.internal = details.internal;
  }
}

/** Converts any thrown value to a Failure. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure({ code: 'unexpected', message }, thrown);
}

/** Converts an error response of the metadata API to a Failure. */
export function rejectionOf(status: number, body: unknown): Failure {
  const json = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  if (typeof json.error !== 'string') return unreadable(status);
  return new Failure({
    code: typeof json.code === 'string' ? json.code : 'unexpected',
    message: json.error,
    path: typeof json.path === 'string' ? json.path : '$',
    status,
    internal: json.internal,
  });
}

export function unreadable(status: number): Failure {
  const message = `The response (status ${status}) is not from this service.`;
  return new Failure({ code: 'unreadable', message, status });
}

export function unreachable(cause: unknown): Failure {
  return new Failure({ code: 'unreachable', message: 'The service is unreachable.' }, cause);
}

const hints: Readonly<Record<string, string>> = {
  unreachable: 'Check that it runs and that this machine can reach it. The console retries automatically.',
  unreadable: 'The response comes from something between the console and the service, such as a proxy.',
  'access-denied': 'Sign in again with the admin secret that the service was started with.',
  'not-found':
    'This node may not serve the metadata API: see JOINERY_COMPONENTS and JOINERY_ENABLED_APIS of the service.',
  busy: 'Its database is not reachable, or it is shutting down; /readyz reports when it is ready. The console retries automatically.',
  timeout: 'Request fewer rows, or raise the limit.',
  unexpected: 'The log of the service has the details.',
};

/** Returns what to do next. Undefined when the message says it already. */
export function hintOf(failure: Failure): string | undefined {
  return hints[failure.code];
}
