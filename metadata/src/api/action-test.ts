/** `test_action_handler`: calls the handler of an action, and returns what was sent and received. */
import { z } from 'zod';
import { ActionName } from '../names.ts';

export const TestActionHandler = z.strictObject({
  name: ActionName,
  /** The arguments of the action. */
  input: z.record(z.string(), z.unknown()).default({}),
  /** The session of the caller: admin without variables unless given. */
  session_variables: z.record(z.string(), z.string()).nullish(),
  /** Headers of the client, forwarded where the action forwards them. */
  client_headers: z.record(z.string(), z.string()).nullish(),
});
export type TestActionHandler = z.infer<typeof TestActionHandler>;

export interface ShownHeader {
  readonly name: string;
  /** `***` for the value of a variable of the environment, and for credentials. */
  readonly value: string;
}

export interface HandlerTest {
  /** The request after its transform. Variables of the environment are not shown. */
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly ShownHeader[];
    /** JSON, a form as text, or null for no body. */
    readonly body: unknown;
  };
  /** Null without a response before the timeout. */
  readonly response: {
    readonly status: number;
    readonly headers: readonly ShownHeader[];
    readonly body: unknown;
    readonly duration_ms: number;
  } | null;
  /** The value that the action returns, after the response transform. It is not checked against the output type. */
  readonly result?: unknown;
  /** Why the action has no result. */
  readonly error?: { readonly code: string; readonly message: string };
}
