/** Decides whether the service is well: what needs attention, the most important first. Pure. */
import type { EventDestination } from '@joinery/metadata/api/events/destinations';
import type { ScheduledEventStats } from '@joinery/metadata/api/events/lists';
import type { TrafficHistory } from '@joinery/metadata/api/events/traffic';
import type { ServiceNode } from '@joinery/metadata/api/nodes';
import type { Readiness } from '../../api/client.ts';
import { failureShare, failuresIn, percentText } from '../../shared/traffic/traffic.ts';
import { counted, sentence } from '../../ui/format.ts';
import { durationOf } from '../../ui/time/times.ts';

/** Members are undefined until they are read. */
export interface Readings {
  readonly readiness: Readiness | undefined;
  /** Inconsistent objects. */
  readonly broken: number | undefined;
  /** Members of the metadata without effect. */
  readonly unsupported: number | undefined;
  /** Calls of events and asynchronous actions in the last hour. */
  readonly calls: TrafficHistory | undefined;
  /** GraphQL operations in the last hour. */
  readonly operations: TrafficHistory | undefined;
  readonly backlog: ScheduledEventStats['backlog'] | undefined;
  readonly destinations: readonly EventDestination[] | undefined;
  readonly nodes: readonly ServiceNode[] | undefined;
}

export interface Finding {
  /** `bad` needs attention now; `notice` is worth knowing. */
  readonly severity: 'bad' | 'notice';
  readonly title: string;
  readonly text: string;
  /** The page to continue on, or the id of a part of this page. */
  readonly to: string;
}

/** Shares of failures from which traffic is bad. */
const BAD_SHARE = 0.05;
/** Below it, failed operations are mistakes of single clients. */
const NOTICED_OPERATIONS = 0.01;
/** Seconds for which a due event may wait. */
const wait = { noticed: 10, bad: 60 };

export function findingsOf(readings: Readings): readonly Finding[] {
  const found = [
    ...readinessFindings(readings),
    ...callFindings(readings),
    ...circuitFindings(readings),
    ...backlogFindings(readings),
    ...operationFindings(readings),
    ...metadataFindings(readings),
    ...nodeFindings(readings),
  ];
  return [...found.filter(({ severity }) => severity === 'bad'), ...found.filter(({ severity }) => severity !== 'bad')];
}

function readinessFindings({ readiness }: Readings): readonly Finding[] {
  if (readiness === undefined || readiness.ready) return [];
  const title = `Not ready: waiting for ${readiness.waiting_for.join(', ')}`;
  const text = 'Check that PostgreSQL runs and that the service can connect to it.';
  return [{ severity: 'bad', title, text, to: '/settings/nodes' }];
}

function callFindings({ calls }: Readings): readonly Finding[] {
  if (calls === undefined) return [];
  const { total, destinations } = calls;
  const failed = failuresIn(total);
  if (failed === 0) return [];
  const share = failureShare(total);
  const [worst] = [...destinations].sort((one, other) => failuresIn(other) - failuresIn(one));
  const all = total.count + total.dead;
  return [
    {
      severity: share >= BAD_SHARE ? 'bad' : 'notice',
      title: `${failed.toLocaleString('en')} of ${counted(all, 'call')} failed in the last hour (${percentText(share)})`,
      text: worst === undefined ? '' : `${failuresIn(worst).toLocaleString('en')} of them to ${worst.destination}.`,
      to: `/events/delivery?range=1h${destinationParameter(worst?.destination)}`,
    },
  ];
}

function destinationParameter(destination: string | undefined): string {
  return destination === undefined ? '' : `&destination=${encodeURIComponent(destination)}`;
}

function circuitFindings({ destinations = [] }: Readings): readonly Finding[] {
  return destinations.flatMap(({ destination, circuit, paused }): readonly Finding[] => {
    const to = `/events/delivery?range=1h${destinationParameter(destination)}`;
    if (circuit.state === 'open') {
      const title = `The circuit of ${destination} is open`;
      return [{ severity: 'bad', title, text: sentence(`${circuit.reason}; its events wait`), to }];
    }
    if (!paused) return [];
    return [
      { severity: 'notice', title: `${destination} is paused`, text: 'Its events wait until it is resumed.', to },
    ];
  });
}

function backlogFindings({ backlog, calls }: Readings): readonly Finding[] {
  // The backlog of event triggers and actions is sampled once a minute.
  const samples = calls?.periods.slice(-2).map(({ backlog_seconds }) => backlog_seconds) ?? [];
  const seconds = Math.max(backlog?.oldest_due_seconds ?? 0, ...samples);
  if (seconds < wait.noticed) return [];
  const waiting = Math.max(backlog?.due ?? 0, ...(calls?.periods.slice(-2).map((period) => period.backlog) ?? []));
  return [
    {
      severity: seconds >= wait.bad ? 'bad' : 'notice',
      title: `${counted(waiting, 'due event')} ${waiting === 1 ? 'waits' : 'wait'}`,
      text: `The oldest has waited for ${durationOf(seconds)}.`,
      to: '/events/delivery',
    },
  ];
}

function operationFindings({ operations }: Readings): readonly Finding[] {
  if (operations === undefined) return [];
  const { total } = operations;
  const share = failureShare(total);
  if (share < NOTICED_OPERATIONS) return [];
  return [
    {
      severity: share >= BAD_SHARE ? 'bad' : 'notice',
      title: `${total.failed.toLocaleString('en')} of ${counted(total.count, 'GraphQL operation')} failed in the last hour (${percentText(share)})`,
      text: 'The recent errors show their codes and callers.',
      to: '/operations/rejected',
    },
  ];
}

function metadataFindings({ broken = 0, unsupported = 0 }: Readings): readonly Finding[] {
  const found: Finding[] = [];
  if (broken > 0) {
    const title = `${counted(broken, 'object')} of the metadata ${broken === 1 ? 'is' : 'are'} inconsistent`;
    found.push({ severity: 'bad', title, text: 'The GraphQL schema does not have them.', to: '#inconsistent' });
  }
  if (unsupported > 0) {
    const title = `${counted(unsupported, 'member')} of the metadata ${unsupported === 1 ? 'has' : 'have'} no effect`;
    found.push({ severity: 'notice', title, text: 'This service does not support them.', to: '#unsupported' });
  }
  return found;
}

function nodeFindings({ nodes }: Readings): readonly Finding[] {
  if (nodes === undefined) return [];
  const alive = nodes.filter((node) => node.alive);
  const to = '/settings/nodes';
  const found: Finding[] = [];
  if (alive.length > 0 && !alive.some(({ components }) => components.includes('events'))) {
    const text = 'Start a node whose JOINERY_COMPONENTS has events.';
    found.push({ severity: 'bad', title: 'No node delivers events', text, to });
  }
  const silent = nodes.length - alive.length;
  if (silent > 0) {
    const title = `${silent.toLocaleString('en')} of ${counted(nodes.length, 'node')} ${silent === 1 ? 'sends' : 'send'} no heartbeat`;
    found.push({
      severity: 'notice',
      title,
      text: 'A node that ended without a shutdown is listed for ten minutes.',
      to,
    });
  }
  const versions = new Set(alive.map(({ version }) => version));
  if (versions.size > 1) {
    const text = `They run ${[...versions].join(', ')}.`;
    found.push({ severity: 'notice', title: 'The nodes have different versions', text, to });
  }
  return found;
}
