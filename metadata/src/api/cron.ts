/** The arguments of the command that looks at a schedule before a trigger is made of it. */
import { z } from 'zod';

export const PreviewCronSchedule = z.strictObject({
  schedule: z.string(),
  timezone: z.string().nullish(),
  /** So many of the next times. */
  limit: z.int().min(1).max(100).default(10),
});
export type PreviewCronSchedule = z.infer<typeof PreviewCronSchedule>;
