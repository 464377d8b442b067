/** The connection of a process to its supervisor. */
import { type MetricSample, type ProcessMetrics, printSums } from '../../base/telemetry/metric-sums.ts';
import type { LivePeers, PeerListener, PeerSet } from '../../execute/live/peers.ts';
import type { Assignment, FromProcess, ToProcess } from './messages.ts';

export interface Member {
  readonly assignment: Assignment;
  /** The other processes, for live queries. */
  readonly peers: LivePeers;
  /** Whether all processes have started and the service does not stop. */
  isReady(): boolean;
  /** Reports the start. `read` returns the metrics of this process, `stop` is called when the supervisor stops it. */
  started(parts: MemberParts): void;
  /** Returns the metrics of all processes as text. */
  readMetrics(): Promise<string>;
  /** Sends the last metrics of this process. */
  leave(): Promise<void>;
}

interface MemberParts {
  /** Undefined for a process that serves no requests. */
  readonly url: string | undefined;
  readonly metrics: () => Promise<readonly MetricSample[]>;
  readonly stop: (reason: string, drains: boolean) => void;
}

/** Resolves when the supervisor has sent the assignment of this process. */
export function joinSupervisor(): Promise<Member> {
  return new Promise((resolve) => {
    let ready = false;
    let parts: MemberParts | undefined;
    let requests = 0;
    let peerSet: PeerSet = { owners: [], alive: [] };
    let listener: PeerListener | undefined;
    const waiting = new Map<number, (metrics: readonly ProcessMetrics[]) => void>();
    const send = (message: FromProcess): Promise<void> =>
      new Promise((sent) => {
        if (process.connected) process.send?.(message, undefined, undefined, () => sent());
        else sent();
      });
    const sendMetrics = async (id: number | undefined): Promise<void> => {
      await send({ kind: 'metrics', id, metrics: (await parts?.metrics()) ?? [] });
    };
    process.on('message', (message: ToProcess) => {
      switch (message.kind) {
        case 'assignment':
          ready = message.ready;
          peerSet = message.peers;
          resolve({
            assignment: message.assignment,
            peers: {
              self: message.id,
              send: (to, messages) => void send({ kind: 'to-peer', to, messages }),
              listen: (next) => {
                listener = next;
                next.changed(peerSet);
              },
            },
            isReady: () => ready,
            started: (given) => {
              parts = given;
              void send({ kind: 'started', url: given.url });
            },
            readMetrics: async () => {
              const id = ++requests;
              const metrics = new Promise<readonly ProcessMetrics[]>((received) => waiting.set(id, received));
              void send({ kind: 'request-metrics', id });
              return printSums(await metrics);
            },
            leave: () => sendMetrics(undefined),
          });
          break;
        case 'ready':
          ready = message.ready;
          break;
        case 'peers':
          peerSet = message.set;
          listener?.changed(peerSet);
          break;
        case 'from-peer':
          listener?.received(message.from, message.messages);
          break;
        case 'stop':
          // A process that has not started yet has nothing to complete.
          if (parts === undefined) process.exit(0);
          parts.stop(message.reason, message.drains);
          break;
        case 'read-metrics':
          void sendMetrics(message.id);
          break;
        case 'all-metrics':
          waiting.get(message.id)?.(message.metrics);
          waiting.delete(message.id);
          break;
        default:
          message satisfies never;
      }
    });
    void send({ kind: 'joined' });
  });
}
