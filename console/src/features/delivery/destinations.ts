/** Merges destinations with traffic and those with settings. Pure. */
import type { EventDestination } from '@joinery/metadata/api/events/destinations';
import type { TrafficDestination } from '@joinery/metadata/api/events/traffic';
import { isTargetDestination } from '@joinery/metadata/schema/events/targets';

export interface Destination {
  readonly name: string;
  /** Undefined without traffic in the range. */
  readonly traffic: TrafficDestination | undefined;
  /** Undefined with default settings. */
  readonly settings: EventDestination | undefined;
}

/**
 * Returns the destinations, those with the most calls first.
 *
 * @param recent names of destinations that were called in the last minute, which may not be counted yet
 */
export function destinationsOf(
  traffic: readonly TrafficDestination[],
  settings: readonly EventDestination[],
  recent: readonly string[],
): readonly Destination[] {
  const counted = new Map(traffic.map((one) => [one.destination, one]));
  const set = new Map(settings.map((one) => [one.destination, one]));
  // A name with a template is that of a destination that is counted with the value of the variable.
  const names = new Set([...counted.keys(), ...set.keys(), ...recent.filter((name) => !name.includes('{{'))]);
  return [...names]
    .map((name) => ({ name, traffic: counted.get(name), settings: set.get(name) }))
    .sort(
      (one, other) => (other.traffic?.count ?? 0) - (one.traffic?.count ?? 0) || one.name.localeCompare(other.name),
    );
}

/** Whether limits can be set and calls be paused: not for actions, and not for the sum of `other` destinations. */
export function hasLimits(name: string): boolean {
  return URL.canParse(name) || isTargetDestination(name);
}
