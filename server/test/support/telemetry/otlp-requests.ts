/** Reads OTLP requests, in JSON or protobuf, into one form. */
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

export type Attributes = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
  readonly resource: Attributes;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Attributes;
}

export interface ReceivedLog {
  readonly resource: Attributes;
  readonly body: unknown;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
}

export interface ReceivedPoint {
  readonly attributes: Attributes;
  /** Milliseconds of the Unix epoch. */
  readonly startTime: number;
  readonly time: number;
  /** Of sums and gauges. */
  readonly value: number;
  /** Of histograms. */
  readonly count: number;
  readonly sum: number;
  readonly bucketCounts: readonly number[];
  readonly explicitBounds: readonly number[];
}

export interface ReceivedMetric {
  readonly resource: Attributes;
  readonly name: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  readonly aggregationTemporality: number;
  readonly isMonotonic: boolean;
  readonly points: readonly ReceivedPoint[];
}

export type Signal = 'traces' | 'logs' | 'metrics';

const { root } = protobuf.parse(readFileSync(new URL('otlp.proto', import.meta.url), 'utf8'), { keepCase: true });

type Message = Readonly<Record<string, unknown>>;

/** Decodes a request of protobuf. Ids are hexadecimal, as in JSON. */
export function decodeProtobuf(signal: Signal, bytes: Buffer): Message {
  const type = root.lookupType(signal[0]?.toUpperCase() + signal.slice(1));
  return type.toObject(type.decode(bytes), { longs: String, defaults: true, oneofs: true });
}

export function spansIn(request: Message): ReceivedSpan[] {
  return itemsIn(request, 'resourceSpans', 'scopeSpans', 'spans').map(({ resource, item }) => ({
    resource,
    name: String(item.name),
    traceId: idOf(item.traceId),
    spanId: idOf(item.spanId),
    parentSpanId: idOf(item.parentSpanId),
    attributes: attributesOf(item.attributes),
  }));
}

export function logsIn(request: Message): ReceivedLog[] {
  return itemsIn(request, 'resourceLogs', 'scopeLogs', 'logRecords').map(({ resource, item }) => ({
    resource,
    body: anyValueOf(item.body),
    severityNumber: Number(item.severityNumber),
    severityText: String(item.severityText),
    traceId: idOf(item.traceId),
    spanId: idOf(item.spanId),
    attributes: attributesOf(item.attributes),
  }));
}

export function metricsIn(request: Message): ReceivedMetric[] {
  return itemsIn(request, 'resourceMetrics', 'scopeMetrics', 'metrics').map(({ resource, item }) => {
    const type = (['sum', 'gauge', 'histogram'] as const).find((one) => listOf(messageOf(item[one]).dataPoints).length);
    if (type === undefined) throw new Error(`the metric ${String(item.name)} has no points`);
    const { dataPoints, aggregationTemporality, isMonotonic } = messageOf(item[type]);
    return {
      resource,
      name: String(item.name),
      unit: String(item.unit),
      type,
      aggregationTemporality: Number(aggregationTemporality),
      isMonotonic: isMonotonic === true,
      points: listOf(dataPoints).map(pointOf),
    };
  });
}

function pointOf(point: Message): ReceivedPoint {
  const milliseconds = (nanoseconds: unknown): number => Number(BigInt(String(nanoseconds)) / 1_000_000n);
  return {
    attributes: attributesOf(point.attributes),
    startTime: milliseconds(point.startTimeUnixNano),
    time: milliseconds(point.timeUnixNano),
    value: Number(point.asDouble),
    count: Number(point.count),
    sum: Number(point.sum),
    bucketCounts: ((point.bucketCounts ?? []) as readonly unknown[]).map(Number),
    explicitBounds: ((point.explicitBounds ?? []) as readonly unknown[]).map(Number),
  };
}

function itemsIn(request: Message, resources: string, scopes: string, items: string) {
  return listOf(request[resources]).flatMap((one) =>
    listOf(one[scopes]).flatMap((scope) =>
      listOf(scope[items]).map((item) => ({ resource: attributesOf(messageOf(one.resource).attributes), item })),
    ),
  );
}

const listOf = (value: unknown): readonly Message[] => (value ?? []) as readonly Message[];
const messageOf = (value: unknown): Message => (value ?? {}) as Message;

function idOf(value: unknown): string {
  return typeof value === 'string' ? value : Buffer.from((value ?? []) as Uint8Array).toString('hex');
}

function attributesOf(list: unknown): Attributes {
  return Object.fromEntries(listOf(list).map(({ key, value }) => [String(key), anyValueOf(value)]));
}

function anyValueOf(value: unknown): unknown {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, value: kind } = messageOf(value);
  const written: Message = { stringValue, boolValue, doubleValue };
  if (kind !== undefined && String(kind) in written) return written[String(kind)];
  if (kind === 'intValue' || (kind === undefined && intValue !== undefined)) return Number(intValue);
  if (arrayValue != null) return listOf(messageOf(arrayValue).values).map(anyValueOf);
  if (kvlistValue != null) return attributesOf(messageOf(kvlistValue).values);
  return stringValue ?? boolValue ?? doubleValue;
}
