// Requests to the sink, and statistics of the statements of a service.

export const request = async (sink, path) => (await fetch(`${sink.url}/${path}`)).json();

/** Statements that the service has sent so far, of all its pools, whatever for. */
export async function statements(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^joinery_statement_duration_seconds_count\{[^}]*\} (\d+)/gm)];
  if (counts.length === 0) throw new Error('the service counts no statements');
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Of sorted numbers. */
export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
