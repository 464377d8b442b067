/** Returns the candidate with the smallest edit distance to `name`, if it is small for its length. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  const limit = Math.max(2, Math.floor(name.length / 3));
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name, candidate);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Returns the Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_none, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
