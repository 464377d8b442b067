/** A line chart of recent samples with the latest and largest value as text. */
import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { Paper, Text } from '@mantine/core';
import classes from './delivery.module.css';
import type { Point } from './destinations.ts';

interface LineChartProps {
  readonly title: string;
  readonly points: readonly Point[];
  /** Formats a value with its unit. */
  readonly print: (value: number) => string;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export function LineChart({ title, points, print }: LineChartProps) {
  const known = points.flatMap(({ value }) => value ?? []);
  const [latest, largest] = [points.at(-1)?.value, Math.max(0, ...known)];
  const value = latest == null ? 'No call' : print(latest);
  const data = points.map(({ at, value }) => ({ time: clock.format(at), value }));
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={650} fz="lg">
        {value}
      </Text>
      <div className={classes.chart} role="img" aria-label={`${title}: now ${value}, at most ${print(largest)}`}>
        {known.length < 2 ? (
          <Text size="sm" c="dimmed" className={classes.waiting ?? ''}>
            The line grows while the page is open.
          </Text>
        ) : (
          <AreaChart
            h="100%"
            data={data}
            dataKey="time"
            series={[{ name: 'value', label: title, color: 'var(--mantine-primary-color-filled)' }]}
            curveType="linear"
            withDots={false}
            withGradient={false}
            fillOpacity={0.12}
            connectNulls={false}
            gridAxis="x"
            tickLine="none"
            // Prevents line breaks in the axis.
            valueFormatter={(value) => print(value).replaceAll(' ', '\u00a0')}
            yAxisProps={{ width: 64, tickCount: 3 }}
            xAxisProps={{ minTickGap: 48 }}
            // No animation and no keyboard interaction.
            areaProps={{ isAnimationActive: false }}
            areaChartProps={{ accessibilityLayer: false }}
            tooltipAnimationDuration={0}
          />
        )}
      </div>
      <Text size="xs" c="dimmed">
        {known.length === 0
          ? 'Nothing was called in the last minute.'
          : `At most ${print(largest)} while the page was open.`}
      </Text>
    </Paper>
  );
}
