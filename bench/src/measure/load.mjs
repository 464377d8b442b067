// Load on one contestant, and medians of alternating rounds.
import autocannon from 'autocannon';
import { cpuSeconds } from './process.mjs';

/**
 * Measures requests per second, latency, and CPU microseconds a request in one run. `requestsOf` returns the requests of a client
 * by its number, if clients differ. Throws when any response was not 200. Latencies are whole milliseconds unless `precise`.
 */
export async function load({ url, pid, bodies = [], headers, requestsOf, clients, seconds, precise = false }) {
  const requests = requestsOf?.(0, clients) ?? bodies.map((body) => ({ method: 'POST', body }));
  let started = 0;
  const before = await cpuSeconds(pid);
  const times = [];
  const running = autocannon({
    url,
    connections: clients,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    requests,
    // Each client starts at another body; otherwise all would write the same row at the same time.
    setupClient: (client) => {
      if (requestsOf !== undefined) return client.setRequests(requestsOf(started++, clients));
      const from = (started++ * 7) % requests.length;
      client.setRequests([...requests.slice(from), ...requests.slice(0, from)]);
    },
  });
  if (precise) running.on('response', (_client, _status, _bytes, ms) => times.push(ms));
  const result = await running;
  const after = await cpuSeconds(pid);
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} responses were not 2xx, ${result.errors} calls failed`);
  }
  return {
    perSecond: result.requests.average,
    ...(precise ? percentiles(times) : { p50: result.latency.p50, p99: result.latency.p99 }),
    cpu: before === undefined ? undefined : ((after - before) * 1_000_000) / result.requests.total,
  };
}

function percentiles(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => Number((sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2));
  return { p50: at(0.5), p99: at(0.99) };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs the contestants in turn, `rounds` times after a warm-up round that does not count, in an order that changes.
 * Resolves with the medians of each and the median of the ratios within a round to the first contestant.
 */
export async function compare(contestants, { rounds, seconds, clients }) {
  const runs = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? contestants : [...contestants].reverse();
    for (const contestant of order) {
      const { around = (work) => work(), ...rest } = contestant;
      const run = await around(() => load({ ...rest, clients, seconds: round === 0 ? Math.min(3, seconds) : seconds }));
      if (round > 0) runs.get(contestant.name).push(run);
    }
  }
  const [base] = contestants;
  return contestants.map(({ name }) => {
    const own = runs.get(name);
    const cpu = own.map((run) => run.cpu);
    const ratios = own.map((run, index) => run.perSecond / runs.get(base.name)[index].perSecond);
    const cpuRatios = cpu.includes(undefined) ? [] : own.map((run, index) => run.cpu / runs.get(base.name)[index].cpu);
    const short = (number) => Number(number.toFixed(3));
    return {
      name,
      perSecond: Math.round(median(own.map((run) => run.perSecond))),
      p50: median(own.map((run) => run.p50)),
      p99: median(own.map((run) => run.p99)),
      cpu: cpu.includes(undefined) ? undefined : Math.round(median(cpu)),
      // Other load on the machine can only increase it.
      ...(!cpu.includes(undefined) && { cpuLeast: Math.round(Math.min(...cpu)) }),
      ratio: short(median(ratios)),
      ratios: ratios.map(short),
      rates: own.map((run) => Math.round(run.perSecond)),
      p99s: own.map((run) => run.p99),
      ...(cpuRatios.length > 0 && { cpuRatio: short(median(cpuRatios)), cpuRatios: cpuRatios.map(short) }),
    };
  });
}
