/** A small line over the looks of the last minutes, with its latest and largest value in words. */
import { Paper, Text } from '@mantine/core';
import classes from './delivery.module.css';
import { lineOf } from './destinations.ts';

interface LineChartProps {
  readonly title: string;
  readonly values: readonly (number | undefined)[];
  /** With its unit. */
  readonly print: (value: number) => string;
}

const WIDTH = 320;
const HEIGHT = 64;

export function LineChart({ title, values, print }: LineChartProps) {
  const known = values.filter((value) => value !== undefined);
  const [latest, largest] = [values.at(-1), Math.max(0, ...known)];
  const said = latest === undefined ? 'no call' : print(latest);
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={650} fz="lg">
        {said}
      </Text>
      <svg
        className={classes.chart ?? ''}
        viewBox={`-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: now ${said}, at most ${print(largest)}`}
      >
        <path className={classes.base ?? ''} d={`M0 ${HEIGHT} L${WIDTH} ${HEIGHT}`} />
        <path className={classes.line ?? ''} d={lineOf(values, WIDTH, HEIGHT)} />
      </svg>
      <Text size="xs" c="dimmed">
        {known.length < 2
          ? 'The line grows while the page is open.'
          : `At most ${print(largest)} while the page was open.`}
      </Text>
    </Paper>
  );
}
