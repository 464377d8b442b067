/** `test_webhook_transform`: applies a transform to a synthetic request. */
import { z } from 'zod';
import { headerName } from '../schema/headers.ts';
import { RequestTransform, ResponseTransform } from '../schema/transforms.ts';

export const TestWebhookTransform = z.strictObject({
  webhook_url: z.union([z.string(), z.strictObject({ from_env: z.string().min(1) })]),
  body: z.unknown(),
  /** Replaces the environment of the service, which is not shown to callers. */
  env: z.record(z.string(), z.string()).nullish(),
  request_headers: z.array(z.tuple([headerName, z.string()])).nullish(),
  session_variables: z.record(z.string(), z.string()).nullish(),
  request_transform: RequestTransform,
  response_transform: ResponseTransform.nullish(),
  /** A response to apply the response transform to. */
  response: z.strictObject({ status: z.int().min(100).max(599).default(200), body: z.unknown() }).optional(),
});
export type TestWebhookTransform = z.infer<typeof TestWebhookTransform>;

/** The request that `test_webhook_transform` built, and the transformed response where one was given. */
export interface TestedTransform {
  readonly webhook_url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON, a form as text, or null for no body. */
  readonly body: unknown;
  readonly response?: { readonly status: number; readonly body: unknown };
}
