/** Counted traffic of the service: ranges, the query, and figures of it. */
import type { TrafficFigures, TrafficHistory, TrafficKind } from '@joinery/metadata/api/events/traffic';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { adaptiveInterval, type Timed, timed } from '../../api/polling.ts';

export const trafficRanges = [
  { value: '1h', label: '1 hour', seconds: 3_600 },
  { value: '6h', label: '6 hours', seconds: 6 * 3_600 },
  { value: '24h', label: '24 hours', seconds: 86_400 },
  { value: '7d', label: '7 days', seconds: 7 * 86_400 },
  { value: '30d', label: '30 days', seconds: 30 * 86_400 },
] as const;
export type TrafficRange = (typeof trafficRanges)[number]['value'];

export interface TrafficSelection {
  readonly range: TrafficRange;
  readonly kinds?: readonly TrafficKind[] | undefined;
  readonly destination?: string | undefined;
}

/** Reads the traffic of the range that ends now, at intervals. */
export function useTraffic({ range, kinds, destination }: TrafficSelection): UseQueryResult<Timed<TrafficHistory>> {
  const client = useClient();
  const seconds = trafficRanges.find(({ value }) => value === range)?.seconds ?? 3_600;
  return useQuery({
    queryKey: ['delivery', 'traffic', range, kinds ?? null, destination ?? null],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - seconds * 1_000).toISOString();
      return timed(client.command('get_traffic_history', { from, kinds, destination }, { signal }));
    },
    refetchInterval: adaptiveInterval,
    placeholderData: keepPreviousData,
  });
}

/** Calls that failed, and events that were too late to be called. */
export function failuresIn({ count, delivered, dead }: TrafficFigures): number {
  return count - delivered + dead;
}

/** The share of failures, from 0 to 1; 0 without traffic. */
export function failureShare(figures: TrafficFigures): number {
  const all = figures.count + figures.dead;
  return all === 0 ? 0 : failuresIn(figures) / all;
}

/** Formats `67 %`, `0.3 %`, `< 0.1 %`. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)} %`;
}

/** Formats milliseconds to three digits: `0.25 ms`, `20.1 ms`, `3.52 s`. */
export function latencyText(milliseconds: number): string {
  if (milliseconds >= 1_000) return `${Number((milliseconds / 1_000).toPrecision(3))} s`;
  return `${Number(milliseconds.toPrecision(3))} ms`;
}
