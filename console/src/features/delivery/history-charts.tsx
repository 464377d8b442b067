/** The charts of the delivery page: calls by outcome, duration, lateness and backlog of the chosen range. */
import type { TrafficHistory, TrafficPeriod } from '@joinery/metadata/api/events/traffic';
import { failureShare, failuresIn, latencyText, percentText } from '../../shared/traffic/traffic.ts';
import { counted } from '../../ui/format.ts';
import { durationOf } from '../../ui/time/times.ts';
import classes from './delivery.module.css';
import { type ChartSeries, HistoryChart } from './history-chart.tsx';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

const outcomes = [
  { name: 'delivered', label: 'Delivered', color: 'teal.6' },
  { name: 'retried', label: 'Retried', color: 'yellow.6' },
  { name: 'failed', label: 'Failed', color: 'red.6' },
  { name: 'dead', label: 'Dead', color: 'gray.6' },
] as const;

const shares = [
  { name: 'p50', label: 'p50', color: 'teal.6' },
  { name: 'p95', label: 'p95', color: 'yellow.6' },
  { name: 'p99', label: 'p99', color: 'red.6' },
] as const;

function percentileSeries(
  periods: readonly TrafficPeriod[],
  of: 'duration_ms' | 'lateness_ms',
): readonly ChartSeries[] {
  return shares.map((share) => ({ ...share, values: periods.map((period) => period[of]?.[share.name] ?? null) }));
}

const p95 = (percentiles: { readonly p95: number } | null): string =>
  percentiles === null ? 'No call' : `p95 ${latencyText(percentiles.p95)}`;

export function HistoryCharts({ history }: { readonly history: TrafficHistory }) {
  const { periods, total, period_seconds } = history;
  const format = period_seconds < 3_600 ? clock : dayAndClock;
  const times = periods.map(({ at }) => format.format(Date.parse(at)));
  const failed = failuresIn(total);
  const empty = 'No call in this range.';
  return (
    <div className={classes.charts}>
      <HistoryChart
        title={`Calls in each ${durationOf(period_seconds).replace(/^1 /, '')}`}
        value={`${counted(total.count, 'call')}, ${failed === 0 ? 'none failed' : `${failed.toLocaleString('en')} failed (${percentText(failureShare(total))})`}`}
        form="bars"
        times={times}
        series={outcomes.map((outcome) => ({ ...outcome, values: periods.map((period) => period[outcome.name]) }))}
        print={(value) => value.toLocaleString('en')}
        empty={empty}
      />
      <HistoryChart
        title="Duration of calls"
        value={p95(total.duration_ms)}
        form="lines"
        times={times}
        series={percentileSeries(periods, 'duration_ms')}
        print={latencyText}
        empty={empty}
      />
      <HistoryChart
        title="Lateness of calls"
        value={p95(total.lateness_ms)}
        form="lines"
        times={times}
        series={percentileSeries(periods, 'lateness_ms')}
        print={latencyText}
        empty={empty}
      />
      <HistoryChart
        title="Backlog: due events that wait"
        value={
          total.backlog === 0
            ? 'None'
            : `At most ${total.backlog.toLocaleString('en')}, for ${durationOf(total.backlog_seconds)}`
        }
        form="bars"
        times={times}
        series={[{ name: 'backlog', label: 'Events', color: 'blue.6', values: periods.map(({ backlog }) => backlog) }]}
        print={(value) => value.toLocaleString('en')}
        empty="No event waited in this range."
      />
    </div>
  );
}
