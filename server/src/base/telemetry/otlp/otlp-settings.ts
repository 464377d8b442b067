/** The variables of OpenTelemetry that decide what is exported, and how. The libraries read those of the connection themselves. */
import type { Environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';

export type Signal = 'traces' | 'metrics' | 'logs';

const protocols = ['http/protobuf', 'http/json', 'grpc'] as const;
export type Protocol = (typeof protocols)[number];

export interface SignalSettings {
  /** Whether the environment enables the export. */
  readonly isEnabled: boolean;
  /** The variable that decides it; undefined where the metadata may. */
  readonly decidedBy: string | undefined;
  readonly protocol: Protocol;
  /** The variable with the protocol; undefined for the default. */
  readonly protocolFrom: string | undefined;
}

/**
 * Returns the settings of a signal. As the specification says, an empty variable is unset, and that of a signal takes
 * precedence. Throws `invalid-configuration` for values that are not supported.
 */
export function readSignal(environment: Environment, signal: Signal): SignalSettings {
  const upper = signal.toUpperCase();
  const protocolFrom = firstSet(environment, variablesOf(upper, 'PROTOCOL'));
  const off = { isEnabled: false, protocol: protocols[0], protocolFrom: undefined };
  if (environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return { ...off, decidedBy: 'OTEL_SDK_DISABLED' };
  const exporter = exporterOf(environment, `OTEL_${upper}_EXPORTER`);
  if (exporter === 'none') return { ...off, decidedBy: `OTEL_${upper}_EXPORTER` };
  const protocol = protocolOf(environment, protocolFrom);
  const endpoint = firstSet(environment, variablesOf(upper, 'ENDPOINT'));
  const decidedBy = endpoint ?? (exporter === 'otlp' ? `OTEL_${upper}_EXPORTER` : undefined);
  if (decidedBy !== undefined) checkConnection(environment, upper, protocol);
  return { isEnabled: decidedBy !== undefined, decidedBy, protocol, protocolFrom };
}

/** Returns a positive whole number, such as milliseconds. Throws `invalid-configuration` for other values. */
export function positiveNumber(environment: Environment, name: string, fallback: number): number {
  const written = settingOf(environment, name);
  if (written === undefined) return fallback;
  if (!/^\d{1,9}$/.test(written) || Number(written) === 0) {
    throw invalid(`${name} is "${written}"; set it to a positive whole number`);
  }
  return Number(written);
}

/** The variable of a signal before that of all signals. */
function variablesOf(signal: string, what: string): readonly string[] {
  return [`OTEL_EXPORTER_OTLP_${signal}_${what}`, `OTEL_EXPORTER_OTLP_${what}`];
}

function settingOf(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || undefined;
}

function firstSet(environment: Environment, names: readonly string[]): string | undefined {
  return names.find((name) => settingOf(environment, name) !== undefined);
}

function exporterOf(environment: Environment, name: string): 'otlp' | 'none' | undefined {
  const written = settingOf(environment, name)?.toLowerCase();
  if (written === undefined || written === 'otlp' || written === 'none') return written;
  throw invalid(`${name} is "${written}", which is not supported; set it to otlp or none`);
}

function protocolOf(environment: Environment, name: string | undefined): Protocol {
  if (name === undefined) return protocols[0];
  const written = settingOf(environment, name);
  const known = protocols.find((one) => one === written);
  if (known !== undefined) return known;
  throw invalid(`${name} is "${written}", which is not supported; set it to ${protocols.join(', ')}`);
}

/** Checks what the libraries replace by defaults without an error. */
function checkConnection(environment: Environment, signal: string, protocol: Protocol): void {
  for (const name of variablesOf(signal, 'ENDPOINT')) {
    const written = settingOf(environment, name);
    if (written === undefined) continue;
    const url = URL.canParse(written) ? new URL(written).protocol : undefined;
    // gRPC also accepts a host with a port.
    const isUsable = url === 'http:' || url === 'https:' || (protocol === 'grpc' && /^[\w.[\]:-]+:\d+$/.test(written));
    if (!isUsable) throw invalid(`${name} is not an HTTP URL; set it to one such as http://collector:4318`);
  }
  for (const name of variablesOf(signal, 'TIMEOUT')) positiveNumber(environment, name, 1);
  for (const name of variablesOf(signal, 'COMPRESSION')) {
    const written = settingOf(environment, name);
    if (written !== undefined && written !== 'gzip' && written !== 'none') {
      throw invalid(`${name} is "${written}", which is not supported; set it to gzip or none`);
    }
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid-configuration', message);
}
