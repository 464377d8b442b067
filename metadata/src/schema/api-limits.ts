/** What a caller may cost, by role; and for whom the schema is not to be read. */
import { z } from 'zod';
import { RoleName } from '../names.ts';

const count = z.int().min(1);

/** `global` holds for every role that `per_role` does not name. */
function byRole<Value extends z.ZodType>(value: Value) {
  return z.strictObject({ global: value, per_role: z.record(RoleName, value).optional() });
}

export const RateLimit = z.strictObject({
  /** Callers that differ in these have rates of their own; without it all callers of the role share one. */
  unique_params: z.union([z.literal('IP'), z.array(z.string().min(1)).min(1)]).nullish(),
  max_reqs_per_min: count,
});
export type RateLimit = z.infer<typeof RateLimit>;

export const ApiLimits = z.strictObject({
  /** Kept, and not in force. */
  disabled: z.boolean().optional(),
  depth_limit: byRole(count).optional(),
  node_limit: byRole(count).optional(),
  batch_limit: byRole(count).optional(),
  /** Of one list in the answer of a query or a live query. */
  row_limit: byRole(count).optional(),
  /** Seconds. */
  time_limit: byRole(count).optional(),
  rate_limit: byRole(RateLimit).optional(),
});
export type ApiLimits = z.infer<typeof ApiLimits>;

export const IntrospectionOptions = z.strictObject({ disabled_for_roles: z.array(RoleName) });
export type IntrospectionOptions = z.infer<typeof IntrospectionOptions>;
