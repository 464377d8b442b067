/** Histograms of milliseconds with classes of logarithmic width, which can be added. */

/** Classes for each doubling: a class ends 19 percent above its start. */
const PER_DOUBLING = 4;
/** The last class begins at 70 minutes and has no end. */
const LAST_CLASS = 22 * PER_DOUBLING + 1;

/** Counts by class. Empty classes at the end are omitted. */
export type Histogram = readonly number[];

/** Adds a value to the counts. */
export function addTo(counts: number[], milliseconds: number): void {
  const at = classOf(milliseconds);
  while (counts.length <= at) counts.push(0);
  counts[at] = (counts[at] ?? 0) + 1;
}

/** The first class ends at one millisecond. */
function classOf(milliseconds: number): number {
  if (!(milliseconds > 1)) return 0;
  return Math.min(Math.ceil(Math.log2(milliseconds) * PER_DOUBLING), LAST_CLASS);
}

function endOf(index: number): number {
  return 2 ** (index / PER_DOUBLING);
}

/** Returns the value that the share of the counted ones does not exceed, interpolated within its class; undefined without values. */
export function percentile(counts: Histogram, share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const wanted = share * total;
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const start = index === 0 ? 0 : endOf(index - 1);
      return start + ((wanted - below) / count) * (endOf(index) - start);
    }
    below += count;
  }
  return endOf(counts.length - 1);
}
