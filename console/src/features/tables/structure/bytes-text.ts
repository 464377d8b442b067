/** Sizes as text. Pure. */

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Returns `8 kB` or `1.4 GB`, with 1,024 bytes in a kB, as PostgreSQL counts. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < units.length - 1) [value, unit] = [value / 1_024, unit + 1];
  const shown = value >= 10 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1);
  return `${shown} ${units[unit]}`;
}
