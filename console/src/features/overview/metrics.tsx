/** The figures of the cards of the overview. */
import type { EventDestination } from '@joinery/metadata/api/events/destinations';
import type { ScheduledEventStats } from '@joinery/metadata/api/events/lists';
import type { TrafficHistory } from '@joinery/metadata/api/events/traffic';
import type { ServiceNode } from '@joinery/metadata/api/nodes';
import type { Readiness } from '../../api/client.ts';
import { failureShare, failuresIn, latencyText, percentText } from '../../shared/traffic/traffic.ts';
import { counted } from '../../ui/format.ts';
import { durationOf } from '../../ui/time/times.ts';
import type { Metric } from './metric-card.tsx';
import { Sparkline } from './sparkline.tsx';

/** From this share on failures are bad, as in `health.ts`. */
const BAD_SHARE = 0.05;

export function operationMetric(history: TrafficHistory): Metric {
  return trafficMetric(history, 'operation', '');
}

export function callMetric(history: TrafficHistory): Metric {
  const { lateness_ms } = history.total;
  return trafficMetric(history, 'call', lateness_ms === null ? '' : `, late p95 ${latencyText(lateness_ms.p95)}`);
}

function trafficMetric({ total, periods }: TrafficHistory, noun: string, more: string): Metric {
  const all = total.count + total.dead;
  if (all === 0) return { value: `No ${noun}`, tone: 'plain', text: 'In the last hour.' };
  const failed = failuresIn(total);
  const share = failureShare(total);
  const latency = total.duration_ms === null ? '' : `, took p95 ${latencyText(total.duration_ms.p95)}`;
  return {
    value: counted(all, noun),
    tone: failed === 0 ? 'good' : share >= BAD_SHARE ? 'bad' : 'notice',
    text: `${failed === 0 ? 'None' : `${failed.toLocaleString('en')} (${percentText(share)})`} failed${latency}${more}.`,
    chart: <Sparkline periods={periods} />,
  };
}

export function backlogMetric({ pending, due, in_flight, oldest_due_seconds }: ScheduledEventStats['backlog']): Metric {
  const waited = due === 0 ? '' : ` The oldest has waited for ${durationOf(oldest_due_seconds)}.`;
  return {
    value: due === 0 ? 'No event waits' : `${counted(due, 'due event')} ${due === 1 ? 'waits' : 'wait'}`,
    tone: oldest_due_seconds >= 60 ? 'bad' : oldest_due_seconds >= 10 ? 'notice' : 'good',
    text: `${counted(pending, 'pending event')}, ${in_flight.toLocaleString('en')} in flight.${waited}`,
  };
}

export function circuitMetric(destinations: readonly EventDestination[]): Metric {
  const open = destinations.filter(({ circuit }) => circuit.state === 'open').length;
  const paused = destinations.filter((one) => one.paused).length;
  return {
    value: open === 0 ? 'All closed' : `${open.toLocaleString('en')} open`,
    tone: open > 0 ? 'bad' : paused > 0 ? 'notice' : 'good',
    text: paused === 0 ? 'No destination is paused.' : `${counted(paused, 'destination')} paused.`,
  };
}

export function metadataMetric(broken: number, unsupported: number): Metric {
  if (broken > 0)
    return { value: `${broken.toLocaleString('en')} inconsistent`, tone: 'bad', text: 'See the reasons.' };
  if (unsupported === 0) return { value: 'Consistent', tone: 'good', text: 'Every object is in use.' };
  return {
    value: `${unsupported.toLocaleString('en')} without effect`,
    tone: 'notice',
    text: 'See the members below.',
  };
}

export function nodeMetric(nodes: readonly ServiceNode[], readiness: Readiness | undefined): Metric {
  const alive = nodes.filter((node) => node.alive);
  const versions = [...new Set(alive.map(({ version }) => version))];
  const ready = readiness === undefined ? '' : readiness.ready ? 'Ready. ' : 'Not ready. ';
  return {
    value: `${counted(alive.length, 'node')} alive`,
    tone: readiness?.ready === false || alive.length === 0 ? 'bad' : alive.length < nodes.length ? 'notice' : 'good',
    text: `${ready}${versions.length === 1 ? 'Version' : 'Versions'} ${versions.join(', ')}.`,
  };
}
