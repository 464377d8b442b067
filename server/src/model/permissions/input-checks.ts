/** Webhooks that validate the input of mutations, as permissions name them. */
import type { ValidateInput } from '@joinery/metadata/schema/permissions';
import { type Environment, expand, unusableReason, variablesIn } from '../../base/environment.ts';
import type { InputCheck } from '../types/column-type.ts';
import { unfit } from './permission-rules.ts';

const USUAL_SECONDS = 10;

/** Throws a ServiceError for a webhook that could not be called; its path leads into the permission, which is `$`. */
export function resolveInputCheck(
  written: ValidateInput | null | undefined,
  environment: Environment,
): InputCheck | undefined {
  if (written === null || written === undefined) return undefined;
  const { url, headers, forward_client_headers, timeout } = written.definition;
  const place = '$.validate_input.definition';
  refuseUnusable(`${place}.url`, variablesIn(url), environment);
  const address = expand(url, environment);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw unfit(`${place}.url`, `"${url}" is not an http or https URL`);
  }
  for (const [index, header] of (headers ?? []).entries()) {
    const names = 'value' in header ? variablesIn(header.value) : [header.value_from_env];
    refuseUnusable(`${place}.headers[${index}]`, names, environment);
  }
  return {
    url,
    headers: headers ?? [],
    forwardClientHeaders: forward_client_headers ?? false,
    timeoutMs: (timeout ?? USUAL_SECONDS) * 1_000,
  };
}

function refuseUnusable(path: string, names: readonly string[], environment: Environment): void {
  for (const name of names) {
    const reason = unusableReason(name, environment);
    if (reason !== undefined) throw unfit(path, reason);
  }
}
