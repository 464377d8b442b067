/** A call of a webhook. */
import type { NodeProcess } from './node-process.ts';

/** The event of a call, and the number of the call; its content is equal in all calls of the event. */
export interface CalledEvent {
  readonly id: string;
  /** From 1. */
  attempt: number;
  readonly content: string;
}

/** A call that has arrived at a webhook. */
export interface WebhookCall extends CalledEvent {
  readonly node: number;
  readonly process: NodeProcess;
  readonly destination: string;
  readonly at: number;
  /** Whether the node still waits for the response. */
  open: boolean;
  /** Whether the node has ended the call before it had a response. */
  aborted: boolean;
  /** When the node had the response, or the failure of the call. */
  endedAt: number | undefined;
  /** The status that the webhook has sent, also where it did not arrive. */
  status: number | undefined;
  /** The lease under which the event was claimed. */
  lease: string | undefined;
}
