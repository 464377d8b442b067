/** The request headers of handlers: configured headers, forwarded headers of the client, and default headers. */
import type { Header } from '@joinery/metadata/schema/headers';
import type { Headers } from '../../../auth/session.ts';
import { type Environment, expandHeaders, variablesIn } from '../../../base/environment.ts';
import {
  clientHeaders,
  endToEnd,
  forwardedAs,
  headerText,
  hopByHopHeaders,
  neverForwarded,
} from '../../../base/http-client/headers.ts';
import type { Action } from '../../../model/types/action.ts';

export interface HandlerSettings {
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
  /** Whether configured headers override forwarded ones. Otherwise forwarded headers override. */
  readonly configuredHeaderPrecedence: boolean;
  /** As in `joinery/<version>`. */
  readonly version: string;
}

export interface SentHeader {
  readonly name: string;
  readonly value: string;
  /** The value shown to admins, without environment variables and credentials. */
  readonly shown: string;
}

/** The settings that determine forwarded and added headers. */
export type HeaderRules = Pick<Action, 'headers' | 'forwardClientHeaders' | 'ignoredClientHeaders'>;

const HIDDEN = '***';

/** Returns the headers; the first of each name is used. Throws `invalid-configuration` for a missing variable. */
export function handlerHeaders(
  action: HeaderRules,
  client: Headers,
  settings: HandlerSettings,
  environment: Environment,
): readonly SentHeader[] {
  const passed = action.forwardClientHeaders ? forwardedHeaders(action, client, settings) : [];
  const defaults = [plain('Content-Type', 'application/json'), plain('User-Agent', `joinery/${settings.version}`)];
  const configured = action.headers.map((header) => configuredHeader(header, environment));
  const order = settings.configuredHeaderPrecedence
    ? [...configured, ...defaults, ...passed]
    : [...passed, ...defaults, ...configured];
  const sent = new Map<string, SentHeader>();
  for (const header of order) {
    const key = header.name.toLowerCase();
    if (!sent.has(key) && !hopByHopHeaders.has(key)) sent.set(key, header);
  }
  return [...sent.values()];
}

type Pairs = readonly (readonly [name: string, value: string])[];

interface BuiltHeaders {
  readonly action: HeaderRules;
  readonly version: string;
  readonly configuredHeaderPrecedence: boolean;
  /** The configured headers. Environment variables can change. */
  readonly configured: Pairs;
  readonly pairs: Pairs;
}

/** The last headers by the action, or by the headers of the client where they depend on these or on the environment. */
const built = new WeakMap<object, BuiltHeaders>();

/** Returns the names and values of `handlerHeaders`, which are built once for an action or for the calls of a request. */
export function sentHeaders(
  action: HeaderRules,
  client: Headers,
  settings: HandlerSettings,
  environment: Environment,
): Pairs {
  const { version, configuredHeaderPrecedence } = settings;
  const configured = expandHeaders(action.headers, environment);
  const origin = !action.forwardClientHeaders && action.headers.every(isConstant) ? action : client;
  const known = built.get(origin);
  if (
    known?.action === action &&
    known.version === version &&
    known.configuredHeaderPrecedence === configuredHeaderPrecedence &&
    known.configured.every(([, value], index) => value === configured[index]?.[1])
  ) {
    return known.pairs;
  }
  const sent = handlerHeaders(action, client, settings, environment);
  const pairs = sent.map(({ name, value }) => [name, value] as const);
  built.set(origin, { action, version, configuredHeaderPrecedence, configured, pairs });
  return pairs;
}

function isConstant(header: Header): boolean {
  return 'value' in header && variablesIn(header.value).length === 0;
}

function plain(name: string, value: string): SentHeader {
  return { name, value, shown: value };
}

function configuredHeader(header: Header, environment: Environment): SentHeader {
  const value = expandHeaders([header], environment)[0]?.[1] ?? '';
  return { name: header.name, value, shown: isConstant(header) ? value : HIDDEN };
}

const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/** Returns the client headers that a later call of the handler needs. Empty if the action forwards none. */
export function forwardable(
  action: Action,
  client: Headers,
  settings: HandlerSettings,
): Readonly<Record<string, string>> {
  if (!action.forwardClientHeaders) return {};
  const renamed = new Set(forwardedAs.map(([from]) => from));
  const ignored = new Set(action.ignoredClientHeaders ?? clientHeaders);
  return Object.fromEntries(
    Object.entries(endToEnd(client)).flatMap(([name, value]) =>
      value !== undefined && (renamed.has(name) || isForwarded(name, ignored, settings))
        ? [[name, headerText(value)]]
        : [],
    ),
  );
}

function isForwarded(name: string, ignored: ReadonlySet<string>, { sessionPrefix }: HandlerSettings): boolean {
  if (name.startsWith(sessionPrefix) || name.startsWith(':')) return false;
  return !ignored.has(name) && !neverForwarded.has(name);
}

/** Returns the client headers that are forwarded to the handler. */
export function forwardedHeaders(
  action: HeaderRules,
  client: Headers,
  settings: HandlerSettings,
): readonly SentHeader[] {
  const ignored = new Set(action.ignoredClientHeaders ?? clientHeaders);
  const headers = endToEnd(client);
  const passed = Object.entries(headers).flatMap(([name, value]): SentHeader[] => {
    if (value === undefined || !isForwarded(name, ignored, settings)) return [];
    const text = headerText(value);
    return [{ name, value: text, shown: credentials.has(name) ? HIDDEN : text }];
  });
  const renamed = forwardedAs.flatMap(([from, to]) => {
    const value = headers[from];
    return value === undefined ? [] : [plain(to, headerText(value))];
  });
  return [...passed, ...renamed];
}
