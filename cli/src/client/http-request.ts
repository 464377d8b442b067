/** One HTTP request. */
import http from 'node:http';
import https from 'node:https';
import type { Project } from '../project/config.ts';

export interface HttpResponse {
  readonly status: number;
  /** Parsed where it is JSON, otherwise text. */
  readonly body: unknown;
}

/** A request without its URL. */
export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls?: Project['tls'] | undefined;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

/** Uses node:http because `fetch` times out after five minutes, and a migration may take longer. */
export function request(
  url: string,
  { body, tls, signal: canceled, ...options }: Sent,
  timeoutMs: number,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const signals = [...(timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : []), ...(canceled ? [canceled] : [])];
    const signal = signals.length > 0 ? { signal: AbortSignal.any(signals) } : {};
    const trust = tls === undefined ? {} : { ca: tls.authority, rejectUnauthorized: tls.verify };
    const secure = url.startsWith('https:');
    const sent = (secure ? https : http).request(url, { ...options, ...signal, ...(secure && trust) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
