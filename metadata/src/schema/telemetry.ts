/** The settings of OpenTelemetry and of metrics. Those of traces are effective; metrics and logs have no exporters here. */
import { z } from 'zod';
import { isJsonObject } from '../json.ts';
import { Header } from './headers.ts';
import { closedObject, describeMembers, unsupported } from './members.ts';
import { UrlTemplate } from './urls.ts';

const dataTypes = ['traces', 'metrics', 'logs'] as const;

/** `{{NAME}}` is a variable of the environment. */
const Status = z.union([z.enum(['enabled', 'disabled']), z.string().regex(/^\{\{\s*\w+\s*\}\}$/)], {
  error: 'must be "enabled", "disabled" or "{{NAME}}"',
});

/** The status alone, or an object with it. */
export const OpenTelemetryStatus = z.union([Status, z.strictObject({ status: Status })]);

const endpoint = UrlTemplate.min(1).nullish();

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

export type OpenTelemetry = z.infer<typeof OpenTelemetry>;

const known = z.unknown().optional();

/** The members by name. While the status is `disabled` none has an effect, in Hasura v2 either. */
function membersOf(isEnabled: boolean): z.ZodType {
  const without = (advice: string): typeof known => (isEnabled ? unsupported(advice) : known);
  return closedObject({
    status: known,
    data_types: known,
    exporter_otlp: closedObject({
      otlp_traces_endpoint: known,
      otlp_metrics_endpoint: without('collect the metrics from GET /metrics (/docs/metrics)'),
      otlp_logs_endpoint: without('collect the log from the standard output of the service'),
      protocol: known,
      headers: known,
      resource_attributes: known,
      traces_propagators: isEnabled ? propagators : known,
    }),
    batch_span_processor: closedObject({ max_export_batch_size: known }),
  });
}

const propagators = unsupported(
  'traces are propagated by the headers of W3C Trace Context ("tracecontext")',
  (value) => Array.isArray(value) && value.includes('b3'),
);

const enabledMembers = membersOf(true);
const disabledMembers = membersOf(false);

/** The member of the metadata. Values of any form are stored; the service reports those that `OpenTelemetry` rejects. */
export const StoredOpenTelemetry = describeMembers(z.unknown().optional(), (value) =>
  isJsonObject(value) && (value.status ?? 'disabled') !== 'disabled' ? enabledMembers : disabledMembers,
);

export const MetricsConfig = z.strictObject({
  analyze_query_variables: z.boolean().default(false),
  analyze_response_body: z.boolean().default(false),
});
