/** The tabs whose part of a draft differs from the saved action. Pure. */
import { sameDraft } from '../../../ui/form/same-draft.ts';
import type { ActionDraft } from '../action-draft.ts';

const ofDefinition: readonly (keyof ActionDraft)[] = ['signature', 'types', 'kind', 'comment'];

export function changedTabs(draft: ActionDraft, saved: ActionDraft): readonly ('definition' | 'handler')[] {
  const changed = (Object.keys(draft) as (keyof ActionDraft)[]).filter(
    (field) => !sameDraft(draft[field], saved[field]),
  );
  return [
    ...(changed.some((field) => ofDefinition.includes(field)) ? ['definition' as const] : []),
    ...(changed.some((field) => !ofDefinition.includes(field)) ? ['handler' as const] : []),
  ];
}
