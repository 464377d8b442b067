/** Commands for the destinations of events: concurrency, rate limits, pauses and circuit breakers. */
import { z } from 'zod';
import { isTargetDestination } from '../../schema/events/targets.ts';

/** An origin, such as `https://api.example.com` or `http://10.0.0.7:8080`; or the name of a target, such as `operation:shop.pay`. */
const destination = z
  .string()
  .max(2_000)
  .refine((text) => originOf(text) !== undefined, {
    message:
      'must be scheme, host and port of an http or https URL, such as https://api.example.com, or operation:<collection>.<name>, or function:<source>.<schema>.<name>',
  })
  .transform((text) => originOf(text) ?? text);

/** Returns the normalized origin; undefined for a URL with a path, since limits apply to whole origins. */
function originOf(text: string): string | undefined {
  if (isTargetDestination(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href === `${url.origin}/` ? url.origin : undefined;
}

export const GetEventDestinations = z.strictObject({});

export const SetEventDestination = z
  .strictObject({
    destination,
    /** Concurrent calls of all nodes together. Null: the default of each node. Absent: unchanged. */
    concurrency: z.int().min(1).max(100_000).nullable().optional(),
    /** Calls started per second by all nodes together. Null: no limit. Absent: unchanged. */
    rate_per_second: z.number().positive().max(100_000).nullable().optional(),
    /** Absent: unchanged. */
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
export type EventDestinationName = z.infer<typeof EventDestinationName>;

/** A circuit breaker: `open` while calls fail, with a probe at `probe_at`. */
export type Circuit =
  | { readonly state: 'closed' }
  | {
      readonly state: 'open';
      readonly opened_at: string;
      readonly probe_at: string;
      readonly failed_probes: number;
      readonly reason: string;
    };

/** A destination with settings or with an open circuit. */
export interface EventDestination {
  readonly destination: string;
  readonly concurrency: number | null;
  readonly rate_per_second: number | null;
  readonly paused: boolean;
  readonly circuit: Circuit;
}

export interface EventDestinations {
  readonly destinations: readonly EventDestination[];
}
