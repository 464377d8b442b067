/** Everything worth telling an operator, as one union. `log.ts` alone decides what is printed and what is masked. */

import type { ServiceError } from '../errors.ts';

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
  | {
      readonly kind: 'request';
      readonly method: string;
      /** The route, not the URL: `/v1/graphql`. */
      readonly path: string;
      readonly status: number;
      readonly requestId: string;
      readonly durationMs: number;
    }
  /** An error that a caller was answered with. */
  | {
      readonly kind: 'refused';
      readonly requestId: string;
      readonly error: ServiceError;
      /** Of the caller, where it is known. */
      readonly role?: string | undefined;
    }
  | OperationObservation
  /** One SQL statement, or a wait for its connection that failed. */
  | {
      readonly kind: 'statement';
      readonly pool: string;
      readonly text: string;
      readonly durationMs: number;
      readonly failed: boolean;
    }
  /** One call of a handler, remote schema or webhook. */
  | {
      readonly kind: 'call';
      readonly purpose: CallPurpose;
      /** `2xx` and the like, or why there was no answer. */
      readonly outcome: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'failure'; readonly where: string; readonly error: unknown }
  | {
      readonly kind: 'note';
      readonly level: 'debug' | 'info' | 'warn';
      readonly where: string;
      readonly message: string;
    };

/** One GraphQL operation over HTTP or a socket; of a subscription, its beginning. */
export interface OperationObservation {
  readonly kind: 'operation';
  readonly requestId: string;
  readonly role: string;
  /** `unknown` for what did not get so far. */
  readonly type: 'query' | 'mutation' | 'subscription' | 'unknown';
  /** Undefined for an anonymous operation. */
  readonly name: string | undefined;
  /** Of the text of the document, as sixteen hexadecimal digits. */
  readonly hash: () => string;
  /** Of what is run, whatever the values, as sixteen hexadecimal digits; undefined for what did not get so far. */
  readonly planHash: () => string | undefined;
  /** The code of the error that voided the answer. */
  readonly code: string | undefined;
  readonly durationMs: number;
  /** Characters of the answer. */
  readonly length: number;
  /** The document. */
  readonly query: () => string;
}

/** Whom a call goes to. */
export interface CallPurpose {
  readonly kind: 'action' | 'remote-schema' | 'event' | 'auth-hook' | 'key-set' | 'input-check' | 'other';
  /** Of the action or remote schema; empty elsewhere. */
  readonly name: string;
}

export type Observe = (observation: Observation) => void;

/** For parts that run without a service, such as a tool. */
export const silent: Observe = () => undefined;
