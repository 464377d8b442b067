/** Spans that are exported, compared with those of the library. */
import { trace as api, type HrTime, SpanKind as LibraryKind, ROOT_CONTEXT, SpanStatusCode } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  NodeTracerProvider,
  type ReadableSpan,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { describe, expect, it } from 'vitest';
import { CompactSpan, newTraceId, samplerOf, spanContext } from './compact-spans.ts';

const resource = resourceFromAttributes({ 'service.name': 'test' });

function collector() {
  const spans: ReadableSpan[] = [];
  return { spans, onStart: () => undefined, onEnd: (span: ReadableSpan) => void spans.push(span) };
}

/** The exported members without ids and times. */
function exported(span: ReadableSpan | undefined) {
  if (span === undefined) throw new Error('no span was exported');
  const { name, kind, attributes, status, links, events, ended, instrumentationScope } = span;
  const { droppedAttributesCount, droppedEventsCount, droppedLinksCount } = span;
  const dropped = { droppedAttributesCount, droppedEventsCount, droppedLinksCount };
  const remote = span.parentSpanContext?.isRemote;
  return { name, kind, attributes, status, links, events, ended, instrumentationScope, dropped, remote };
}

describe('a recorded span', () => {
  const remote = { traceId: newTraceId(), spanId: 'b7ad6b7169203331', traceFlags: 1, isRemote: true };

  it('is exported with the members that the library exports', () => {
    const [own, library] = [collector(), collector()];
    const scope = { name: 'joinery', version: '1' };
    const root = new CompactSpan(
      { processor: own, resource, scope, redact: (text) => text },
      'POST /v1/graphql',
      { kind: 'server', attributes: { given: 'a', absent: undefined, count: 3 } },
      spanContext(remote.traceId, true, undefined),
      remote,
    );
    const child = root.child('SELECT', { kind: 'client' });
    child.set('later', 'b');
    child.end(new Error('failed at postgres://user:secret@host/db'));
    root.end();
    root.set('after its end', 1);
    root.end();

    const provider = new NodeTracerProvider({
      resource,
      spanProcessors: [{ ...library, forceFlush: async () => undefined, shutdown: async () => undefined }],
    });
    const tracer = provider.getTracer('joinery', '1');
    const context = api.setSpanContext(ROOT_CONTEXT, remote);
    const theirs = tracer.startSpan('POST /v1/graphql', { kind: LibraryKind.SERVER }, context);
    theirs.setAttributes({ given: 'a', count: 3 });
    const below = tracer.startSpan('SELECT', { kind: LibraryKind.CLIENT }, api.setSpan(context, theirs));
    below.setAttribute('later', 'b');
    below.setStatus({ code: SpanStatusCode.ERROR, message: 'failed at postgres://user:***@host/db' });
    below.end();
    theirs.end();

    expect(own.spans.map(exported)).toEqual(library.spans.map(exported));
  });

  it('has the ids of its trace and its parent, and times in order', () => {
    const { spans, ...processor } = collector();
    const root = new CompactSpan(
      { processor, resource, scope: { name: 'joinery' }, redact: (text) => text },
      'root',
      {},
      spanContext(newTraceId(), true, undefined),
      undefined,
    );
    const child = root.child('child');
    child.end();
    root.end();
    const [first, second] = spans;
    expect(first?.spanContext().traceId).toBe(second?.spanContext().traceId);
    expect(first?.parentSpanContext?.spanId).toBe(second?.spanContext().spanId);
    const seconds = ([whole, nano]: HrTime = [0, 0]) => whole + nano / 1e9;
    expect(seconds(first?.endTime)).toBeGreaterThanOrEqual(seconds(first?.startTime));
    expect(Math.abs(seconds(first?.startTime) - Date.now() / 1000)).toBeLessThan(60);
    expect(child.headers()).toEqual([
      ['traceparent', `00-${first?.spanContext().traceId}-${first?.spanContext().spanId}-01`],
    ]);
  });
});

describe('the sampler', () => {
  it.each([
    [{}, { followsParent: true, ratio: 1 }],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, { followsParent: false, ratio: 0 }],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' },
      { followsParent: false, ratio: 0.05 },
    ],
    [
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' },
      { followsParent: true, ratio: 0.5 },
    ],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, undefined],
    [{ OTEL_TRACES_SAMPLER: 'constructor' }, undefined],
    [{ OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '3' }, undefined],
  ])('of %j is %j', (environment, expected) => {
    expect(samplerOf(environment)).toEqual(expected);
  });

  it('records about the share of new traces, by ids that are all different', () => {
    const sampler = new TraceIdRatioBasedSampler(0.05);
    const ids = Array.from({ length: 20_000 }, newTraceId);
    const recorded = ids.filter(
      (id) => sampler.shouldSample(ROOT_CONTEXT, id).decision === SamplingDecision.RECORD_AND_SAMPLED,
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(recorded.length).toBeGreaterThan(700);
    expect(recorded.length).toBeLessThan(1_300);
  });
});
