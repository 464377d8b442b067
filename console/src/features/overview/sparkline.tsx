/** Small bars of the traffic of a range: failures above successes. Without a library, because the overview is the first page. */
import type { TrafficPeriod } from '@joinery/metadata/api/events/traffic';
import { failuresIn } from '../../shared/traffic/traffic.ts';
import classes from './metric-card.module.css';

const HEIGHT = 32;

/** The figures are beside it as text. */
export function Sparkline({ periods }: { readonly periods: readonly TrafficPeriod[] }) {
  const largest = Math.max(...periods.map(({ count, dead }) => count + dead), 1);
  const heightOf = (count: number): number => (count / largest) * HEIGHT;
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${periods.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {periods.map((period, index) => {
        const failed = heightOf(failuresIn(period));
        const delivered = heightOf(period.delivered);
        return (
          <g key={period.at}>
            <rect x={index} y={HEIGHT - delivered} width={0.8} height={delivered} className={classes.succeeded} />
            <rect x={index} y={HEIGHT - delivered - failed} width={0.8} height={failed} className={classes.failed} />
          </g>
        );
      })}
    </svg>
  );
}
