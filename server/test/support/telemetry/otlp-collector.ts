/** A collector of OpenTelemetry on loopback that records what it receives over HTTP and gRPC. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import {
  decodeProtobuf,
  logsIn,
  metricsIn,
  type ReceivedLog,
  type ReceivedMetric,
  type ReceivedSpan,
  type Signal,
  spansIn,
} from './otlp-requests.ts';

export interface OtlpRequest {
  readonly signal: Signal;
  /** The content type; `grpc` for gRPC. */
  readonly type: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface OtlpCollector {
  readonly url: string;
  readonly grpcUrl: string;
  readonly requests: readonly OtlpRequest[];
  spans(): readonly ReceivedSpan[];
  logs(): readonly ReceivedLog[];
  metrics(): readonly ReceivedMetric[];
  close(): Promise<void>;
}

const services = { traces: 'Trace', logs: 'Logs', metrics: 'Metrics' } as const;

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const requests: OtlpRequest[] = [];
  const http = createServer(async (incoming, outgoing) => {
    const { 'content-type': type = '', 'content-encoding': encoding } = incoming.headers;
    const sent = await bytesOf(incoming);
    const bytes = encoding === 'gzip' ? gunzipSync(sent) : sent;
    const signal = incoming.url?.replace('/v1/', '') as Signal;
    const body = type === 'application/json' ? JSON.parse(bytes.toString()) : decodeProtobuf(signal, bytes);
    requests.push({ signal, type, headers: incoming.headers, body });
    outgoing.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const grpc = new Server();
  for (const signal of ['traces', 'logs', 'metrics'] as const) {
    const name = services[signal];
    const path = `/opentelemetry.proto.collector.${signal === 'traces' ? 'trace' : signal}.v1.${name}Service/Export`;
    const same = (bytes: Buffer): Buffer => bytes;
    const method = { path, requestStream: false, responseStream: false };
    const codec = {
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    grpc.addService(
      { Export: { ...method, ...codec } },
      {
        Export: (
          call: { readonly request: Buffer; readonly metadata: { getMap(): Readonly<Record<string, unknown>> } },
          done: (error: null, response: Buffer) => void,
        ) => {
          const body = decodeProtobuf(signal, call.request);
          requests.push({ signal, type: 'grpc', headers: call.metadata.getMap(), body });
          done(null, Buffer.alloc(0));
        },
      },
    );
  }
  const grpcPort = await new Promise<number>((resolve, reject) =>
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    ),
  );
  const received = (signal: Signal) => requests.filter((one) => one.signal === signal).map(({ body }) => body);
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    requests,
    spans: () => received('traces').flatMap(spansIn),
    logs: () => received('logs').flatMap(logsIn),
    metrics: () => received('metrics').flatMap(metricsIn),
    close: async () => {
      grpc.forceShutdown();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
