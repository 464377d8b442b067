/** The arguments of the commands for destinations of events. */
import { z } from 'zod';

/** Scheme, host and port as a URL has them: `https://api.example.com`, `http://10.0.0.7:8080`. */
const destination = z
  .string()
  .max(2_000)
  .refine((text) => originOf(text) !== undefined, {
    message: 'must be scheme, host and port of an http or https URL, such as https://api.example.com',
  })
  .transform((text) => originOf(text) ?? text);

/** In the one way of writing it. A path would promise what cannot be kept: destinations are hosts. */
function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href === `${url.origin}/` ? url.origin : undefined;
}

export const GetEventDestinations = z.strictObject({});

export const SetEventDestination = z
  .strictObject({
    destination,
    /** Calls at the same time, of all nodes together. Null: the default of each node. Left out: as it was. */
    concurrency: z.int().min(1).max(100_000).nullable().optional(),
    /** Calls started in a second, by all nodes together. Null: no limit. Left out: as it was. */
    rate_per_second: z.number().positive().max(100_000).nullable().optional(),
    /** Left out: as it was. */
    paused: z.boolean().optional(),
  })
  .refine(({ concurrency, rate_per_second, paused }) => [concurrency, rate_per_second, paused].some(isGiven), {
    message: 'needs at least one of concurrency, rate_per_second and paused',
  });
export type SetEventDestination = z.infer<typeof SetEventDestination>;

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

export const EventDestinationName = z.strictObject({ destination });
