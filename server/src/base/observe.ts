/** Everything worth telling an operator, as one union. `log.ts` alone decides what is printed and what is masked. */

import type { ServiceError } from './errors.ts';

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
  | { readonly kind: 'refused'; readonly requestId: string; readonly error: ServiceError }
  | { readonly kind: 'failure'; readonly where: string; readonly error: unknown }
  | {
      readonly kind: 'note';
      readonly level: 'debug' | 'info' | 'warn';
      readonly where: string;
      readonly message: string;
    };

export type Observe = (observation: Observation) => void;

/** For parts that run without a service, such as a tool. */
export const silent: Observe = () => undefined;
