/** Draft of the request options of an event and their arguments. Pure. */
import type { EventDelivery } from '@joinery/metadata/schema/events/delivery';
import { jsonProblem, printPretty } from '../../api/exact-json.ts';

export interface DeliveryDraft {
  readonly body: 'envelope' | 'payload';
  /** Signs with the keys of the service, with keys in another variable, or not at all. */
  readonly signing: 'settings' | 'own' | 'none';
  /** Name of the variable that holds the keys. */
  readonly variable: string;
  /** Request transform as JSON text. Empty for none. */
  readonly transform: string;
}

export const emptyDelivery: DeliveryDraft = { body: 'envelope', signing: 'settings', variable: '', transform: '' };

export function deliveryOf({ body, signing, request_transform }: EventDelivery): DeliveryDraft {
  return {
    body: body ?? 'envelope',
    signing: signing === false ? 'none' : signing ? 'own' : 'settings',
    variable: signing ? signing.key_from_env : '',
    transform: request_transform ? printPretty(request_transform) : '',
  };
}

/** Returns the arguments that differ from the defaults. Omits a transform that is not JSON, see `transformProblem`. */
export function readDelivery(draft: DeliveryDraft): Readonly<Record<string, unknown>> {
  const { body, signing, variable, transform } = draft;
  const isWritten = transform.trim() !== '' && transformProblem(draft) === undefined;
  return {
    ...(body === 'payload' && { body }),
    ...(signing === 'none' && { signing: false }),
    ...(signing === 'own' && { signing: { key_from_env: variable.trim() } }),
    ...(isWritten && { request_transform: JSON.parse(transform) as unknown }),
  };
}

export function transformProblem({ transform }: DeliveryDraft): string | undefined {
  return transform.trim() === '' ? undefined : jsonProblem(transform);
}

/** An example transform. */
export const exampleTransform = printPretty({
  version: 2,
  template_engine: 'Kriti',
  method: 'PUT',
  url: '{{$base_url}}/{{$body.id}}',
  body: { action: 'transform', template: '{"event": {{$body.id}}, "data": {{$body.payload}}}' },
});
