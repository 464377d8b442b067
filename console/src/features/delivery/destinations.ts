/** Destinations that were called, and those with settings, as one list. Pure. */
import type { Calls, Settings, Stats } from './delivery-api.ts';

export interface Destination {
  readonly name: string;
  /** Undefined where it was not called lately. */
  readonly calls: Calls | undefined;
  /** Undefined where everything is as by default. */
  readonly settings: Settings | undefined;
}

/** Those that were called the most first. */
export function destinationsOf(stats: Stats | undefined, settings: readonly Settings[]): readonly Destination[] {
  const calls = new Map(stats?.destinations.map((one) => [one.destination, one]));
  const set = new Map(settings.map((one) => [one.destination, one]));
  const names = new Set([...calls.keys(), ...set.keys()]);
  return [...names]
    .map((name) => ({ name, calls: calls.get(name), settings: set.get(name) }))
    .sort((one, other) => (other.calls?.count ?? 0) - (one.calls?.count ?? 0) || one.name.localeCompare(other.name));
}

/** A limit as typed: empty is none. Undefined where it is no number above zero. */
export function readLimit(text: string, whole: boolean): number | null | undefined {
  if (text.trim() === '') return null;
  const number = Number(text.trim());
  return number > 0 && (!whole || Number.isInteger(number)) ? number : undefined;
}

/** One look at how calls go. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly perSecond: number;
  /** Undefined where nothing was called. */
  readonly latenessMs: number | undefined;
}

/** So many looks are kept. */
const MAX_ENTRIES = 75;

export function withSample(looks: readonly Sample[], look: Sample): readonly Sample[] {
  return looks.at(-1)?.at === look.at ? looks : [...looks, look].slice(-MAX_ENTRIES);
}

/** One point of a line; null makes a gap. */
export interface Point {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number | null;
}

/** What a line shows of the looks. */
export function pointsOf(looks: readonly Sample[], of: (look: Sample) => number | undefined): readonly Point[] {
  return looks.map((look) => ({ at: look.at, value: of(look) ?? null }));
}
