// Requests to the sink, and metrics of the statements of a service.

export const request = async (sink, path) => (await fetch(`${sink.url}/${path}`)).json();

/** Returns the number of statements that all pools of the service have sent. */
export async function statements(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^joinery_statement_duration_seconds_count\{[^}]*\} (\d+)/gm)];
  if (counts.length === 0) throw new Error('the metrics of the service do not count statements');
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Returns a quantile of sorted numbers. */
export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
