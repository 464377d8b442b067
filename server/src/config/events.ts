/** The options of event delivery and of the retention of events. */
import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { readSigner } from '../events/webhook/signature.ts';
import { whole } from './values.ts';

/** The text of valid signing keys. Event delivery parses it. */
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
    meaning: 'consecutive failed calls after which a destination is only probed; 0 for never',
    fallback: '20',
    parse: whole(0, 1_000_000),
  },
  eventsRetentionDays: {
    name: 'EVENTS_RETENTION_DAYS',
    meaning: 'days that processed events and their logs are retained; 0 for no limit',
    fallback: '30',
    parse: whole(0, 36_500),
  },
  eventLogsRetentionDays: {
    name: 'EVENT_LOGS_RETENTION_DAYS',
    meaning:
      'days that the log of calls is retained, where fewer than for events; whole days (UTC) are dropped when all their calls are older; 0 for as long as events',
    fallback: '0',
    parse: whole(0, 36_500),
  },
  eventsRetentionCount: {
    name: 'EVENTS_RETENTION_COUNT',
    meaning: 'number of latest processed events that are retained; 0 for no limit',
    fallback: '0',
    parse: whole(0, 1_000_000_000),
  },
  webhookSigningKeys: {
    name: 'WEBHOOK_SIGNING_KEYS',
    meaning: 'keys that sign the calls of events, whsec_ or whsk_, separated by spaces; see /docs/webhook-signatures',
    fallback: undefined,
    secret: true,
    parse: signingKeys,
  },
} as const;
