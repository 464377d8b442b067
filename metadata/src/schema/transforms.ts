/** Transforms of requests and responses of webhooks by Kriti templates, as written. Templates are strings. */
import { z } from 'zod';
import { headerName } from './headers.ts';

const template = z.string();
const engine = z.literal('Kriti').optional();

/** A body in version 2; in version 1 a body is a template. */
export const BodyTransform = z.union([
  z.strictObject({ action: z.literal('remove') }),
  z.strictObject({ action: z.literal('transform'), template }),
  z.strictObject({ action: z.literal('x_www_form_urlencoded'), form_template: z.record(z.string(), template) }),
]);
export type BodyTransform = z.infer<typeof BodyTransform>;

const versioned = {
  /** Default 1. */
  version: z.literal([1, 2]).optional(),
  body: z.union([template, BodyTransform]).nullish(),
};

function bodyOfItsVersion(
  { version = 1, body }: { readonly version?: number | undefined; readonly body?: unknown },
  context: z.RefinementCtx,
): void {
  if (body === null || body === undefined || (typeof body === 'string') === (version === 1)) return;
  const message = version === 1 ? 'must be a template; with "version": 2 it is an object' : 'must be { "action", ... }';
  context.addIssue({ code: 'custom', path: ['body'], message });
}

const method = z.string().regex(/^(GET|POST|PUT|PATCH|DELETE)$/i, 'must be GET, POST, PUT, PATCH or DELETE');

const request = {
  method: method.nullish(),
  url: template.nullish(),
  /** A template for the query string, or one per parameter; null writes the parameter without `=`. */
  query_params: z.union([template, z.record(z.string(), template.nullable())]).nullish(),
  content_type: z.enum(['application/json', 'application/x-www-form-urlencoded']).nullish(),
  request_headers: z
    .strictObject({
      add_headers: z.record(headerName, template).nullish(),
      remove_headers: z.array(headerName).nullish(),
    })
    .nullish(),
  template_engine: engine,
};

export const RequestTransform = z.strictObject({ ...versioned, ...request }).superRefine(bodyOfItsVersion);
export type RequestTransform = z.infer<typeof RequestTransform>;

/** Transform of the body of a response that is only logged. */
export const LoggedResponseTransform = z
  .strictObject({ ...versioned, template_engine: engine })
  .superRefine(bodyOfItsVersion);
export type LoggedResponseTransform = z.infer<typeof LoggedResponseTransform>;

const status = z.union([
  z.int().min(300).max(599),
  z.string().regex(/^[345]xx$/, 'must be a status from 300 on, or one of "3xx", "4xx" and "5xx"'),
]);

/** Transform of error responses; the first entry with the status applies. */
export const ErrorTransform = z.strictObject({
  status: z.union([status, z.array(status).min(1)]),
  body: z.strictObject({ action: z.literal('transform'), template }),
});
export type ErrorTransform = z.infer<typeof ErrorTransform>;

const response = { template_engine: engine, errors: z.array(ErrorTransform).optional() };

export const ResponseTransform = z.strictObject({ ...versioned, ...response }).superRefine(bodyOfItsVersion);
export type ResponseTransform = z.infer<typeof ResponseTransform>;
