/** Everything worth telling an operator, as one union. `log.ts` alone decides what is printed and what is masked. */

export type Observation =
  | { readonly kind: 'started'; readonly url: string; readonly version: string; readonly startMs: number }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly requestId: string;
      readonly durationMs: number;
      readonly role: string | undefined;
      readonly operation: string | undefined;
      readonly errorCode: string | undefined;
    }
  | {
      readonly kind: 'metadata-changed';
      readonly version: number;
      readonly inconsistencies: number;
      readonly durationMs: number;
    }
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
