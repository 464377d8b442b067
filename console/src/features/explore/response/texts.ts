/** Sizes and durations as text. Pure. */

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function millisecondsText(ms: number): string {
  return ms < 10_000 ? `${Math.max(1, Math.round(ms)).toLocaleString('en')} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
