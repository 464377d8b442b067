/** Merges destinations with recent requests and those with settings. Pure. */
import type { EventDestination } from '@joinery/metadata/api/events/destinations';
import type { CallStats, ScheduledEventStats } from '@joinery/metadata/api/events/lists';

export interface Destination {
  readonly name: string;
  /** Undefined without recent requests. */
  readonly calls: CallStats | undefined;
  /** Undefined with default settings. */
  readonly settings: EventDestination | undefined;
}

/** Returns the destinations, those with the most requests first. */
export function destinationsOf(
  stats: ScheduledEventStats | undefined,
  settings: readonly EventDestination[],
): readonly Destination[] {
  const calls = new Map(stats?.destinations.map((one) => [one.destination, one]));
  const set = new Map(settings.map((one) => [one.destination, one]));
  const names = new Set([...calls.keys(), ...set.keys()]);
  return [...names]
    .map((name) => ({ name, calls: calls.get(name), settings: set.get(name) }))
    .sort((one, other) => (other.calls?.count ?? 0) - (one.calls?.count ?? 0) || one.name.localeCompare(other.name));
}

/** A sample of the statistics. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly perSecond: number;
  /** Undefined without requests. */
  readonly latenessMs: number | undefined;
}

/** Maximum number of samples. */
const MAX_ENTRIES = 75;

export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return samples.at(-1)?.at === sample.at ? samples : [...samples, sample].slice(-MAX_ENTRIES);
}

/** A point of a line. Null makes a gap. */
export interface Point {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number | null;
}

/** Returns the points of a line. */
export function pointsOf(samples: readonly Sample[], of: (sample: Sample) => number | undefined): readonly Point[] {
  return samples.map((sample) => ({ at: sample.at, value: of(sample) ?? null }));
}
