/** A header of an outbound call: a value as written, or the name of an environment variable that holds it. */
import { z } from 'zod';

export const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be an HTTP header name');

export const Header = z.union([
  z.strictObject({
    name: headerName,
    /** May contain `{{NAME}}` templates, filled from the environment when the call is made. */
    value: z.string().regex(/^[^\r\n\0]*$/, 'must not contain a line break'),
  }),
  z.strictObject({
    name: headerName,
    value_from_env: z
      .string()
      .min(1)
      .regex(
        /^(?!JOINERY_|HASURA_GRAPHQL_)/i,
        'names a setting of the service: variables that start with "JOINERY_" or "HASURA_GRAPHQL_" cannot be sent',
      ),
  }),
]);
export type Header = z.infer<typeof Header>;
