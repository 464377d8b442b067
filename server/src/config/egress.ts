/** The options of egress: which addresses the service may call. */
import { z } from 'zod';
import { flag, ranges } from './values.ts';

export const egressOptions = {
  egressPrivate: {
    name: 'EGRESS_PRIVATE',
    meaning: 'allow or refuse (reject) calls to addresses that are not public; see /docs/egress',
    fallback: 'allow',
    parse: z.enum(['allow', 'refuse']),
  },
  egressAllow: {
    name: 'EGRESS_ALLOW',
    meaning: 'ranges that may be called although they are not public, such as 10.1.0.0/16',
    fallback: undefined,
    parse: ranges,
  },
  egressDeny: {
    name: 'EGRESS_DENY',
    meaning: 'ranges that are never called; takes precedence over allowed ranges',
    fallback: undefined,
    parse: ranges,
  },
  egressHttpsOnly: {
    name: 'EGRESS_HTTPS_ONLY',
    meaning: 'reject calls over plain http',
    fallback: 'false',
    parse: flag,
  },
} as const;
