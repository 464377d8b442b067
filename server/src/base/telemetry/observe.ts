/** The observations for log, metrics and recent errors, as one union. */

import type { ServiceError } from '../errors.ts';
import type { Span } from './trace.ts';

/** The trace of what is observed. */
interface Traced {
  readonly span?: Span | undefined;
}

export type Observation =
  | { readonly kind: 'started'; readonly url: string; readonly version: string; readonly startMs: number }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'metadata-changed';
      readonly version: number;
      readonly inconsistencies: number;
      readonly durationMs: number;
    }
  | (Traced & {
      readonly kind: 'request';
      readonly method: string;
      /** The route, not the URL: `/v1/graphql`. */
      readonly path: string;
      readonly status: number;
      readonly requestId: string;
      readonly durationMs: number;
    })
  /** An error that was returned to a caller. */
  | (Traced & {
      readonly kind: 'refused';
      readonly requestId: string;
      readonly error: ServiceError;
      /** The role of the caller, where known. */
      readonly role?: string | undefined;
    })
  | OperationObservation
  /** An operation beyond a limit of the metadata that is not enforced. */
  | {
      readonly kind: 'limit-exceeded';
      readonly limit: string;
      readonly role: string;
      /** The limit. */
      readonly most: number;
      readonly value: number;
      /** The name and the hash of the operation; undefined for rates and batches. */
      readonly name: string | undefined;
      readonly hash: string | undefined;
      /** Whether the limit was exceeded by the role in the same minute before. */
      readonly repeated: boolean;
    }
  /** One SQL statement, or a failed wait for its connection. */
  | (Traced & {
      readonly kind: 'statement';
      readonly pool: string;
      readonly text: string;
      readonly durationMs: number;
      readonly failed: boolean;
    })
  /** One call of a handler, remote schema or webhook. */
  | (Traced & {
      readonly kind: 'call';
      readonly purpose: CallPurpose;
      /** The status class, such as `2xx`, or why there was no response. */
      readonly outcome: string;
      readonly durationMs: number;
    })
  | { readonly kind: 'failure'; readonly where: string; readonly error: unknown }
  | {
      readonly kind: 'note';
      readonly level: 'debug' | 'info' | 'warn';
      readonly where: string;
      readonly message: string;
    };

/** One GraphQL operation over HTTP or a websocket; for a subscription, its start. */
export interface OperationObservation extends Traced {
  readonly kind: 'operation';
  readonly requestId: string;
  readonly role: string;
  /** `unknown` for an operation that failed before it was parsed. */
  readonly type: 'query' | 'mutation' | 'subscription' | 'unknown';
  /** Undefined for an anonymous operation. */
  readonly name: string | undefined;
  /** Returns the hash of the document, sixteen hexadecimal digits. */
  readonly hash: () => string;
  /** Returns the hash of the plan without values, sixteen hexadecimal digits; undefined without a plan. */
  readonly planHash: () => string | undefined;
  /** The code of the error that failed the operation. */
  readonly code: string | undefined;
  readonly durationMs: number;
  /** Characters of the response. */
  readonly length: number;
  /** The document. */
  readonly query: () => string;
}

/** The receiver of a call. */
export interface CallPurpose {
  readonly kind: 'action' | 'remote-schema' | 'event' | 'auth-hook' | 'key-set' | 'sign-in' | 'input-check' | 'other';
  /** The name of the action or remote schema; empty for other kinds. */
  readonly name: string;
}

export type Observe = (observation: Observation) => void;

/** Ignores observations, for parts that run without a service. */
export const silent: Observe = () => undefined;
