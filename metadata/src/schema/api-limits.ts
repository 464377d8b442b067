/** API limits by role, and the roles without introspection. */
import { z } from 'zod';
import { RoleName } from '../names.ts';

const count = z.int().min(1);

/** `global` applies to every role that `per_role` does not name. */
function byRole<Value extends z.ZodType>(value: Value) {
  return z.strictObject({ global: value, per_role: z.record(RoleName, value).optional() });
}

export const RateLimit = z.strictObject({
  /** Session variables, or the IP address, that identify a caller. Absent: all callers of the role share one rate. */
  unique_params: z.union([z.literal('IP'), z.array(z.string().min(1)).min(1)]).nullish(),
  max_reqs_per_min: count,
});
export type RateLimit = z.infer<typeof RateLimit>;

export const ApiLimits = z.strictObject({
  /** Stores the limits without enforcing them. */
  disabled: z.boolean().optional(),
  depth_limit: byRole(count).optional(),
  node_limit: byRole(count).optional(),
  batch_limit: byRole(count).optional(),
  /** Rows of one list in the result of a query or subscription. */
  row_limit: byRole(count).optional(),
  /** Seconds. */
  time_limit: byRole(z.number().positive()).optional(),
  rate_limit: byRole(RateLimit).optional(),
});
export type ApiLimits = z.infer<typeof ApiLimits>;

export const IntrospectionOptions = z.strictObject({ disabled_for_roles: z.array(RoleName) });
export type IntrospectionOptions = z.infer<typeof IntrospectionOptions>;
