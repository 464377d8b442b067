/** Options of the request for an event. Null has the same effect as an absent member. */
import { z } from 'zod';
import { Header } from '../headers.ts';
import { RequestTransform } from '../transforms.ts';

/** Null: signed with the keys of the service's settings, if there are any. */
export const signing = z.union([
  /** Disables signing. */
  z.literal(false),
  z.strictObject({
    /** Environment variable with keys `whsec_...` or `whsk_...`, separated by spaces or commas. */
    key_from_env: z
      .string()
      .min(1)
      .regex(
        /^(?!JOINERY_|HASURA_GRAPHQL_)/i,
        'names a setting of the service; its keys are used wherever "signing" is left out',
      ),
  }),
]);

export const eventDelivery = {
  /** Sends the payload in an envelope (default) or alone. */
  body: z.enum(['envelope', 'payload']).nullish(),
  signing: signing.nullish(),
  request_transform: RequestTransform.nullish(),
};

export const EventDelivery = z.strictObject(eventDelivery);
export type EventDelivery = z.infer<typeof EventDelivery>;

/** Headers that describe the connection or the body, which the service sets. */
const ownHeaders = /^(content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

export const EventHeader = Header.refine((header) => !ownHeaders.test(header.name), {
  message: 'is a header that the service sets itself; leave it out',
  path: ['name'],
});
