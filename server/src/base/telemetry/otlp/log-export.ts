/** The export of log lines as log records of OpenTelemetry. */
import type { LoggerProvider } from '@opentelemetry/sdk-logs';
import { isJsonObject } from '../../json-value.ts';
import { ExportQueue } from './bounded-export.ts';
import { createLogExporter } from './otlp-exporters.ts';
import { positiveNumber, readSignal } from './otlp-settings.ts';
import { createResource, type ExportContext } from './resource.ts';

export interface LogExport {
  /** Exports one line of the log, whose secrets are masked. Never waits, never throws. */
  write(line: string): void;
  close(): Promise<void>;
}

type LogRecord = Parameters<ReturnType<LoggerProvider['getLogger']>['emit']>[0];
type LogAttributes = NonNullable<LogRecord['attributes']>;

/** `SeverityNumber` of the library. */
const severities: Readonly<Record<string, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

/** Opens the export. Returns undefined unless the environment enables it. */
export async function openLogExport(context: ExportContext): Promise<LogExport | undefined> {
  const { environment, version } = context;
  const settings = readSignal(environment, 'logs');
  if (!settings.isEnabled) return undefined;
  const maxQueueSize = positiveNumber(environment, 'OTEL_BLRP_MAX_QUEUE_SIZE', 2_048);
  const batch = {
    maxQueueSize,
    maxExportBatchSize: positiveNumber(environment, 'OTEL_BLRP_MAX_EXPORT_BATCH_SIZE', Math.min(512, maxQueueSize)),
    scheduledDelayMillis: positiveNumber(environment, 'OTEL_BLRP_SCHEDULE_DELAY', 1_000),
    exportTimeoutMillis: positiveNumber(environment, 'OTEL_BLRP_EXPORT_TIMEOUT', 30_000),
  };
  const [api, { BatchLogRecordProcessor, LoggerProvider: Provider }, exporter, resource] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-logs'),
    createLogExporter(settings),
    createResource(context),
  ]);
  const queue = new ExportQueue('logs', maxQueueSize, context);
  const watched = queue.watch(exporter, (records: readonly unknown[]) => records.length);
  const processor = new BatchLogRecordProcessor({ ...batch, exporter: watched });
  const provider = new Provider({ resource, processors: [processor] });
  const logger = provider.getLogger('joinery', version);
  return {
    write: (line) => {
      if (!queue.admit()) return;
      const { traceId, spanId, ...record } = toLogRecord(line);
      const isTraced = traceId !== undefined && spanId !== undefined;
      const context = isTraced
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: 1 })
        : api.ROOT_CONTEXT;
      logger.emit({ ...record, context });
    },
    close: () => provider.shutdown(),
  };
}

interface TracedRecord extends LogRecord {
  readonly traceId?: string;
  readonly spanId?: string;
}

/** Converts a line with the members that `log.ts` writes. */
function toLogRecord(line: string): TracedRecord {
  const parsed = parse(line);
  // Masking may have changed the form of a line.
  if (parsed === undefined) return { body: line.trimEnd(), timestamp: Date.now() };
  const { time, level, msg, trace_id: traceId, span_id: spanId, error, ...members } = parsed;
  return {
    ...(typeof time === 'string' && { timestamp: Date.parse(time) }),
    ...(typeof level === 'string' && { severityText: level.toUpperCase(), severityNumber: severities[level] ?? 0 }),
    ...(typeof msg === 'string' && { body: msg }),
    ...(typeof traceId === 'string' && { traceId }),
    ...(typeof spanId === 'string' && { spanId }),
    attributes: { ...members, ...exceptionOf(error) } as LogAttributes,
  };
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the members of an error with the names of the semantic conventions. */
function exceptionOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(error)) return error === undefined ? {} : { error };
  const { type, message, stack, code, ...others } = error;
  const named = { type, message, stacktrace: stack };
  const written = Object.entries(named).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(written.map(([name, value]) => [`exception.${name}`, value])),
    ...(code !== undefined && { 'error.type': code }),
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [`error.${name}`, value])),
  };
}
