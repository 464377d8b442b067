/** What is told of one GraphQL operation when it has ended: who, what, how long, how much, and what went wrong. */
import { createHash } from 'node:crypto';
import type { ServiceError } from '../../base/errors.ts';
import type { Observe, OperationObservation } from '../../base/telemetry/observe.ts';
import type { ExecuteSettings } from '../../execute/context/context.ts';
import { planHash } from '../../execute/explain/plan-hash.ts';
import type { PlannedOperation } from '../../plan/operation.ts';

interface Watched {
  readonly query: string;
  readonly operationName: string | undefined;
}

interface Caller {
  readonly requestId: string;
  readonly session: { readonly role: string };
}

interface Parts {
  readonly observe: Observe;
  readonly settings: ExecuteSettings;
}

export class OperationObserver {
  readonly #request: Watched;
  readonly #caller: Caller;
  readonly #observe: Observe;
  readonly #settings: ExecuteSettings;
  readonly #began = performance.now();
  #type: OperationObservation['type'] = 'unknown';
  #name: string | undefined;
  #planned: PlannedOperation | undefined;

  constructor(request: Watched, caller: Caller, { observe, settings }: Parts) {
    this.#request = request;
    this.#caller = caller;
    this.#observe = observe;
    this.#settings = settings;
    this.#name = request.operationName;
  }

  planned(planned: PlannedOperation): void {
    this.#planned = planned;
    this.#type = planned.plan.kind;
    this.#name = planned.plan.name;
  }

  /** `length` is that of the answer in characters; `error` what voided it. */
  ended(length: number, error?: ServiceError): void {
    const { query } = this.#request;
    this.#observe({
      kind: 'operation',
      requestId: this.#caller.requestId,
      role: this.#caller.session.role,
      type: this.#type,
      name: this.#name,
      code: error?.code,
      durationMs: performance.now() - this.#began,
      length,
      hash: () => this.#hash(),
      planHash: () =>
        this.#planned && planHash(this.#planned.plan, this.#planned.prepared, { settings: this.#settings }),
      query: () => query,
    });
  }

  #hash(): string {
    const document = this.#planned?.prepared.document;
    const known = document && hashes.get(document);
    if (known !== undefined) return known;
    const made = documentHash(this.#request.query).slice(0, 16);
    if (document !== undefined) hashes.set(document, made);
    return made;
  }
}

/** By the document that the text was read into, which is remembered for as long as its text is asked for. */
const hashes = new WeakMap<object, string>();

/** Sixty-four hexadecimal digits. */
export function documentHash(query: string): string {
  return createHash('sha256').update(query).digest('hex');
}
