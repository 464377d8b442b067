/** The webhooks of a simulation: they respond at once, late, with errors or never. */
import { type HttpClient, type HttpResponse, UpstreamError } from '../../../src/base/http-client/http-client.ts';
import type { NodeProcess } from './node-process.ts';
import { type Random, randomOf } from './random.ts';
import type { WebhookCall } from './webhook-call.ts';
import type { Workload } from './workload.ts';
import type { World } from './world.ts';

export interface Webhooks {
  readonly calls: readonly WebhookCall[];
  /** See `WorkloadContext`. */
  unreached(id: string): number;
  clientOf(process: NodeProcess, node: number): HttpClient;
  /** Ends the connections of a process that was killed. */
  disconnect(process: NodeProcess): void;
}

/** After this time all webhooks work, so that events end. */
const HEALTHY_AFTER_MS = 20_000;

/** The longest suspension of a process that waits for another call of its event, in milliseconds. */
const OUTLIVED_WITHIN_MS = 10_000;
/** How long it does not run after that call, in milliseconds: less than most calls take. */
const OUTLIVED_MS = 20;

interface Reaction {
  readonly kind: 'status' | 'reset' | 'never';
  readonly status: number;
  readonly afterMs: number;
  readonly retryAfter?: string;
}

function reactionOf(random: Random, failing: number): Reaction {
  const afterMs = random.chance(0.2) ? random.between(300, 2_500) : random.between(1, 300);
  if (!random.chance(failing)) return { kind: 'status', status: 200, afterMs };
  const kind = random.pick(['status', 'status', 'status', 'reset', 'never'] as const);
  // The webhook has processed a call whose response is lost.
  if (kind !== 'status') return { kind, status: 200, afterMs };
  const status = random.pick([500, 500, 503, 429, 410]);
  return { kind, status, afterMs, ...(status === 429 && { retryAfter: '1' }) };
}

/** The webhooks of a workload, whose `atCall` is called when a call is sent, before the webhook reacts. */
export interface WebhookSettings {
  readonly world: World;
  readonly workload: () => Workload;
  readonly atCall: (call: WebhookCall) => Promise<void>;
}

export function createWebhooks({ world, workload, atCall }: WebhookSettings): Webhooks {
  const { scenario, time } = world;
  const calls: WebhookCall[] = [];
  const unreached = new Map<string, number>();

  function isOutlived(call: WebhookCall): boolean {
    const number = calls.filter(({ node }) => node === call.node).indexOf(call);
    return scenario.failures.some((one) => one.kind === 'outlived' && one.node === call.node && one.call === number);
  }

  /** Suspends the process of the call until another one calls the event, as it does when the lease has ended. */
  function outlive({ process, id, at }: WebhookCall): void {
    const end = time.now() + OUTLIVED_WITHIN_MS;
    const isRepeated = (): boolean => calls.some((one) => one.id === id && one.process !== process && one.at > at);
    const extend = (): void => {
      if (process.isDead() || isRepeated() || time.now() > end) return;
      process.suspend(OUTLIVED_MS);
      time.after(OUTLIVED_MS / 2, extend);
    };
    world.log(process.name, `is suspended until another process calls ${id}`);
    extend();
  }

  function clientOf(process: NodeProcess, node: number): HttpClient {
    return {
      close: async () => undefined,
      call: (request) =>
        new Promise((resolve, reject) => {
          const event = workload().calledEvent(request);
          const { id } = event;
          const random = randomOf(scenario.seed, 'call', id, calls.filter((one) => one.id === id).length);
          let sent: WebhookCall | undefined;
          let ended = false;
          const end = (settle: () => void): void => {
            if (ended) return;
            ended = true;
            if (sent !== undefined) {
              sent.open = false;
              sent.endedAt = time.now();
            }
            settle();
          };
          const signal = request.signal;
          if (signal !== undefined && 'whenAborted' in signal) {
            signal.whenAborted(() => {
              if (sent?.open) sent.aborted = true;
              end(() => reject(new UpstreamError('aborted', 'the call was aborted')));
            });
          }
          const failing = time.now() < HEALTHY_AFTER_MS ? scenario.failingWebhooks : 0;
          process.after(random.between(0.2, 5), async () => {
            if (ended) return;
            if (request.mayStart?.() === false) {
              end(() => reject(new UpstreamError('aborted', 'the call must not start')));
              return;
            }
            if (random.chance(failing / 10)) {
              unreached.set(id, (unreached.get(id) ?? 0) + 1);
              world.log(process.name, `no address for the call of ${id}`);
              end(() => reject(new UpstreamError('dns', 'the host has no address')));
              return;
            }
            const call: WebhookCall = {
              ...event,
              node,
              process,
              destination: new URL(request.url).origin,
              at: time.now(),
              open: true,
              aborted: false,
              endedAt: undefined,
              status: undefined,
              lease: undefined,
            };
            sent = call;
            world.log(process.name, `calls ${id}, attempt ${call.attempt}`);
            await atCall(call);
            calls.push(call);
            const reaction = reactionOf(random, failing);
            const startedAt = time.now();
            if (isOutlived(call)) time.after(Math.min(reaction.afterMs, request.timeoutMs), () => outlive(call));
            if (reaction.kind === 'status' || random.chance(0.5)) {
              time.after(reaction.afterMs, () => {
                call.status = reaction.status;
                world.log('webhook', `responds ${reaction.status} to ${id}, attempt ${call.attempt}`);
              });
            }
            const isLate = reaction.kind === 'never' || reaction.afterMs > request.timeoutMs;
            process.after(isLate ? request.timeoutMs : reaction.afterMs + random.between(0.1, 3), () => {
              end(() => {
                if (isLate) reject(new UpstreamError('timeout', 'no response in time'));
                else if (reaction.kind === 'reset') reject(new UpstreamError('reset', 'connection reset'));
                else resolve(responseOf(reaction, workload().respond?.(call) ?? 'ok', time.now() - startedAt));
              });
            });
          });
        }),
    };
  }

  return {
    calls,
    unreached: (id) => unreached.get(id) ?? 0,
    clientOf,
    disconnect(process) {
      for (const call of calls) if (call.process === process) call.open = false;
    },
  };
}

function responseOf({ status, retryAfter }: Reaction, body: string, durationMs: number): HttpResponse {
  const headers = retryAfter === undefined ? [] : [['retry-after', retryAfter] as const];
  return { status, headers, body, bytes: Buffer.from(body), truncated: false, durationMs };
}
