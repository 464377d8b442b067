/** A header of an outbound request: a literal value, or the name of an environment variable with the value. */
import { z } from 'zod';

export const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be an HTTP header name');

export const Header = z.union([
  z.strictObject({
    name: headerName,
    /** May contain `{{NAME}}` templates, which are filled from the environment for each request. */
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
