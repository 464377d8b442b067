/** Resolves `opentelemetry` of the metadata to the settings for the export of traces. */
import { parseStored } from '@joinery/metadata/commands/edit/arguments';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { OpenTelemetry } from '@joinery/metadata/schema/telemetry';
import { type Environment, expand, expandHeaders, templateProblem } from '../base/environment.ts';
import { ServiceError } from '../base/errors.ts';
import { rejectionOfUrl } from '../base/http-client/egress.ts';
import type { TraceSettings } from '../base/telemetry/trace.ts';
import type { Draft } from './types/draft.ts';

/** Returns undefined unless traces are enabled. Reports invalid settings, which export nothing. */
export function resolveTraces({ input, report }: Draft): TraceSettings | undefined {
  const written = input.metadata.opentelemetry;
  if (written === undefined || written === null) return undefined;
  try {
    return readTraces(parseStored(OpenTelemetry, written), input.environment);
  } catch (error) {
    if (!(error instanceof EditError || error instanceof ServiceError)) throw error;
    report({
      type: 'open_telemetry',
      name: 'opentelemetry',
      path: error.path.replace(/^\$/, '$.opentelemetry'),
      code: error instanceof EditError ? 'parse-failed' : error.code,
      reason: error instanceof EditError ? error.message : `in opentelemetry: ${error.message}`,
      definition: written,
    });
    return undefined;
  }
}

function readTraces(settings: OpenTelemetry, environment: Environment): TraceSettings | undefined {
  const { data_types = [], exporter_otlp: exporter = {}, batch_span_processor: batch = {} } = settings;
  const status = at('$.status', () => expand(settings.status, environment));
  if (status !== 'enabled' && status !== 'disabled') {
    throw invalid('$.status', `the variable must be "enabled" or "disabled"`);
  }
  const endpoint = exporter.otlp_traces_endpoint;
  if (status === 'disabled' || !data_types.includes('traces') || endpoint == null) return undefined;
  const attributes = exporter.resource_attributes ?? [];
  return {
    endpoint: at('$.exporter_otlp.otlp_traces_endpoint', () => checkedUrl(endpoint, environment)),
    headers: Object.fromEntries(
      at('$.exporter_otlp.headers', () => expandHeaders(exporter.headers ?? [], environment)),
    ),
    attributes: Object.fromEntries(
      at('$.exporter_otlp.resource_attributes', () =>
        attributes.map(({ name, value }) => [name, expand(value, environment)]),
      ),
    ),
    batchSize: batch.max_export_batch_size,
  };
}

function checkedUrl(written: string, environment: Environment): string {
  const malformed = templateProblem(written);
  if (malformed !== undefined) throw invalid('$', `the endpoint ${malformed}`);
  const text = expand(written, environment);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw invalid('$', 'the endpoint is not an HTTP URL');
  const rejection = rejectionOfUrl(url);
  if (rejection !== undefined) throw invalid('$', `the endpoint cannot be called: ${rejection}`);
  return text;
}

/** Runs `read`; an error of it has `path`. */
function at<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof ServiceError ? new ServiceError(error.code, error.message, { path }) : error;
  }
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('invalid-configuration', message, { path });
}
