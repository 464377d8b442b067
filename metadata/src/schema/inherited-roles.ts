/** Roles that may do what other roles may, as they are written. */
import { z } from 'zod';
import { RoleName } from '../names.ts';

export const InheritedRole = z.strictObject({
  role_name: RoleName,
  /** Its parents, which may be inherited roles themselves. */
  role_set: z.array(RoleName).min(1),
});
export type InheritedRole = z.infer<typeof InheritedRole>;
