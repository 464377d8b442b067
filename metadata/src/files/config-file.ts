/** `config.yaml`: the settings of the commands in a project. */
import { z } from 'zod';
import { ignored } from '../schema/members.ts';

const path = z.string().min(1).optional();

/** Members that `environments.<name>` may have too. */
const settings = {
  endpoint: path,
  admin_secret: z.string().optional(),
  access_key: z.string().optional(),
  /** A JSON list in a string. */
  admin_secrets: z.string().optional(),
  header_prefix: path,
  metadata_directory: path,
  metadata_file: path,
  migrations_directory: path,
  seeds_directory: path,
  certificate_authority: path,
  insecure_skip_tls_verify: z.boolean().optional(),
  no_transaction: z.boolean().optional(),
  api_paths: z
    .partialRecord(
      z.enum([
        'v1_query',
        'query',
        'v2_query',
        'v1_metadata',
        'v1_graphql',
        'graphql',
        'v1_version',
        'version',
        'pg_dump',
      ]),
      z.string(),
    )
    .optional(),
  dev: z.strictObject({ run: path }).optional(),
};

export const ConfigFile = z.strictObject({
  version: z.union([z.literal(2), z.literal(3)]).optional(),
  ...settings,
  environments: z.record(z.string(), z.strictObject(settings)).optional(),
  actions: ignored('`joinery actions create` and `joinery actions codegen` have options'),
});
