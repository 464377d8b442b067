/** Settings of OpenTelemetry and of metrics: set and remove. Those of traces are effective; others are stored and exported. */
import { z } from 'zod';
import { isJsonObject } from '../json.ts';
import type { Metadata } from '../metadata.ts';
import { MetricsConfig, OpenTelemetry, OpenTelemetryStatus } from '../schema/telemetry.ts';
import { defineCommand } from './edit/command.ts';

/** Replaces all settings. */
export const setOpenTelemetryConfig = defineCommand({
  name: 'set_opentelemetry_config',
  arguments: OpenTelemetry,
  apply: (opentelemetry, metadata): Metadata => ({ ...metadata, opentelemetry }),
});

export const setOpenTelemetryStatus = defineCommand({
  name: 'set_opentelemetry_status',
  arguments: OpenTelemetryStatus,
  apply: (given, metadata): Metadata => {
    const before = isJsonObject(metadata.opentelemetry) ? metadata.opentelemetry : {};
    const status = typeof given === 'string' ? given : given.status;
    return { ...metadata, opentelemetry: { ...before, status } };
  },
});

/** Replaces all settings. */
export const setMetricsConfig = defineCommand({
  name: 'set_metrics_config',
  arguments: MetricsConfig,
  apply: (metrics_config, metadata): Metadata => ({ ...metadata, metrics_config }),
});

export const removeMetricsConfig = defineCommand({
  name: 'remove_metrics_config',
  arguments: z.strictObject({}).nullish(),
  apply: (_args, { metrics_config: _removed, ...metadata }): Metadata => metadata,
});
