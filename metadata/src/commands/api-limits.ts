/** API limits and introspection options: set and remove. */
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { ApiLimits, IntrospectionOptions } from '../schema/api-limits.ts';
import { defineCommand } from './edit/command.ts';

/** Replaces all limits. */
export const setApiLimits = defineCommand({
  name: 'set_api_limits',
  arguments: ApiLimits,
  apply: (api_limits, metadata): Metadata => ({ ...metadata, api_limits }),
});

export const removeApiLimits = defineCommand({
  name: 'remove_api_limits',
  arguments: z.strictObject({}).nullish(),
  apply: (_args, { api_limits: _removed, ...metadata }): Metadata => metadata,
});

/** Replaces the list of roles. */
export const setIntrospectionOptions = defineCommand({
  name: 'set_graphql_schema_introspection_options',
  arguments: IntrospectionOptions,
  apply: (graphql_schema_introspection, metadata): Metadata => ({ ...metadata, graphql_schema_introspection }),
});
