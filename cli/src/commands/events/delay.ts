/** Spans of time as people write them on a command line. */
import { ProjectError } from '../../cli-error.ts';

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90s`, `1h30m`, `2d` in milliseconds. Throws ProjectError. */
export function readDelay(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([smhdw])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new ProjectError(`"${text}" is not a span of time; write it as 90s, 15m, 1h30m, 2d or 1w`);
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit as keyof typeof units], 0);
}
