/** The request line and all headers of a webhook request that would be sent. Pure. */

export type HeaderPair = readonly [name: string, value: string];

/** Headers of the service that configured ones do not replace. */
const reserved = /^(webhook-(id|timestamp|attempt|signature)|traceparent)$/i;
/** Headers that the service sets before a transform. */
const defaults = /^(content-type|user-agent)$/i;

/** The headers before a transform: those of the service, then the configured ones with other names. */
export function headersBeforeTransform(configured: readonly HeaderPair[]): readonly HeaderPair[] {
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'joinery/…'],
    ...configured.filter(([name]) => !defaults.test(name)),
  ];
}

export type Signing = 'settings' | 'own' | 'none';

/** How calls are signed, with the name of the variable that has their own keys. */
export interface SignatureDraft {
  readonly signing: Signing;
  readonly variable: string;
}

const signatures: Readonly<Record<Signing, (variable: string) => readonly HeaderPair[]>> = {
  settings: () => [['webhook-signature', '(if the service has JOINERY_WEBHOOK_SIGNING_KEYS)']],
  own: (variable) => [['webhook-signature', `(by the keys in ${variable})`]],
  none: () => [],
};

/** The headers that the service adds to each call of an event. */
export function eventHeaders({ signing, variable }: SignatureDraft): readonly HeaderPair[] {
  return [
    ['webhook-id', '…'],
    ['webhook-timestamp', '…'],
    ['webhook-attempt', '1'],
    ['traceparent', '00-…'],
    ...signatures[signing](variable.trim() || '…'),
  ];
}

interface PreviewedRequest {
  readonly method: string;
  readonly url: string;
  /** After the transform. */
  readonly headers: readonly HeaderPair[];
  /** The headers of an event. Empty for a call of an action. */
  readonly own: readonly HeaderPair[];
  readonly hasBody: boolean;
}

/** Returns the request line and the headers, one per line, in the order of the log of calls. */
export function requestHead({ method, url, headers, own, hasBody }: PreviewedRequest): string {
  const kept = own.length === 0 ? headers : headers.filter(([name]) => !reserved.test(name));
  const all: readonly HeaderPair[] = [
    ['Host', hostOf(url)],
    ['Connection', 'keep-alive'],
    ...kept,
    ...own,
    ...(hasBody ? [['Content-Length', '…'] as const] : []),
  ];
  return [`${method} ${url || '…'}`, ...all.map(([name, value]) => `${name}: ${value}`)].join('\n');
}

/** Returns the host with the port of a URL, which may have templates. */
function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  return /^(?:[^/?#]*\/\/)?(?:[^/?#@]*@)?([^/?#]*)/.exec(url)?.[1] || '…';
}
