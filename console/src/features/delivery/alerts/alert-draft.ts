/** Draft of an alert and its arguments; its condition as a sentence. Pure. */
import type { Alert, SetAlert } from '@joinery/metadata/api/events/alerts';
import { type HeaderDraft, headersOf, sentHeaders } from '../../../shared/headers/header-draft.ts';
import { numberIn } from '../../../ui/form/beside-text/schema-errors.ts';
import { durationOf } from '../../../ui/time/times.ts';

export interface AlertDraft {
  readonly name: string;
  readonly kind: Alert['rule']['kind'];
  readonly percent: string;
  readonly windowMinutes: string;
  readonly minCalls: string;
  readonly seconds: string;
  readonly destination: string;
  readonly webhook: string;
  readonly headers: readonly HeaderDraft[];
  readonly enabled: boolean;
}

const empty: AlertDraft = {
  name: '',
  kind: 'failure_rate',
  percent: '5',
  windowMinutes: '5',
  minCalls: '10',
  seconds: '60',
  destination: '',
  webhook: '',
  headers: [],
  enabled: true,
};

/** Undefined for a new alert. */
export function alertDraftOf(alert: Alert | undefined): AlertDraft {
  if (alert === undefined) return empty;
  const { name, rule, destination, webhook, headers, enabled } = alert;
  const common = { ...empty, name, kind: rule.kind, destination: destination ?? '', webhook, enabled };
  const draft = { ...common, headers: headersOf(headers) };
  switch (rule.kind) {
    case 'failure_rate':
      return {
        ...draft,
        percent: String(rule.percent),
        windowMinutes: String(rule.window_minutes),
        minCalls: String(rule.min_calls),
      };
    case 'backlog_age':
      return { ...draft, seconds: String(rule.seconds) };
    case 'circuit_open':
      return draft;
    default:
      return rule satisfies never;
  }
}

/** The arguments of `set_alert` as typed, which may not be valid. */
export function alertArguments(draft: AlertDraft): Readonly<Record<keyof SetAlert, unknown>> {
  const { name, destination, webhook, headers, enabled } = draft;
  return {
    name: name.trim(),
    rule: ruleIn(draft),
    destination: destination.trim() === '' ? null : destination.trim(),
    webhook: webhook.trim(),
    headers: sentHeaders(headers),
    enabled,
  };
}

function ruleIn({ kind, percent, windowMinutes, minCalls, seconds }: AlertDraft): unknown {
  switch (kind) {
    case 'failure_rate':
      return {
        kind,
        percent: numberIn(percent),
        window_minutes: numberIn(windowMinutes),
        min_calls: numberIn(minCalls),
      };
    case 'backlog_age':
      return { kind, seconds: numberIn(seconds) };
    case 'circuit_open':
      return { kind };
    default:
      return kind satisfies never;
  }
}

/** Reads the condition, such as `More than 5 % of at least 10 calls fail within 5 minutes`. */
export function conditionText({ rule, destination }: Pick<Alert, 'rule' | 'destination'>): string {
  const to = destination === null ? '' : ` to ${destination}`;
  switch (rule.kind) {
    case 'failure_rate':
      return `More than ${rule.percent} % of at least ${rule.min_calls} calls${to} fail within ${durationOf(60 * rule.window_minutes)}`;
    case 'circuit_open':
      return destination === null ? 'A circuit is open' : `The circuit of ${destination} is open`;
    case 'backlog_age':
      return `A due event${to} waits for more than ${durationOf(rule.seconds)}`;
    default:
      return rule satisfies never;
  }
}

/** The value of the last check with its unit. */
export function valueText({ rule, value }: Pick<Alert, 'rule' | 'value'>): string {
  if (value === null) return '–';
  switch (rule.kind) {
    case 'failure_rate':
      return `${value} %`;
    case 'circuit_open':
      return `${value} open`;
    case 'backlog_age':
      return value === 0 ? 'None' : durationOf(value);
    default:
      return rule satisfies never;
  }
}
