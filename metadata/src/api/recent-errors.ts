/** The arguments of the command that lists what was refused. */
import { z } from 'zod';

export const GetRecentErrors = z.strictObject({
  /** Only those with this code. */
  code: z.string().optional(),
  limit: z.int().min(1).max(500).default(100),
});
