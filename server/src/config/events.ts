/** The options of the delivery of scheduled events, and of how long their history is kept. */
import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { readSigner } from '../events/webhook/signature.ts';
import { whole } from './values.ts';

/** Checked here, read where deliveries are started. */
const signingKeys = z.string().superRefine((keys, context) => {
  try {
    readSigner(keys);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

export const eventOptions = {
  eventsCircuitFailures: {
    name: 'EVENTS_CIRCUIT_FAILURES',
    meaning: 'failed calls of a destination, one after the other, from which on it is only probed; 0 for never',
    fallback: '20',
    parse: whole(0, 1_000_000),
  },
  eventsRetentionDays: {
    name: 'EVENTS_RETENTION_DAYS',
    meaning: 'days that processed events and their logs are kept; 0 keeps them',
    fallback: '30',
    parse: whole(0, 36_500),
  },
  eventLogsRetentionDays: {
    name: 'EVENT_LOGS_RETENTION_DAYS',
    meaning: 'days that logs of calls are kept, where events are kept longer; 0 keeps them as long',
    fallback: '0',
    parse: whole(0, 36_500),
  },
  eventsRetentionCount: {
    name: 'EVENTS_RETENTION_COUNT',
    meaning: 'most processed events that are kept, the latest; 0 for no limit',
    fallback: '0',
    parse: whole(0, 1_000_000_000),
  },
  webhookSigningKeys: {
    name: 'WEBHOOK_SIGNING_KEYS',
    meaning: 'keys that sign the calls of events, whsec_ or whsk_, separated by spaces; see docs/webhook-signatures.md',
    fallback: undefined,
    secret: true,
    parse: signingKeys,
  },
} as const;
