/** A chart of the figures of periods: stacked bars of counts, or lines. */
import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Group, Paper, Text } from '@mantine/core';
import classes from './delivery.module.css';

export interface ChartSeries {
  readonly name: string;
  readonly label: string;
  /** A color of the theme, such as `red.6`. */
  readonly color: string;
  /** Null makes a gap in a line. */
  readonly values: readonly (number | null)[];
}

interface HistoryChartProps {
  readonly title: string;
  /** The figure of the whole range. */
  readonly value: string;
  readonly form: 'bars' | 'lines';
  /** The labels of the periods. */
  readonly times: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Formats a value with its unit. */
  readonly print: (value: number) => string;
  /** Shown where no series has a value. */
  readonly empty: string;
}

export function HistoryChart({ title, value, form, times, series, print, empty }: HistoryChartProps) {
  const shown = series.filter(({ values }) => values.some((one) => one !== null && one > 0));
  const data = times.map((time, index) => ({
    time,
    ...Object.fromEntries(shown.map(({ name, values }) => [name, values[index] ?? null])),
  }));
  const common = {
    h: '100%',
    data,
    dataKey: 'time',
    series: shown.map(({ name, label, color }) => ({ name, label, color })),
    gridAxis: 'x',
    tickLine: 'none',
    // Prevents line breaks in the axis.
    valueFormatter: (one: number) => print(one).replaceAll(' ', '\u00a0'),
    yAxisProps: { width: 64, tickCount: 4 },
    xAxisProps: { minTickGap: 40 },
    tooltipAnimationDuration: 0,
  } as const;
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)">
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div>
          <Text size="sm" c="dimmed">
            {title}
          </Text>
          <Text fw={650} fz="lg">
            {value}
          </Text>
        </div>
        <ul className={classes.legend} aria-hidden="true">
          {shown.map(({ name, label, color }) => (
            <li key={name}>
              <Text span c={color} className={classes.swatch ?? ''} />
              {label}
            </li>
          ))}
        </ul>
      </Group>
      <div className={classes.chart} role="img" aria-label={describe(title, value, shown, print)}>
        {shown.length === 0 ? (
          <Text size="sm" c="dimmed" className={classes.waiting ?? ''}>
            {empty}
          </Text>
        ) : form === 'bars' ? (
          <BarChart
            {...common}
            type="stacked"
            barProps={{ isAnimationActive: false }}
            barChartProps={{ accessibilityLayer: false, barCategoryGap: 1 }}
          />
        ) : (
          <LineChart
            {...common}
            curveType="linear"
            connectNulls={false}
            // Without dots a single period between two gaps would be invisible.
            dotProps={{ r: 1.5, strokeWidth: 0 }}
            lineProps={{ isAnimationActive: false }}
            lineChartProps={{ accessibilityLayer: false }}
          />
        )}
      </div>
    </Paper>
  );
}

function describe(
  title: string,
  value: string,
  series: readonly ChartSeries[],
  print: (value: number) => string,
): string {
  const largest = series.map(({ label, values }) => {
    return `${label.toLowerCase()} at most ${print(Math.max(0, ...values.flatMap((one) => one ?? [])))}`;
  });
  return [`${title}: ${value}`, ...largest].join(', ');
}
