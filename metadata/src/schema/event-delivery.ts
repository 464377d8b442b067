/** How the request for an event is made up where that is not the usual way. Null is as good as absent. */
import { z } from 'zod';
import { Header } from './headers.ts';
import { RequestTransform } from './transforms.ts';

/** Null: with the keys of the settings, if there are any. */
const signing = z.union([
  /** Not signed. */
  z.literal(false),
  z.strictObject({
    /** A variable with one or more keys, `whsec_` or `whsk_`, separated by spaces or commas. */
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
  /** The payload within the envelope, which is the default, or the payload alone. */
  body: z.enum(['envelope', 'payload']).nullish(),
  signing: signing.nullish(),
  request_transform: RequestTransform.nullish(),
};

export const EventDelivery = z.strictObject(eventDelivery);
export type EventDelivery = z.infer<typeof EventDelivery>;

/** They describe the connection or the body, which are the service's own to describe. */
const ownHeaders = /^(content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

export const EventHeader = Header.refine((header) => !ownHeaders.test(header.name), {
  message: 'is a header that the service sets itself; leave it out',
  path: ['name'],
});
