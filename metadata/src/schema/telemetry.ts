/** The settings of OpenTelemetry and of metrics, as Hasura v2 has them. The service is configured by its environment instead. */
import { z } from 'zod';
import { Header } from './headers.ts';

const dataTypes = ['traces', 'metrics', 'logs'] as const;

/** `{{NAME}}` is a variable of the environment. */
const Status = z.union([z.enum(['enabled', 'disabled']), z.string().regex(/^\{\{\s*\w+\s*\}\}$/)], {
  error: 'must be "enabled", "disabled" or "{{NAME}}"',
});

/** The status alone, or an object with it. */
export const OpenTelemetryStatus = z.union([Status, z.strictObject({ status: Status })]);

const endpoint = z.string().min(1).nullish();

const OtlpExporter = z.strictObject({
  otlp_traces_endpoint: endpoint,
  otlp_metrics_endpoint: endpoint,
  otlp_logs_endpoint: endpoint,
  protocol: z.literal('http/protobuf').optional(),
  headers: z.array(Header).optional(),
  resource_attributes: z.array(z.strictObject({ name: z.string().min(1), value: z.string() })).optional(),
  traces_propagators: z.array(z.enum(['b3', 'tracecontext'])).optional(),
});

export const OpenTelemetry = z
  .strictObject({
    status: Status.default('disabled'),
    data_types: z.array(z.enum(dataTypes)).optional(),
    exporter_otlp: OtlpExporter.optional(),
    batch_span_processor: z.strictObject({ max_export_batch_size: z.int().min(1).optional() }).optional(),
  })
  .superRefine(({ status, data_types = [], exporter_otlp: exporter = {} }, context) => {
    if (status === 'disabled') return;
    for (const type of data_types) {
      const name = `otlp_${type}_endpoint` as const;
      if (exporter[name] != null) continue;
      const message = `is required, because "data_types" contains "${type}"`;
      context.addIssue({ code: 'custom', message, path: ['exporter_otlp', name] });
    }
  });

export const MetricsConfig = z.strictObject({
  analyze_query_variables: z.boolean().default(false),
  analyze_response_body: z.boolean().default(false),
});
