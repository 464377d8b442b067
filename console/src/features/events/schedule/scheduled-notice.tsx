/** Notification content for a scheduled event with a link. */
import { Anchor } from '@mantine/core';
import { linkTo } from '../../../router/location.ts';
import type { WhenDraft } from '../../../shared/event-form/event-draft.ts';
import { localText } from '../../../ui/time/times.ts';

interface ScheduledNoticeProps {
  readonly id: string;
  readonly when: WhenDraft;
}

export function ScheduledNotice({ id, when }: ScheduledNoticeProps) {
  const ms = when.kind === 'at' ? when.ms : undefined;
  return (
    <>
      {ms === undefined || ms <= Date.now() ? 'It is called at once. ' : `It is called on ${localText(ms)}. `}
      <Anchor {...linkTo(`/events/one-off/logs?event=${id}`)} size="sm">
        See its log
      </Anchor>
    </>
  );
}
