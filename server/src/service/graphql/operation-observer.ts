/** Reports one GraphQL operation when it has ended: caller, operation, duration, size and error. */
import { createHash } from 'node:crypto';
import type { ServiceError } from '../../base/errors.ts';
import type { Observe, OperationObservation } from '../../base/telemetry/observe.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { ExecuteSettings } from '../../execute/context/context.ts';
import { planHash } from '../../execute/explain/plan-hash.ts';
import type { PlannedOperation } from '../../plan/operation.ts';

interface ObservedRequest {
  readonly query: string;
  readonly operationName: string | undefined;
}

interface Caller {
  readonly requestId: string;
  readonly session: { readonly role: string };
  readonly span?: Span | undefined;
}

interface Dependencies {
  readonly observe: Observe;
  readonly settings: ExecuteSettings;
}

export class OperationObserver {
  #request: ObservedRequest;
  readonly #caller: Caller;
  readonly #observe: Observe;
  readonly #settings: ExecuteSettings;
  readonly #began = performance.now();
  #planned: PlannedOperation | undefined;

  /** Starts the clock. */
  constructor(request: ObservedRequest, caller: Caller, { observe, settings }: Dependencies) {
    this.#request = request;
    this.#caller = caller;
    this.#observe = observe;
    this.#settings = settings;
  }

  parsing(request: ObservedRequest): void {
    this.#request = request;
  }

  planned(planned: PlannedOperation): void {
    this.#planned = planned;
  }

  /** `length` is that of the response in characters; `error` is that of an operation which failed as a whole. */
  ended(length: number, error?: ServiceError): void {
    const { query, operationName } = this.#request;
    const planned = this.#planned;
    const type: OperationObservation['type'] = planned?.plan.kind ?? 'unknown';
    this.#observe({
      kind: 'operation',
      requestId: this.#caller.requestId,
      role: this.#caller.session.role,
      type,
      name: planned === undefined ? operationName : planned.plan.name,
      code: error?.code,
      durationMs: performance.now() - this.#began,
      length,
      hash: () => hashOf(query, planned?.prepared.document),
      planHash: () => planned && planHash(planned.plan, planned.prepared, { settings: this.#settings }),
      query: () => query,
      span: this.#caller.span,
    });
  }
}

function hashOf(query: string, document: object | undefined): string {
  const known = document && hashes.get(document);
  if (known !== undefined) return known;
  const hash = documentHash(query).slice(0, 16);
  if (document !== undefined) hashes.set(document, hash);
  return hash;
}

/** By the parsed document, which is cached as long as requests use its text. */
const hashes = new WeakMap<object, string>();

/** SHA-256 of the text as sixty-four hexadecimal digits. */
export function documentHash(query: string): string {
  return createHash('sha256').update(query).digest('hex');
}
